/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_walk.h - user stacks from copied registers and stack bytes
 *
 * Code of distributions keeps no frame pointers, so the kernel's own walk of it is short or
 * garbage.  With --call-graph dwarf the kernel copies the user registers and the top of the stack
 * into each sample, and so does the in-kernel sampler for processes that it does not know well
 * enough; the frames are found here, with the images' tables (intake/image_tables.h).  The bytes
 * are walked at once and never kept.
 *
 * Code without such information (what a JIT compiler writes, interpreters' own assembly, programs
 * built without it) is walked by frame pointers, and so are programs of 32 bits altogether.
 */
#ifndef ASSAY_INTAKE_STACK_WALK_H
#define ASSAY_INTAKE_STACK_WALK_H

#include "intake/image_tables.h"
#include "process/tracker.h"
#include "unwind/rule.h"

#define STACK_WALK_FRAMES_MAX 512

/* The registers to ask perf for: attr.sample_regs_user. */
uint64_t stack_walk_registers(void);

struct stack_walker {
	struct tracker *tracker;		/* borrowed, both */
	struct image_tables *tables;
	struct walk_outcome outcome;		/* of the last walk */
	uint8_t by_frame_pointer[STACK_WALK_FRAMES_MAX];
};

/*
 * The user part of a sample, innermost first, into @addrs, which has room for
 * STACK_WALK_FRAMES_MAX; the first is the address itself, the others return addresses.  *ret_count
 * is 0 where there is nothing to walk.  What ended the walk, as the root of a stack:
 * STACK_ROOT_TRUNCATED when the copy or the room was used up.
 */
enum stack_root stack_walk(struct stack_walker *walker, struct live_process *process,
			   const struct perf_record *record, uint64_t *addrs, size_t *ret_count);

/* How the last walk went; valid until the next. */
const struct walk_outcome *stack_walk_outcome(const struct stack_walker *walker);

/*
 * What the end of a walk is called in the model.  @by_frame_pointer: the step that failed, or led
 * to where nothing is, followed frame pointers.  @is_behind_copy: what could not be read may be
 * stack that was not copied.
 */
enum walk_stop stack_walk_stop(enum unwind_stop stop, bool by_frame_pointer, bool is_behind_copy);

/* And what it is as the root of a stack. */
enum stack_root stack_walk_root(enum walk_stop stop);

#endif
