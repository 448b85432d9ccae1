/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_lacks.h - which fields the kernel's structures lack, and which feature this costs
 *
 * The BPF programs read many fields of the kernel only if the kernel has them
 * (bpf/kernel_fields.def). Without a field, the programs load and work, but one feature is worse.
 * This compares the same list with the kernel's types (BTF). It reads the file of types once, which
 * takes about 15 ms, and needs no privilege.
 *
 * Not thread-safe, because libbpf has one global print function.
 */
#ifndef ASSAY_SAMPLER_KERNEL_LACKS_H
#define ASSAY_SAMPLER_KERNEL_LACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The features that need fields. In a set of features, bit n stands for the feature n. */
enum kernel_use {
	KERNEL_USE_SAMPLES,	/* every recording of the in-kernel sampler */
	KERNEL_USE_STACKS,	/* user stacks */
	KERNEL_USE_WAITS,
	KERNEL_USE_USER_WAITS,	/* waits of one user's tasks */
	KERNEL_USE_CLOCKS,	/* the watch on the ticks of clocks */
};

struct kernel_lack {
	const char *structure, *member;	/* such as "task_struct" and "sched_info.run_delay" */
	const char *cost;		/* what is worse, for the user; a sentence without an end */
	enum kernel_use use;		/* the feature that is worse */
};

#define KERNEL_LACKS_MAX 32

/*
 * Fills in the fields that the kernel of the BTF file @types lacks, and stores their number in
 * *ret_count. NULL is the file of the running kernel. Returns 0, or a negative errno with a message
 * if the file cannot be read.
 */
int kernel_lacks_find(const char *types, struct kernel_lack ret_lacks[static KERNEL_LACKS_MAX],
		      size_t *ret_count, struct err *err);

#endif
