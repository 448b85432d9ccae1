/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/interrupt.h"

static const char *const names[] = {
	[INTERRUPT_DEVICE] = "device",
	[INTERRUPT_CPU] = "cpu",
	[INTERRUPT_SOFTIRQ] = "softirq",
	[INTERRUPT_UNTIMED] = "untimed",
	[INTERRUPT_SKIPPED_DEVICE] = "device-skipped",
	[INTERRUPT_SKIPPED_CPU] = "cpu-skipped",
	[INTERRUPT_SKIPPED_SOFTIRQ] = "softirq-skipped",
};

const char *interrupt_kind_name(enum interrupt_kind kind)
{
	return kind < INTERRUPT_KIND_COUNT ? names[kind] : "?";
}

int interrupt_kind_of_name(const char *name)
{
	for (int kind = 0; kind < INTERRUPT_KIND_COUNT; kind++)
		if (strcmp(names[kind], name) == 0)
			return kind;
	return -1;
}

void interrupts_fini(struct interrupts *interrupts)
{
	vec_free(&interrupts->times);
	vec_free(&interrupts->victims);
}
