/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/walk.h"

#include <string.h>

static int unwind_read(void *memory, uint64_t addr, uint64_t *ret_value)
{
	const struct unwind_memory *copied = memory;
	uint64_t at = addr - copied->addr;

	if (addr < copied->addr || copied->size_bytes < sizeof(*ret_value) ||
	    at > copied->size_bytes - sizeof(*ret_value))
		return -1;
	memcpy(ret_value, copied->bytes + at, sizeof(*ret_value));
	return 0;
}

#include "unwind/frame_pointer.h"

/* Changes @regs from the registers of frame number @index to those of its caller. */
static enum unwind_stop to_caller(const struct unwind_walk *walk, struct unwind_regs *regs,
				  size_t index)
{
	struct unwind_memory memory = walk->memory;
	uint64_t addr = unwind_lookup_addr(regs);
	const struct unwind_rule *rule = NULL;
	struct unwind_image image;

	if (walk->by_frame_pointer)
		walk->by_frame_pointer[index] = 0;
	if (!walk->image(walk->context, addr, &image))
		return UNWIND_STOP_NO_IMAGE;
	if (image.table)
		rule = unwind_table_find(image.table, addr - image.bias);
	if (walk->by_frame_pointer)
		walk->by_frame_pointer[index] = (uint8_t)unwind_goes_by_frame_pointer(rule, regs);
	return unwind_step_code(rule, regs, &memory);
}

enum unwind_stop unwind_walk(const struct unwind_walk *walk, struct unwind_regs regs,
			     size_t *ret_count)
{
	enum unwind_stop stop = UNWIND_STOP_NOT;
	size_t count = 0;

	while (stop == UNWIND_STOP_NOT && count < walk->frames_max) {
		walk->frames[count] = unwind_frame_addr(&regs, count > 0);
		stop = to_caller(walk, &regs, count++);
	}
	*ret_count = count;
	if (walk->last)
		*walk->last = regs;
	return stop == UNWIND_STOP_NOT ? UNWIND_STOP_DEEP : stop;
}
