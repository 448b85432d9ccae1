/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_map.h - read a growing perf map and turn its lines into claims
 *
 * The file has no times, so a claim came into force at some moment between two limits:
 *	not before	the time of the last look, if the program writes each line at once. A
 *			program with a buffer may have produced the lines earlier, but not before
 *			its previous write, so the limit is the file's modification time at the
 *			last look. A program is assumed to write each line at once if the file
 *			has once grown by less than any buffer holds, and always by whole lines.
 *	not after	the file's modification time now
 * File times are only as precise as the kernel's tick; MTIME_SLACK_NS allows for that. Lines that
 * were in the file at the first look may have been in force from the beginning.
 *
 * Only new lines are read. A file that was rewritten is read again from its start; a file counts as
 * rewritten if it is shorter than before or if the bytes that were read last have changed. If the
 * file was removed, the file that has its name now is read. After reading a rewritten or replaced
 * file, the map is left alone for JIT_MAP_REST times as long as the reading took, so that a program
 * cannot keep the profiler busy with reading.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_MAP_H
#define ASSAY_SYMBOLIZE_JIT_MAP_H

#include "model/process.h"
#include "symbolize/jit_history.h"

#define JIT_MAP_MARK_BYTES 64
#define JIT_MAP_REST 50

struct jit_map {
	int fd;			/* -1: no file, or given up */
	uint64_t at;		/* offset up to which the file was read, in whole lines */
	uint64_t seen_bytes;	/* size of the file at the last look */
	uint64_t looked_ns;	/* time of the last look; 0: never */
	uint64_t written_ns;	/* modification time at the last look, less the slack */
	uint64_t from_ns;	/* lower time limit of the last claims */
	uint64_t next_ns;	/* no look before this; set after reading a rewritten file */
	bool is_anew;		/* rewritten or replaced; must be read from its start */
	bool had_lines;		/* the file had lines at the last look */
	bool had_tail;		/* the file ended in the middle of a line at the last look */
	bool has_buffers;	/* the file ended in the middle of a line at some look */
	bool is_prompt;		/* the file once grew by only a few lines */
	uint8_t mark[JIT_MAP_MARK_BYTES];	/* bytes before `at`, to detect a rewrite */
	size_t mark_bytes;
};

/* Initializes @map without a file. */
void jit_map_init(struct jit_map *map);
void jit_map_fini(struct jit_map *map);

/* Takes ownership of @fd, a file that has replaced the previous one since the last look. */
void jit_map_open(struct jit_map *map, int fd);

/* Returns whether it is too early for another look. */
bool jit_map_is_resting(const struct jit_map *map);

/* Returns whether the file has been removed. */
bool jit_map_is_removed(const struct jit_map *map);

/*
 * Reads the new lines; if @is_last, also a last line without a newline. Returns 0 or -ENOMEM, or
 * -EPERM if the file has become one that the process cannot have written. After an error the file
 * is given up, and all code is unknown from the last look on.
 */
int jit_map_read(struct jit_map *map, struct jit_history *history, const struct process *process,
		 bool is_last);

#endif
