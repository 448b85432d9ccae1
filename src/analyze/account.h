/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - a ledger that charges all CPU time of a recording
 *
 * On a machine that is sampled as a whole by a timer, every nanosecond of every CPU belongs to one
 * entry of the ledger. All entries together should add up to CPUs x wall time. The remaining
 * difference is shown as `unaccounted`. If positive, some expected timer ticks did not come. If
 * negative, some time was counted twice.
 *
 * Busy time comes from the samples. Idle time comes from /proc/stat, because an idle virtual CPU
 * may get no ticks at all. Their sum can be less than the wall time. Three known causes of such a
 * gap have entries of their own:
 *
 * Stolen time: the host ran something else. Both clocks kept running meanwhile, so most of the
 * stolen time of /proc/stat lies inside a sample's period or inside idle time, and is already
 * counted there. Only the stolen time in which ticks were lost is missing, so at most as much
 * stolen time as the size of the gap is charged.
 *
 * Interrupts of idle: the kernel stops its idle clock at an interrupt and restarts it afterwards
 * (kernel/time/tick-sched.c). The kernel charges the time in between to nothing unless its own tick
 * falls into that time. The sampling timer is such an interrupt and cannot sample itself. That time
 * shows up as the part of a CPU's wall time that /proc/stat does not cover. At most
 * ACCOUNT_WAKE_MAX_NS per sampling period of idle time is charged to this entry.
 *
 * Unsampled interrupts: on some virtual machines the kernel makes no sample if the timer fires
 * while a CPU's idle task is current (seen on one CPU with Linux 6.18 on Firecracker; perf loses
 * the same samples). Such a CPU is called mute. Interrupts that hit a mute CPU while it idles are
 * never sampled, so the CPU's remaining gap is charged to them. ACCOUNT_MUTE_SHARE decides which
 * CPUs are mute.
 *
 * The kernel's own figures are shown next to the sampled figures. The two are compared class by
 * class, because errors of opposite sign would cancel in the sum. Each class includes the
 * profiler's own time in that class. The report warns if one class differs by more than
 * ACCOUNT_TOLERANCE of all time.
 *
 * Lost time is lost samples x period. The kernel counts losses per ring, and all events share the
 * rings, so lost time is unknown if there is more than one event.
 *
 * Each CPU has its own column with all entries except `lost`, because the recording has only the
 * total of the losses of all rings.
 */
#ifndef ASSAY_ANALYZE_ACCOUNT_H
#define ASSAY_ANALYZE_ACCOUNT_H

#include "analyze/interval.h"
#include "analyze/profile.h"

#define ACCOUNT_TOLERANCE 0.02
#define ACCOUNT_WAKE_MAX_NS 25000
#define ACCOUNT_MUTE_SHARE 0.01	/* mute: below this share of the expected idle ticks */

enum account_entry {
	ACCOUNT_USER,
	ACCOUNT_SYSTEM,		/* system calls, exceptions, kernel mode whose entry is unknown */
	ACCOUNT_KTHREAD,
	ACCOUNT_SOFTIRQ,
	ACCOUNT_HARDIRQ,	/* hardware interrupts and NMIs */
	ACCOUNT_SELF,		/* the profiler's own process, in any context */
	ACCOUNT_IDLE,		/* idle time and time waiting for I/O, from /proc/stat */
	ACCOUNT_WAKE,		/* interrupts that hit an idle CPU, up to the limit above */
	ACCOUNT_UNSAMPLED,	/* the rest of the time of interrupts that hit an idle, mute CPU */
	ACCOUNT_STEAL,		/* stolen time in which ticks were lost */
	ACCOUNT_LOST,		/* lost samples x period */
	ACCOUNT_UNACCOUNTED,
	ACCOUNT_COUNT
};

/* Classes that both the samples and the kernel distinguish. */
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
	uint64_t tick_count;			/* number of ticks during any task */
	bool mute;				/* no samples while idle; unused in the total */
};

struct account {
	/* reason why the ledger could not be made; NULL if it was made */
	const char *missing;
	VEC(struct account_column) cpus;
	struct account_column total;
	double unaccounted_share;		/* share of CPUs x wall time; signed */
	enum account_class disagreement;	/* the class that differs most */
	double disagreement_share;		/* sampled - kernel, as share of CPUs x wall time */
	/* share of the class `disagreement`, with its interval, from the samples alone */
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
