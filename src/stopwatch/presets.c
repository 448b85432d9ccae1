/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/presets.h"

#include <string.h>

/* Newer machines have no fork(2) and vfork(2); the C library uses clone(2). */
#if defined(__x86_64__)
#define FORK_POINTS { "syscall:clone", "syscall:clone3", "syscall:fork", "syscall:vfork" }
#else
#define FORK_POINTS { "syscall:clone", "syscall:clone3" }
#endif

const struct stopwatch_preset stopwatch_presets[] = {
	{
		.name = "syscalls",
		.question = "Which system calls are made, and how long do they take?",
		.points = { "syscall:*" },
	},
	{
		.name = "runqueue",
		.question = "How long do tasks that could run wait for a CPU?",
		.run_queue = true,
	},
	{
		.name = "block-io",
		.question = "How long does a disk take for a request?",
		.from = "tracepoint:block:block_rq_issue",
		.to = "tracepoint:block:block_rq_complete",
		.key = "dev,sector",
	},
	{
		.name = "page-faults",
		.question = "How long does the kernel take to provide a page of memory?",
		.points = { "kernel:handle_mm_fault" },
	},
	{
		.name = "futex",
		.question = "How long do threads wait for locks?",
		.points = { "syscall:futex*" },
	},
	{
		.name = "irq",
		.question = "How long do the handlers of devices' interrupts take?",
		.from = "tracepoint:irq:irq_handler_entry",
		.to = "tracepoint:irq:irq_handler_exit",
		.key = "cpu,irq",
	},
	{
		.name = "softirq",
		.question = "How long does deferred work of interrupts take (softirq)?",
		.from = "tracepoint:irq:softirq_entry",
		.to = "tracepoint:irq:softirq_exit",
		.key = "cpu,vec",
	},
	{
		.name = "fork",
		.question = "How long does it take to make a process or thread?",
		.points = FORK_POINTS,
	},
	{
		.name = "exec",
		.question = "How long does it take to begin a program?",
		.points = { "syscall:execve", "syscall:execveat" },
	},
};

const size_t stopwatch_preset_count = sizeof(stopwatch_presets) / sizeof(stopwatch_presets[0]);

const struct stopwatch_preset *stopwatch_preset_find(const char *name)
{
	for (size_t i = 0; i < stopwatch_preset_count; i++)
		if (strcmp(stopwatch_presets[i].name, name) == 0)
			return &stopwatch_presets[i];
	return NULL;
}
