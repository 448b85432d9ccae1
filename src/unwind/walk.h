/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - walks a stack whose bytes were copied
 *
 * This is the user-space counterpart of bpf/walk.h. Both use step.h. The kernel sampled the
 * registers and copied a part of the stack. Here the frames are found, at a later time. For each
 * frame, the walk calls the function unwind_walk.image to get the image at an address, because only
 * the caller knows the mappings at the time of the sample.
 *
 * A walk allocates nothing, keeps no state and takes no locks. The contents of the stack are not
 * trusted: every read is checked against the bounds of the copy, and the walk ends after frames_max
 * frames.
 */
#ifndef ASSAY_UNWIND_WALK_H
#define ASSAY_UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"
#include "unwind/unwind_table.h"

/* A copy of the target's memory that begins at @addr. Borrowed. */
struct unwind_memory {
	const uint8_t *bytes;
	uint64_t addr;
	size_t size_bytes;
};

/* The image at an address. The address in the image's table is vaddr = addr - bias. */
struct unwind_image {
	/* NULL: no table describes the image, so follow frame pointers */
	const struct unwind_table *table;
	uint64_t bias;
};

/* Finds the image at @addr. Returns false if @addr is not in any image. */
typedef bool (*unwind_image_fn)(void *context, uint64_t addr, struct unwind_image *ret_image);

struct unwind_walk {
	struct unwind_memory memory;
	unwind_image_fn image;
	void *context;		/* first argument of image() */
	uint64_t *frames;	/* output: an array for frames_max addresses */
	size_t frames_max;
	/*
	 * NULL, or output: an array for frames_max values. A value is nonzero if no table describes
	 * the frame's code, and the walk followed its frame pointer.
	 */
	uint8_t *by_frame_pointer;
	struct unwind_regs *last;	/* NULL, or output: registers where the walk ended */
};

/*
 * Finds the frames of a stack and writes their addresses to walk->frames, innermost first. The
 * first address is @regs.ip (a return address if @regs.exact is 0). The others are return
 * addresses. If a signal interrupted an outer frame, its address is the interrupted address plus 1.
 * So, for all frames but the innermost, the address minus 1 is inside the instruction at which the
 * frame was left. *@ret_count is the number of addresses, even if the walk ends early. Returns the
 * reason why the walk ended, which is UNWIND_STOP_END for a complete stack.
 */
enum unwind_stop unwind_walk(const struct unwind_walk *walk, struct unwind_regs regs,
			     size_t *ret_count);

#endif
