/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - the kernel's own CPU time accounting for the sampled interval
 *
 * /proc/stat shows how long each CPU has spent in each mode (user, system, idle, ...) since boot.
 * The file is read at the start and at the end of the sampled interval, and the report shows the
 * differences next to the samples. The differences are the only source for idle and stolen time,
 * because a virtual CPU may deliver no ticks while idle. Source:
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
	uint64_t start_ns;			/* time of the first reading, CLOCK_MONOTONIC */
	uint64_t end_ns;			/* time of the latest reading, CLOCK_MONOTONIC */
	/*
	 * time in each mode from boot to the first and to the latest reading, in ns (the kernel's
	 * unit is 1/HZ)
	 */
	uint64_t first_ns[CPU_TIME_COUNT];
	uint64_t last_ns[CPU_TIME_COUNT];
	/* number of samples of the timer event, including those of tasks that are not recorded */
	uint64_t sample_count;
	/* number of samples in sample_count that found the CPU idle; idle samples are not stored */
	uint64_t idle_count;
};

struct ledger {
	VEC(struct cpu_ledger) cpus;		/* sorted by cpu; empty without /proc/stat */
};

const char *cpu_time_name(enum cpu_time which);		/* returns "user", "nice", ... */

/* Returns the sum of idle_count over all CPUs. */
uint64_t ledger_idle_count(const struct ledger *ledger);

/*
 * Returns the entry of @cpu. If @cpu has no entry, adds one that is all zeros. Returns NULL when
 * out of memory.
 */
struct cpu_ledger *ledger_cpu(struct ledger *ledger, uint32_t cpu);
void ledger_fini(struct ledger *ledger);

#endif
