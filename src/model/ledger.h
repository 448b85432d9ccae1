/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - the kernel's own CPU time accounting for the sampled interval
 *
 * /proc/stat splits each CPU's time since boot by mode. It is read at the start and at the end of
 * the sampled interval. The report shows the differences next to the samples. They are the only
 * source for idle and stolen time, because a virtual CPU may deliver no ticks while idle. Source:
 * Documentation/filesystems/proc.rst, "Miscellaneous kernel statistics".
 */
#ifndef ASSAY_MODEL_LEDGER_H
#define ASSAY_MODEL_LEDGER_H

#include <stdint.h>

#include "base/vec.h"

enum cpu_time {
	CPU_TIME_USER,		/* includes guest time, excludes nice time */
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
	uint64_t end_ns;			/* CLOCK_MONOTONIC of the latest reading */
	uint64_t first_ns[CPU_TIME_COUNT];	/* since boot, in ns (the kernel's unit is 1/HZ) */
	uint64_t last_ns[CPU_TIME_COUNT];
	/* all samples of the ticking event, including those of tasks that are not recorded */
	uint64_t sample_count;
	/* of sample_count: samples that found the CPU idle and were only counted */
	uint64_t idle_count;
};

struct ledger {
	VEC(struct cpu_ledger) cpus;		/* sorted by cpu; empty without /proc/stat */
};

const char *cpu_time_name(enum cpu_time which);		/* "user", "nice", ... */

/* Returns the sum of idle_count over all CPUs. */
uint64_t ledger_idle_count(const struct ledger *ledger);

/* Returns the entry of @cpu, added as zeros if new. NULL when out of memory. */
struct cpu_ledger *ledger_cpu(struct ledger *ledger, uint32_t cpu);
void ledger_fini(struct ledger *ledger);

#endif
