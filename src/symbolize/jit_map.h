/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_map.h - a perf map as it grows, into claims
 *
 * The file has no times, so a claim is in force from some moment between two looks at it:
 *	not before	the last look, from a program that writes its lines at once; what others
 *			had in a buffer may be older, but not than what they wrote last: the
 *			file's time of modification then.  Who once let the file grow by less than
 *			any buffer holds, and always by whole lines, writes them at once
 *	not after	its time of modification now
 * File times are as coarse as the kernel's tick, for which MTIME_SLACK_NS is allowed.  What was in
 * the file at the first look may be in force since ever.
 *
 * Only what is new is read.  A file that was written anew (it is shorter, or what was read last
 * stands there no more) is read again from its start; for one that was removed the one that has its
 * name then is read.  After either it is left alone for JIT_MAP_REST times as long as that took, so
 * that nobody can keep us reading.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_MAP_H
#define ASSAY_SYMBOLIZE_JIT_MAP_H

#include "model/process.h"
#include "symbolize/jit_history.h"

#define JIT_MAP_MARK_BYTES 64
#define JIT_MAP_REST 50

struct jit_map {
	int fd;			/* -1: none, or given up */
	uint64_t at;		/* of what was read: whole lines */
	uint64_t seen_bytes;	/* of the file at the last look */
	uint64_t looked_ns;	/* when, last; 0: never */
	uint64_t written_ns;	/* before then: what it ends with */
	uint64_t from_ns;	/* of the last claims */
	uint64_t next_ns;	/* no look before then: it was written anew, and costs */
	bool is_anew;		/* it was, or is another file; to be read from its start */
	bool had_lines;		/* it was not empty then */
	bool had_tail;		/* it ended in the middle of a line then, */
	bool has_buffers;	/* or did so once */
	bool is_prompt;		/* it once grew by a few lines */
	uint8_t mark[JIT_MAP_MARK_BYTES];	/* the bytes before `at` */
	size_t mark_bytes;
};

/* No file yet. */
void jit_map_init(struct jit_map *map);
void jit_map_fini(struct jit_map *map);

/* Another file takes the place of the one before, since the last look. Takes @fd over. */
void jit_map_open(struct jit_map *map, int fd);

/* Is it too early to look again? */
bool jit_map_is_resting(const struct jit_map *map);

/* Has the file no name any more? */
bool jit_map_is_removed(const struct jit_map *map);

/*
 * Takes the lines that are new; @is_last: also one that has no end.  0; -EPERM when the file has
 * become one that the process could not have written, and is given up: all from the last look on is
 * unknown; -ENOMEM.
 */
int jit_map_read(struct jit_map *map, struct jit_history *history, const struct process *process,
		 bool is_last);

#endif
