/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/ledger.h"

struct cpu_ledger *ledger_cpu(struct ledger *ledger, uint32_t cpu)
{
	struct cpu_ledger *entry;
	size_t i = 0;

	while (i < ledger->cpus.count && ledger->cpus.at[i].cpu < cpu)
		i++;
	if (i < ledger->cpus.count && ledger->cpus.at[i].cpu == cpu)
		return &ledger->cpus.at[i];
	if (!vec_push(&ledger->cpus))
		return NULL;
	entry = &ledger->cpus.at[i];
	memmove(entry + 1, entry, (ledger->cpus.count - 1 - i) * sizeof(*entry));
	*entry = (struct cpu_ledger){ .cpu = cpu };
	return entry;
}

void ledger_fini(struct ledger *ledger)
{
	vec_free(&ledger->cpus);
}

uint64_t ledger_idle_count(const struct ledger *ledger)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ledger->cpus.count; i++)
		sum += ledger->cpus.at[i].idle_count;
	return sum;
}
