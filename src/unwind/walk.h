/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - all frames of a stack whose bytes were copied
 *
 * The host's side of step.h: the kernel samples the registers and a part of the stack, and the
 * frames are found later, here.  Which code lies at an address is the caller's business (mappings
 * change); a walk asks it for each frame.
 *
 * Nothing is allocated, kept or locked.  What the stack says is not trusted: reads are checked
 * against what was copied, and a walk has no more steps than the caller has room for frames.
 */
#ifndef ASSAY_UNWIND_WALK_H
#define ASSAY_UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"
#include "unwind/table.h"

/* Bytes of the target, as they lay at @addr. Borrowed. */
struct unwind_memory {
	const uint8_t *bytes;
	uint64_t addr;
	size_t size_bytes;
};

/* The image that lies at an address: its table is about vaddr = addr - bias. */
struct unwind_image {
	const struct unwind_table *table;	/* NULL: none describes it (frame_pointer.h) */
	uint64_t bias;
};

/* False where @addr lies in no image. */
typedef bool (*unwind_image_fn)(void *context, uint64_t addr, struct unwind_image *ret_image);

struct unwind_walk {
	struct unwind_memory memory;
	unwind_image_fn image;
	void *context;		/* of image() */
	uint64_t *frames;	/* room for frames_max addresses */
	size_t frames_max;
	uint8_t *by_frame_pointer;	/* NULL, or likewise: not 0 where no table describes the
					   frame and frame pointers were followed */
	struct unwind_regs *last;	/* NULL, or gets the registers of the outermost frame */
};

/*
 * Writes the address of the innermost frame (@regs.ip, exact unless @regs says otherwise) and then
 * those that calls return to; *ret_count of them, also where the walk ends early.  Of a frame that
 * a signal interrupted it is the byte behind the address, so that for all but the innermost frame
 * the address less 1 lies in the instruction that was left.  Why it ended: UNWIND_STOP_END for a
 * whole stack.
 */
enum unwind_stop unwind_walk(const struct unwind_walk *walk, struct unwind_regs regs,
			     size_t *ret_count);

#endif
