/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - the kernel's own account of the same time
 *
 * /proc/stat splits each CPU's time since boot by mode.  Read at the start and at the end of
 * the sampled interval, the difference is what the report sets beside the samples, and the
 * only source for idle and stolen time: a virtual CPU need not deliver a tick while idle.
 * Source: Documentation/filesystems/proc.rst, "Miscellaneous kernel statistics".
 */
#ifndef ASSAY_MODEL_LEDGER_H
#define ASSAY_MODEL_LEDGER_H

#include <stdint.h>

#include "base/vec.h"

enum cpu_time {
	CPU_TIME_USER,		/* guest time included, nice not */
	CPU_TIME_NICE,
	CPU_TIME_SYSTEM,
	CPU_TIME_IDLE,
	CPU_TIME_IOWAIT,
	CPU_TIME_IRQ,
	CPU_TIME_SOFTIRQ,
	CPU_TIME_STEAL,
	CPU_TIME_COUNT
};

struct cpu_ledger {
	uint32_t cpu;
	uint64_t start_ns;			/* CLOCK_MONOTONIC of the first reading */
	uint64_t end_ns;			/* and of the latest */
	uint64_t first_ns[CPU_TIME_COUNT];	/* since boot, in ns (the kernel's unit is 1/HZ) */
	uint64_t last_ns[CPU_TIME_COUNT];
	uint64_t sample_count;			/* all samples of the ticking event, also those of
						   tasks that were not asked for */
	uint64_t idle_count;			/* those among them that found the CPU idle and were
						   only counted */
};

struct ledger {
	VEC(struct cpu_ledger) cpus;		/* sorted by cpu; none without /proc/stat */
};

const char *cpu_time_name(enum cpu_time which);		/* "user", "nice", ... */

/* Of all CPUs together. */
uint64_t ledger_idle_count(const struct ledger *ledger);

/* The CPU's entry, added zeroed if new; NULL when out of memory. */
struct cpu_ledger *ledger_cpu(struct ledger *ledger, uint32_t cpu);
void ledger_fini(struct ledger *ledger);

#endif
