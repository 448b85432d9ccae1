/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - the closed time ledger
 *
 * On a machine that is sampled as a whole by a timer, every nanosecond of every CPU belongs
 * somewhere: user + system + kernel threads + interrupts + the profiler + idle + lost + what
 * explains the rest = CPUs x wall time.  What is left over is `unaccounted`, and it is shown: a
 * positive rest is time in which ticks should have come and did not, a negative one time counted
 * twice.
 *
 * Busy time is that of the samples.  Idle time is /proc/stat's, because an idle virtual CPU need
 * not tick at all.  Three things are known to leave a rest:
 *
 * Stolen time: the host ran something else.  Both clocks went on meanwhile, so most of what
 * /proc/stat calls stolen lies inside a sample's period or inside idle time, and adding all of
 * it would count that twice.  It is believed as far as there is a rest: there it swallowed ticks.
 *
 * Interrupts of idle: the kernel stops its clock of idle time at an interrupt and starts it
 * again behind it (kernel/time/tick-sched.c), and charges the time between to nobody unless
 * its own tick falls into it.  The sampling timer is such an interrupt and cannot sample
 * itself.  The time shows as what /proc/stat leaves over of a CPU's wall time; no more than
 * ACCOUNT_WAKE_MAX_NS for each period that the CPU was idle is believed to be this.
 *
 * Unsampled interrupts: on some virtual machines the timer of one CPU fires while its idle task
 * is current, and the kernel makes no sample of it (seen with Linux 6.18 on Firecracker; perf
 * loses the same).  Interrupts that hit such a CPU while it idles are never sampled, whatever
 * they do; what such a CPU leaves over is time of theirs.  ACCOUNT_MUTE_SHARE says which.
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
#define ACCOUNT_MUTE_SHARE 0.01	/* of the ticks that its idle time should have brought */

enum account_entry {
	ACCOUNT_USER,
	ACCOUNT_SYSTEM,		/* system calls, exceptions, kernel mode of unknown entry */
	ACCOUNT_KTHREAD,
	ACCOUNT_SOFTIRQ,
	ACCOUNT_HARDIRQ,	/* and NMI */
	ACCOUNT_SELF,		/* the profiler's own process, in any context */
	ACCOUNT_IDLE,		/* and waiting for I/O; from /proc/stat */
	ACCOUNT_WAKE,		/* interrupts of idle */
	ACCOUNT_UNSAMPLED,	/* interrupts of idle, on a mute CPU */
	ACCOUNT_STEAL,		/* that took ticks away */
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
	bool mute;				/* gives no samples while idle; not of the total */
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

/* What ACCOUNT_LOST counts. */
uint64_t account_lost_samples(const struct losses *losses);

/* 0 or -ENOMEM; account_fini() after either. */
int account_make(const struct profile *profile, struct account *ret_account);
void account_fini(struct account *account);

#endif
