/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/capture_memory.h"

#include "intake/sent_stacks.h"
#include "process/pins.h"
#include "sampler/bpf_sampler.h"

/* However small the budget is, this share of the usual sizes remains. */
#define SHARE_LEAST 16

static size_t share_of(uint64_t budget_bytes, size_t usual)
{
	uint64_t share = (uint64_t)usual * budget_bytes / CAPTURE_MEMORY_FULL_BYTES;

	if (share >= usual)
		return usual;
	return share > usual / SHARE_LEAST ? (size_t)share : usual / SHARE_LEAST;
}

static void set_size(size_t *limit, uint64_t value)
{
	if (!*limit)
		*limit = (size_t)value;
}

static void set_number(uint32_t *limit, size_t value)
{
	if (!*limit)
		*limit = (uint32_t)value;
}

void capture_memory_divide(uint64_t budget_bytes, struct capture_memory *memory)
{
	set_size(&memory->table_bytes, budget_bytes / 16 * 5);
	set_size(&memory->own_table_bytes, budget_bytes / 8);
	set_size(&memory->rings_bytes, budget_bytes / 16 * 3);
	set_size(&memory->sent_stack_bytes, share_of(budget_bytes, SENT_STACKS_BYTES));
	set_number(&memory->pins_max, share_of(budget_bytes, PINS_MAX));
	set_number(&memory->processes_max, share_of(budget_bytes, BPF_SAMPLER_PROCESSES));
	set_number(&memory->mappings_max, share_of(budget_bytes, BPF_SAMPLER_MAPPINGS));
	set_number(&memory->rules_max, share_of(budget_bytes, BPF_SAMPLER_RULES));
}
