/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpus.h - sets of CPU numbers, in the kernel's notation
 *
 *	"0-3,8"		as accepted by -C and found in /sys/devices/system/cpu/online
 *
 * A set is an ascending array without duplicates (VEC of base/vec.h). Initialize it with `struct
 * cpus cpus = VEC_INIT` and free it with cpus_fini().
 */
#ifndef ASSAY_PERF_CPUS_H
#define ASSAY_PERF_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define CPUS_MAX 8192	/* upper bound; no kernel has a larger CONFIG_NR_CPUS */

struct cpus {
	int *at;
	size_t count;
	size_t capacity;
};

void cpus_fini(struct cpus *cpus);

/*
 * Parses @text and replaces the contents of *@ret_cpus. On -EINVAL, the message names the part of
 * @text that is not a CPU or a range.
 */
int cpus_parse(const char *text, struct cpus *ret_cpus, struct err *err);

/* Returns the CPUs that are online now. */
int cpus_online(struct cpus *ret_cpus, struct err *err);

bool cpus_has(const struct cpus *cpus, int cpu);

/* Removes from @cpus all CPUs that are not in @others. */
void cpus_intersect(struct cpus *cpus, const struct cpus *others);

#endif
