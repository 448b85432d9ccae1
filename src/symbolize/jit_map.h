/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_map.h - read a growing perf map and turn its lines into claims
 *
 * A claim says that a range of addresses holds a function from some moment on (jit_history.h). A
 * perf map has no timestamps, so a claim came into force at some moment between two limits:
 *	not before	the last look at the file, if the program writes each line immediately.
 *			A program that buffers its output may have generated the code earlier,
 *			but not before its previous write. For such a program the limit is the
 *			modification time that the file had at the last look. A program is
 *			assumed to write each line immediately if the file always grew by whole
 *			lines, and at least once by fewer bytes than any buffer holds.
 *	not after	the modification time that the file has now
 * File times are only as precise as the kernel's tick; MTIME_SLACK_NS allows for that. Lines that
 * were in the file at the first look may have been in force from the beginning.
 *
 * Only new lines are read. If the file was rewritten, it is read again from its start. The file was
 * rewritten if it is shorter than before, or if the bytes just before the current offset have
 * changed. If the file was removed, the new file of the same name is read. A program could rewrite
 * or replace its file again and again to keep the profiler busy with reading. Therefore the map
 * rests after such a file was read: it is not read for JIT_MAP_REST times as long as that reading
 * took.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_MAP_H
#define ASSAY_SYMBOLIZE_JIT_MAP_H

#include "model/process.h"
#include "symbolize/jit_history.h"

#define JIT_MAP_MARK_BYTES 64
#define JIT_MAP_REST 50

struct jit_map {
	int fd;			/* -1: there is no file, or reading was given up */
	/* offset of the first byte not read yet; always the start of a line */
	uint64_t at;
	uint64_t seen_bytes;	/* size of the file at the last look */
	uint64_t looked_ns;	/* time of the last look; 0: never */
	uint64_t written_ns;	/* file's modification time at the last look, minus the slack */
	uint64_t from_ns;	/* lower time limit of the claims added last */
	uint64_t next_ns;	/* no look before this time, because a rewritten file was read */
	/* the file was rewritten or replaced, and must be read from its start */
	bool is_anew;
	bool had_lines;		/* text was read at an earlier look */
	bool had_tail;		/* the file ended in the middle of a line at the last look */
	bool has_buffers;	/* at some look, the file ended in the middle of a line */
	bool is_prompt;		/* at least once, the file grew by less than BUFFER_MIN_BYTES */
	/* the bytes just before `at`, to detect that the file was rewritten */
	uint8_t mark[JIT_MAP_MARK_BYTES];
	size_t mark_bytes;
};

/* Initializes @map without a file. */
void jit_map_init(struct jit_map *map);
void jit_map_fini(struct jit_map *map);

/*
 * Starts to read @fd, the first file of the map or the file that has replaced the previous one.
 * Takes ownership of @fd.
 */
void jit_map_open(struct jit_map *map, int fd);

/* Returns true if the map must not be read yet, because it rests after reading a rewritten file. */
bool jit_map_is_resting(const struct jit_map *map);

/* Returns true if the file has been removed. */
bool jit_map_is_removed(const struct jit_map *map);

/*
 * Reads the new lines. If @is_last, also reads a last line that has no newline. Returns 0, -ENOMEM,
 * or -EPERM if the process cannot have written the file in its current state. After an error, the
 * file is closed, and all code is treated as unknown from the last look on.
 */
int jit_map_read(struct jit_map *map, struct jit_history *history, const struct process *process,
		 bool is_last);

#endif
