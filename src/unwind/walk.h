/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - walks a stack whose bytes were copied
 *
 * This is the host side of step.h. The kernel sampled the registers and copied a part of the stack;
 * the frames are found later, here. The caller must know which image is at an address, because
 * mappings change. The walk asks the caller for the image of each frame.
 *
 * A walk allocates nothing, keeps no state and takes no locks. The contents of the stack are not
 * trusted: every read is checked against the bounds of the copy, and the walk takes no more steps
 * than the caller has room for frames.
 */
#ifndef ASSAY_UNWIND_WALK_H
#define ASSAY_UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"
#include "unwind/table.h"

/* A copy of the target's memory from @addr on. Borrowed. */
struct unwind_memory {
	const uint8_t *bytes;
	uint64_t addr;
	size_t size_bytes;
};

/* The image at an address. Its table uses vaddr = addr - bias. */
struct unwind_image {
	/* NULL: no table describes the image (frame_pointer.h) */
	const struct unwind_table *table;
	uint64_t bias;
};

/* Returns false if @addr is not in any image. */
typedef bool (*unwind_image_fn)(void *context, uint64_t addr, struct unwind_image *ret_image);

struct unwind_walk {
	struct unwind_memory memory;
	unwind_image_fn image;
	void *context;		/* argument for image() */
	uint64_t *frames;	/* room for frames_max addresses */
	size_t frames_max;
	/*
	 * NULL, or room for frames_max values: nonzero if no table describes the frame, so that its
	 * frame pointer was followed
	 */
	uint8_t *by_frame_pointer;
	struct unwind_regs *last;	/* NULL, or receives the registers of the outermost frame */
};

/*
 * Writes the address of the innermost frame and then the return addresses of the outer frames. The
 * innermost address is @regs.ip, which is exact unless @regs says otherwise. *@ret_count is the
 * number of addresses, even if the walk ends early. For an outer frame that was interrupted by a
 * signal, the interrupted address plus 1 is written. For all frames but the innermost, the address
 * minus 1 therefore lies inside the instruction at which the frame was left. Returns why the walk
 * ended: UNWIND_STOP_END for a complete stack.
 */
enum unwind_stop unwind_walk(const struct unwind_walk *walk, struct unwind_regs regs,
			     size_t *ret_count);

#endif
