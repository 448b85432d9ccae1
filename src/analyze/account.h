/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - a ledger that charges all CPU time of a recording
 *
 * If a timer samples the whole machine, each nanosecond of each CPU is charged to one entry of the
 * ledger. The sum of all entries should be CPUs x wall time. The remaining difference is shown as
 * `unaccounted`. If it is positive, some expected timer ticks did not come. If it is negative, some
 * time was counted twice.
 *
 * Busy time comes from the samples. Idle time comes from /proc/stat, because an idle virtual CPU
 * may get no ticks at all. The sum of busy and idle time can be less than the wall time. Three
 * known causes of such a gap have entries of their own:
 *
 * Stolen time: while the host ran something else, both the sampling clock and the kernel's idle
 * clock kept running. So most of the stolen time that /proc/stat shows is already counted in the
 * period of a sample or in idle time. It is missing only where ticks were lost. So the stolen time
 * that is charged is at most the size of the gap.
 *
 * Interrupts of idle: the kernel stops its idle clock when an interrupt arrives and restarts the
 * idle clock afterwards (kernel/time/tick-sched.c). The kernel charges the time in between to
 * nothing, unless its own tick occurs during that time. The interrupt of the sampling timer is such
 * an interrupt, and the timer cannot sample its own interrupt. The time of these interrupts is the
 * part of a CPU's wall time that /proc/stat does not cover. At most ACCOUNT_WAKE_MAX_NS per
 * sampling period of idle time is charged to this entry for the sampling timer. For other
 * interrupts more is charged, but only as far as ticks have found the CPU idle for longer than the
 * kernel's idle clock ran.
 *
 * Unsampled interrupts: on some virtual machines the kernel takes no sample if the timer fires
 * while a CPU's idle task is current (seen on one CPU with Linux 6.18 on Firecracker; perf loses
 * the same samples). Such a CPU is called mute. Interrupts that occur while a mute CPU is idle are
 * never sampled, so the CPU's remaining gap is charged to them. ACCOUNT_MUTE_SHARE decides which
 * CPUs are mute.
 *
 * The kernel's own figures are shown next to the sampled figures. Each class of time is compared
 * separately, because in a sum, errors of opposite sign would cancel. Each class includes the
 * profiler's own time in that class. The report warns if the figures of one class differ by more
 * than ACCOUNT_TOLERANCE of all time.
 *
 * Lost time is the number of lost samples times the period. The kernel counts the losses of each
 * ring, and all events share the rings. So lost time is unknown if more than one event is sampled.
 *
 * Each CPU has a column of its own with all entries except `lost`, because a recording stores only
 * the total losses of all rings.
 */
#ifndef ASSAY_ANALYZE_ACCOUNT_H
#define ASSAY_ANALYZE_ACCOUNT_H

#include "analyze/interval.h"
#include "analyze/profile.h"

#define ACCOUNT_TOLERANCE 0.02
#define ACCOUNT_WAKE_MAX_NS 25000
/* a CPU is mute if it got less than this share of the ticks expected during its idle time */
#define ACCOUNT_MUTE_SHARE 0.01

enum account_entry {
	ACCOUNT_USER,
	/* system calls, exceptions, and kernel mode that was entered in an unknown way */
	ACCOUNT_SYSTEM,
	ACCOUNT_KTHREAD,
	ACCOUNT_SOFTIRQ,
	ACCOUNT_HARDIRQ,	/* hardware interrupts and NMIs */
	ACCOUNT_SELF,		/* the profiler's own process, in any context */
	ACCOUNT_IDLE,		/* idle time and time waiting for I/O, from /proc/stat */
	/* interrupts that hit an idle CPU */
	ACCOUNT_WAKE,
	/* the remaining gap of a mute CPU, charged to unsampled interrupts */
	ACCOUNT_UNSAMPLED,
	ACCOUNT_STEAL,		/* stolen time in which ticks were lost */
	ACCOUNT_LOST,		/* lost samples x period */
	ACCOUNT_UNACCOUNTED,
	ACCOUNT_COUNT
};

/* Classes of time that both the samples and the kernel distinguish. */
enum account_class {
	ACCOUNT_CLASS_USER,
	ACCOUNT_CLASS_SYSTEM,		/* including kernel threads */
	ACCOUNT_CLASS_INTERRUPT,	/* softirqs and hardirqs */
	ACCOUNT_CLASS_COUNT
};

struct account_column {
	uint32_t cpu;				/* unused in the total */
	uint64_t wall_ns;
	int64_t ns[ACCOUNT_COUNT];
	uint64_t kernel_ns[CPU_TIME_COUNT];	/* from /proc/stat, for the sampled interval */
	int64_t busy_ns, kernel_busy_ns;
	/* from the samples; includes the profiler's own time */
	int64_t class_ns[ACCOUNT_CLASS_COUNT];
	int64_t kernel_class_ns[ACCOUNT_CLASS_COUNT];
	uint64_t tick_count;			/* number of ticks, whichever task was current */
	/* the CPU is mute (see above); unused in the total */
	bool mute;
};

struct account {
	/* reason why the ledger could not be made; NULL if it was made */
	const char *missing;
	VEC(struct account_column) cpus;
	struct account_column total;
	double unaccounted_share;		/* unaccounted time / (CPUs x wall time); signed */
	/* class with the largest difference between samples and kernel */
	enum account_class disagreement;
	/* (sampled - kernel time of this class) / (CPUs x wall time) */
	double disagreement_share;
	/*
	 * 95 % interval of the share of the class `disagreement` in CPUs x wall time, from the
	 * samples alone
	 */
	struct interval class_share;
	bool unaccounted_warns, disagreement_warns;
	bool lost_known;
};

const char *account_entry_name(enum account_entry entry);
const char *account_class_name(enum account_class which);

/* Returns the number of lost samples from which ACCOUNT_LOST is computed. */
uint64_t account_lost_samples(const struct losses *losses);

/* Returns 0 or -ENOMEM. Call account_fini() in both cases. */
int account_make(const struct profile *profile, struct account *ret_account);
void account_fini(struct account *account);

#endif
