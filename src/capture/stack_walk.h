/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_walk.h - user stacks from copied registers and stack bytes
 *
 * Code of distributions keeps no frame pointers, so the kernel's own walk of it is short or
 * garbage.  With --call-graph dwarf the kernel copies the user registers and the top of the stack
 * into each sample, and so does the in-kernel sampler for processes that it does not know well
 * enough; the frames are found here, with the images' tables (capture/image_tables.h).  The bytes
 * are walked at once and never kept.
 *
 * Code without such information (what a JIT compiler writes, interpreters' own assembly, programs
 * built without it) is walked by frame pointers, and so are programs of 32 bits altogether.
 */
#ifndef ASSAY_CAPTURE_STACK_WALK_H
#define ASSAY_CAPTURE_STACK_WALK_H

#include "capture/image_tables.h"
#include "capture/tracker.h"

#define STACK_WALK_FRAMES_MAX 512

/* The registers to ask perf for: attr.sample_regs_user. */
uint64_t stack_walk_registers(void);

struct stack_walker {		/* both borrowed */
	struct tracker *tracker;
	struct image_tables *tables;
};

/*
 * The user part of a sample, innermost first, into @addrs, which has room for
 * STACK_WALK_FRAMES_MAX; the first is the address itself, the others return addresses.  *ret_count
 * is 0 where there is nothing to walk.  What ended the walk, as the root of a stack:
 * STACK_ROOT_TRUNCATED when the copy or the room was used up.
 */
enum stack_root stack_walk(const struct stack_walker *walker, struct live_process *process,
			   const struct perf_record *record, uint64_t *addrs, size_t *ret_count);

/* What a walk's end is as the root of a stack; @is_cut: its memory may have gone on. */
enum stack_root stack_walk_root(enum unwind_stop stop, bool is_cut);

#endif
