/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpus.h - sets of CPU numbers, as the kernel writes them
 *
 *	"0-3,8"		what -C takes and /sys/devices/system/cpu/online says
 *
 * Kept as an ascending array without repetitions; its shape is that of base/vec.h.  Start
 * from `struct cpus cpus = VEC_INIT` and end with cpus_fini().
 */
#ifndef ASSAY_PERF_CPUS_H
#define ASSAY_PERF_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define CPUS_MAX 8192	/* the most that any kernel is configured for */

struct cpus {
	int *at;
	size_t count;
	size_t capacity;
};

void cpus_fini(struct cpus *cpus);

/* Replaces what *ret_cpus held. -EINVAL names the part of @text that is no CPU or range. */
int cpus_parse(const char *text, struct cpus *ret_cpus, struct err *err);

/* The CPUs that are online now. */
int cpus_online(struct cpus *ret_cpus, struct err *err);

bool cpus_has(const struct cpus *cpus, int cpu);

/* Takes out of @cpus what is not in @others. */
void cpus_intersect(struct cpus *cpus, const struct cpus *others);

#endif
