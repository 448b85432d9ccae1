/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names that recordings and reports use for the model's enums. */
#include <string.h>

#include "model/image.h"
#include "model/ledger.h"
#include "model/location.h"

const char *image_kind_name(enum image_kind kind)
{
	static const char *const names[] = {
		[IMAGE_UNKNOWN] = "unknown", [IMAGE_FILE] = "file", [IMAGE_KERNEL] = "kernel",
		[IMAGE_MODULE] = "module",   [IMAGE_VDSO] = "vdso", [IMAGE_BPF] = "bpf",
		[IMAGE_JIT] = "jit",
	};

	return (unsigned int)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "?";
}

const char *quality_name(enum quality quality)
{
	static const char *const names[QUALITY_COUNT] = {
		[QUALITY_SYMTAB] = "symtab",   [QUALITY_DYNSYM] = "dynsym",
		[QUALITY_JIT] = "jit",	       [QUALITY_PLT] = "plt",
		[QUALITY_BRACKET] = "bracket", [QUALITY_BOUNDS] = "bounds",
		[QUALITY_NONE] = "none",
	};

	return (unsigned int)quality < QUALITY_COUNT ? names[quality] : "?";
}

const char *cpu_time_name(enum cpu_time which)
{
	static const char *const names[CPU_TIME_COUNT] = {
		[CPU_TIME_USER] = "user",	[CPU_TIME_NICE] = "nice",
		[CPU_TIME_SYSTEM] = "system",	[CPU_TIME_IDLE] = "idle",
		[CPU_TIME_IOWAIT] = "iowait",	[CPU_TIME_IRQ] = "irq",
		[CPU_TIME_SOFTIRQ] = "softirq", [CPU_TIME_STEAL] = "steal",
	};

	return (unsigned int)which < CPU_TIME_COUNT ? names[which] : "?";
}

static const char *const root_names[STACK_ROOT_COUNT] = {
	[STACK_ROOT_END] = "<no frame>",
	[STACK_ROOT_TRUNCATED] = "<truncated stack>",
	[STACK_ROOT_BROKEN] = "<broken stack>",
	[STACK_ROOT_NONE] = "<stack not recorded>",
};

const char *stack_root_name(enum stack_root root)
{
	return (unsigned int)root < STACK_ROOT_COUNT ? root_names[root] : "?";
}

bool stack_root_of_name(const char *name, size_t length, enum stack_root *ret_root)
{
	for (int i = 0; i < STACK_ROOT_COUNT; i++) {
		*ret_root = (enum stack_root)i;
		if (strlen(root_names[i]) == length && memcmp(root_names[i], name, length) == 0)
			return true;
	}
	return false;
}
