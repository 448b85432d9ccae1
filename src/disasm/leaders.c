/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disasm/leaders.h"

#include <stdlib.h>

size_t instruction_find(const struct instructions *instructions, uint64_t vaddr)
{
	const struct instruction *list = instructions->list.at;
	size_t low = 0, high = instructions->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || vaddr - list[low - 1].vaddr >= list[low - 1].length)
		return INSTRUCTION_NONE;
	return low - 1;
}

size_t instruction_target(const struct instructions *instructions, size_t from)
{
	const struct instruction *list = instructions->list.at;
	size_t to;

	if (list[from].flow != FLOW_JUMP && list[from].flow != FLOW_BRANCH)
		return INSTRUCTION_NONE;
	if (!list[from].target)
		return INSTRUCTION_NONE;
	to = instruction_find(instructions, list[from].target);
	if (to != INSTRUCTION_NONE && list[to].vaddr != list[from].target)
		return INSTRUCTION_NONE;
	return to;
}

bool *instruction_leaders(const struct instructions *instructions)
{
	size_t count = instructions->list.count;
	bool *leaders = calloc(count + 1, sizeof(*leaders));

	for (size_t i = 0; leaders && i < count; i++) {
		size_t to = instruction_target(instructions, i);

		if (to != INSTRUCTION_NONE)
			leaders[to] = true;
		if (i + 1 < count && flow_ends_block((enum flow)instructions->list.at[i].flow))
			leaders[i + 1] = true;
	}
	if (leaders)
		leaders[0] = true;
	return leaders;
}
