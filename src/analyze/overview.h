/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overview.h - all data that the full report shows, computed once
 *
 * The text and the JSON report print the same overview. An overview is about one event. Each table
 * is computed in one pass over the hits. The rows of one process are a contiguous slice of a table,
 * so no separate pass over the hits is needed for each process.
 *
 * Idle samples are counted by context and by CPU but are in no table, so shares are shares of the
 * time in which a CPU was not idle.
 */
#ifndef ASSAY_ANALYZE_OVERVIEW_H
#define ASSAY_ANALYZE_OVERVIEW_H

#include "analyze/account.h"
#include "analyze/group.h"
#include "analyze/health.h"
#include "analyze/timed.h"

/* One line of the summary of applications or of processes, which are both called owners. */
struct owner {
	uint32_t id;		/* id of an application or process */
	uint32_t processes;	/* number of its processes that were sampled; applications only */
	struct count user;
	struct count sys;	/* kernel mode on behalf of the owner itself */
	struct count interrupt;	/* interrupts that happened while the owner was current */
	struct count all;
	uint64_t rank;		/* rank by the count `all`, see count_rank() */
};

struct owners {
	VEC(struct owner) list;			/* highest rank first */
};

struct overview {
	const struct profile *profile;		/* borrowed */
	uint8_t event;
	bool is_time;				/* weights are nanoseconds */
	bool by_weight;				/* shares are shares of weight, see count.h */
	struct count contexts[CONTEXT_COUNT];
	struct count all, busy, user, sys, interrupt;	/* busy: all except idle */
	uint64_t threads_sampled, processes_sampled, applications_sampled;
	uint64_t processes_seen, applications_seen;

	struct owners applications, processes;
	/* owners with less than this percentage of busy are not in the next four tables */
	double min_percent;
	struct group_table application_user;	/* by application and function, see group_slice() */
	/* like application_user, for kernel code without interrupts */
	struct group_table application_kernel;
	struct group_table process_user;	/* by process and function */
	struct group_table process_kernel;
	/* all kernel code by function, including interrupts */
	struct group_table kernel;
	struct group_table functions;		/* by function, all except idle */
	struct group_table hardirq, softirq;	/* by function */
	struct group_table hardirq_victims, softirq_victims;	/* by process */
	struct account account;
	struct health health;
	/* measured interrupt times; always of the whole recording */
	struct timed timed;
};

/*
 * Applications and processes with less than @min_percent of the busy time get no profile of their
 * own. For example, while a machine compiles, most processes are below this limit, and their
 * profiles would be most of the work. Returns 0 or -ENOMEM. Call overview_fini() in both cases.
 */
int overview_make(const struct profile *profile, uint8_t event, double min_percent,
		  struct overview *ret_overview);
void overview_fini(struct overview *overview);

/* Returns true if the owner has a profile of its own. */
bool overview_has_profile(const struct overview *overview, const struct owner *owner);

/*
 * Returns true if more than half of the row's samples, and at least INTERVAL_FEW samples, were
 * late. Such a function enables interrupts that earlier code disabled. The clock could not fire
 * while interrupts were off, so the delayed samples land in this function, which is shown with more
 * time than it used.
 */
static inline bool group_row_absorbs(const struct group_row *row)
{
	return row->count.samples >= INTERVAL_FEW && row->late_samples * 2 > row->count.samples;
}

#endif
