/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_walk.h - unwinds user stacks from copied registers and stack bytes
 *
 * Distributions compile code without frame pointers, so the kernel's own callchains of such code
 * are short or garbage. With --call-graph dwarf the kernel copies the user registers and the top of
 * the stack into each sample. The in-kernel sampler does the same for processes whose mappings it
 * does not know yet. This file finds the frames with the unwind tables of the images
 * (intake/image_tables.h). The bytes are unwound at once and never stored.
 *
 * Code without unwind tables (generated code, assembly code of interpreters, programs built without
 * tables) is unwound by frame pointers. So are all 32-bit programs.
 */
#ifndef ASSAY_INTAKE_STACK_WALK_H
#define ASSAY_INTAKE_STACK_WALK_H

#include "intake/image_tables.h"
#include "process/tracker.h"
#include "unwind/rule.h"

#define STACK_WALK_FRAMES_MAX 512

/* Returns the registers to request from perf, for attr.sample_regs_user. */
uint64_t stack_walk_registers(void);

struct stack_walker {
	struct tracker *tracker;		/* `tracker` and `tables` are borrowed */
	struct image_tables *tables;
	struct walk_outcome outcome;		/* outcome of the last walk */
	uint8_t by_frame_pointer[STACK_WALK_FRAMES_MAX];
};

/*
 * Unwinds the user part of a sample. @addrs has room for STACK_WALK_FRAMES_MAX addresses. It
 * receives the sampled address and then the return addresses, from the innermost frame to the
 * outermost. *@ret_count is 0 if there is nothing to unwind. Returns the stack root that tells how
 * the walk ended. This is STACK_ROOT_TRUNCATED if the walk reached the end of the copied bytes or
 * of @addrs.
 */
enum stack_root stack_walk(struct stack_walker *walker, struct live_process *process,
			   const struct perf_record *record, uint64_t *addrs, size_t *ret_count);

/* Returns the outcome of the last walk. Valid until the next walk. */
const struct walk_outcome *stack_walk_outcome(const struct stack_walker *walker);

/*
 * Converts @stop, the reason why a walk ended, to the model's constant. @by_frame_pointer is true
 * if the last step followed a frame pointer. The last step is the step that failed or that led to
 * an address outside all images. @is_behind_copy is true if the memory that could not be read may
 * belong to the part of the stack that was not copied.
 */
enum walk_stop stack_walk_stop(enum unwind_stop stop, bool by_frame_pointer, bool is_behind_copy);

/* Returns the stack root that corresponds to the reason why a walk ended. */
enum stack_root stack_walk_root(enum walk_stop stop);

#endif
