/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - the closed time ledger
 *
 * On a machine that is sampled as a whole by a timer, every nanosecond of every CPU belongs
 * somewhere: user + system + kernel threads + interrupts + the profiler + idle + interrupts of
 * idle + stolen + lost = CPUs x wall time.  What is left over is `unaccounted`, and it is shown:
 * a positive rest is time in which ticks should have come and did not, a negative one time
 * counted twice.
 *
 * Busy time is that of the samples.  Idle and stolen time are /proc/stat's, because an idle
 * virtual CPU need not tick at all.
 *
 * Interrupts of idle: the kernel stops its clock of idle time at an interrupt and starts it
 * again behind it (kernel/time/tick-sched.c), and charges the time between to nobody unless
 * its own tick falls into it.  The sampling timer is such an interrupt and cannot sample
 * itself.  The time shows as what /proc/stat leaves over of a CPU's wall time; no more than
 * ACCOUNT_WAKE_MAX_NS for each period that the CPU was idle is believed to be this.
 *
 * The kernel's own figures stand beside ours and are compared class by class, each with the
 * profiler's own share in it, as errors of opposite sign would cancel in the sum; where one
 * class differs by more than ACCOUNT_TOLERANCE of all time, the report says so.
 *
 * Lost time is lost samples x period.  The kernel counts losses per ring, which all events
 * share, so with more than one event it is not known.
 *
 * Per CPU all but `lost`, which the kernel counts per ring but the recording as a whole.
 */
#ifndef ASSAY_ANALYZE_ACCOUNT_H
#define ASSAY_ANALYZE_ACCOUNT_H

#include "analyze/interval.h"
#include "analyze/profile.h"

#define ACCOUNT_TOLERANCE 0.02
#define ACCOUNT_WAKE_MAX_NS 25000

enum account_entry {
	ACCOUNT_USER,
	ACCOUNT_SYSTEM,		/* system calls, exceptions, kernel mode of unknown entry */
	ACCOUNT_KTHREAD,
	ACCOUNT_SOFTIRQ,
	ACCOUNT_HARDIRQ,	/* and NMI */
	ACCOUNT_SELF,		/* the profiler's own process, in any context */
	ACCOUNT_IDLE,		/* and waiting for I/O; from /proc/stat */
	ACCOUNT_WAKE,		/* interrupts of idle */
	ACCOUNT_STEAL,		/* from /proc/stat */
	ACCOUNT_LOST,		/* lost samples x period */
	ACCOUNT_UNACCOUNTED,
	ACCOUNT_COUNT
};

/* What samples and kernel both tell apart. */
enum account_class {
	ACCOUNT_CLASS_USER,
	ACCOUNT_CLASS_SYSTEM,		/* and kernel threads */
	ACCOUNT_CLASS_INTERRUPT,	/* soft and hard */
	ACCOUNT_CLASS_COUNT
};

struct account_column {
	uint32_t cpu;				/* not of the total */
	uint64_t wall_ns;
	int64_t ns[ACCOUNT_COUNT];
	uint64_t kernel_ns[CPU_TIME_COUNT];	/* /proc/stat over the same time */
	int64_t busy_ns, kernel_busy_ns;
	int64_t class_ns[ACCOUNT_CLASS_COUNT];	/* of the samples, the profiler's own included */
	int64_t kernel_class_ns[ACCOUNT_CLASS_COUNT];
	uint64_t tick_count;			/* all that came, of whatever task */
};

struct account {
	const char *missing;			/* why there is no ledger; NULL: there is one */
	VEC(struct account_column) cpus;
	struct account_column total;
	double unaccounted_share;		/* of CPUs x wall; signed */
	enum account_class disagreement;	/* the class that differs most */
	double disagreement_share;		/* sampled - kernel, of CPUs x wall */
	struct interval class_share;		/* of that class: what samples alone can tell */
	bool unaccounted_warns, disagreement_warns;
	bool lost_known;
};

const char *account_entry_name(enum account_entry entry);
const char *account_class_name(enum account_class which);

/* 0 or -ENOMEM; account_fini() after either. */
int account_make(const struct profile *profile, struct account *ret_account);
void account_fini(struct account *account);

#endif
