/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/context.h"

static const char *const context_names[CONTEXT_COUNT] = {
	[CONTEXT_USER] = "user",
	[CONTEXT_SYSCALL] = "syscall",
	[CONTEXT_EXCEPTION] = "exception",
	[CONTEXT_SOFTIRQ] = "softirq",
	[CONTEXT_HARDIRQ] = "hardirq",
	[CONTEXT_NMI] = "nmi",
	[CONTEXT_IDLE] = "idle",
	[CONTEXT_KTHREAD] = "kthread",
	[CONTEXT_KERNEL] = "kernel",
};

const char *context_name(enum context context)
{
	return (unsigned int)context < CONTEXT_COUNT ? context_names[context] : "?";
}

int context_of_name(const char *name)
{
	for (int context = 0; context < CONTEXT_COUNT; context++)
		if (strcmp(name, context_names[context]) == 0)
			return context;
	return -1;
}

void kernel_text_fini(struct kernel_text *text)
{
	vec_free(&text->ranges);
}

enum text_kind kernel_text_kind(const struct kernel_text *text, uint64_t addr)
{
	size_t low = 0, high = text->ranges.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct text_range *range = &text->ranges.at[middle];

		if (addr < range->start_addr)
			high = middle;
		else if (addr >= range->end_addr)
			low = middle + 1;
		else
			return range->kind;
	}
	return TEXT_OTHER;
}

static enum context without_entry(bool kernel_task)
{
	return kernel_task ? CONTEXT_KTHREAD : CONTEXT_KERNEL;
}

enum context context_of_chain(const struct kernel_text *text, const uint64_t *addrs, size_t count,
			      bool kernel_task, bool idle_task)
{
	bool scheduling = false;

	for (size_t i = 0; i < count; i++) {
		switch (kernel_text_kind(text, addrs[i])) {
		case TEXT_SOFTIRQ:
			return CONTEXT_SOFTIRQ;
		case TEXT_HARDIRQ:
			if (!scheduling)
				return CONTEXT_HARDIRQ;
			break;
		case TEXT_NMI:
			return CONTEXT_NMI;
		case TEXT_EXCEPTION:
			return CONTEXT_EXCEPTION;
		case TEXT_ENTRY:
			return CONTEXT_SYSCALL;
		case TEXT_CPUIDLE:
			return idle_task ? CONTEXT_IDLE : without_entry(kernel_task);
		case TEXT_SCHED:
			scheduling = true;
			break;
		case TEXT_OTHER:
			break;
		}
	}
	return without_entry(kernel_task);
}
