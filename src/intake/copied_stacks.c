/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/copied_stacks.h"

#include <errno.h>

void copied_stacks_fini(struct copied_stacks *copied)
{
	u64map_fini(&copied->index);
	vec_free(&copied->list);
	*copied = (struct copied_stacks){ 0 };
}

int copied_stacks_keep(struct copied_stacks *copied, uint64_t number,
		       const struct copied_stack *stack)
{
	struct copied_stack *slot;

	if (copied->list.count == COPIED_STACKS_MAX)
		copied_stacks_fini(copied);
	slot = vec_push(&copied->list);
	if (!slot)
		return -ENOMEM;
	*slot = *stack;
	return u64map_put(&copied->index, number, (uint32_t)copied->list.count - 1);
}

bool copied_stacks_find(const struct copied_stacks *copied, uint64_t number,
			struct copied_stack *ret_stack)
{
	uint32_t index;

	if (!u64map_get(&copied->index, number, &index))
		return false;
	*ret_stack = copied->list.at[index];
	return true;
}
