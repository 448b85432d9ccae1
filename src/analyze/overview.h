/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overview.h - all data that the full report shows, computed once
 *
 * The text and the JSON report print the same overview. An overview is about one event. Each table
 * is computed in one pass over the hits. The rows of one process are a contiguous slice of a table,
 * so no separate pass over the hits is needed for each process.
 *
 * Idle samples are counted only by context and by CPU. They are not in the tables, so a share in a
 * table is a share of the time in which CPUs were not idle.
 */
#ifndef ASSAY_ANALYZE_OVERVIEW_H
#define ASSAY_ANALYZE_OVERVIEW_H

#include "analyze/account.h"
#include "analyze/group.h"
#include "analyze/health.h"
#include "analyze/timed.h"
#include "analyze/trust.h"
#include "analyze/wait_chain.h"

/*
 * One application or one process; both are called owners. The summary shows one line for each
 * owner.
 */
struct owner {
	uint32_t id;		/* id of an application or process */
	/* applications only: number of the application's processes that were sampled */
	uint32_t processes;
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
	/* the next four tables leave out owners with less than this percentage of `busy` */
	double min_percent;
	struct group_table application_user;	/* by application and function, see group_slice() */
	/* like application_user, for kernel code without interrupts */
	struct group_table application_kernel;
	struct group_table process_user;	/* by process and function */
	struct group_table process_kernel;
	/* all kernel code by function, including interrupts */
	struct group_table kernel;
	struct group_table functions;		/* by function, all except idle */
	/*
	 * samples with a function anywhere on the stack, for the first rows of @functions; empty if
	 * the profile was read without stacks
	 */
	VEC(struct count) function_totals;
	struct group_table hardirq, softirq;	/* by function */
	struct group_table hardirq_victims, softirq_victims;	/* by process */
	struct account account;
	struct health health;
	/* measured interrupt times; always of the whole recording */
	struct timed timed;
	/* where threads waited; borrowed, set by the caller after overview_make(); may be NULL */
	const struct wait_chains *waits;
};

/* as a minimum share: no application and no process gets a profile */
#define OVERVIEW_NO_PROFILES 101

/*
 * Applications and processes with less than @min_percent of the busy time get no profile of their
 * own. For example, if a machine runs a compilation, most processes are below this limit, and
 * making their profiles would take most of the time. Returns 0 or -ENOMEM. Call overview_fini() in
 * both cases.
 */
int overview_make(const struct profile *profile, uint8_t event, double min_percent,
		  struct overview *ret_overview);
void overview_fini(struct overview *overview);

static inline struct trust overview_trust(const struct overview *overview)
{
	return trust_of(overview->profile, &overview->health, &overview->account);
}

/* Returns true if the owner has a profile of its own. */
bool overview_has_profile(const struct overview *overview, const struct owner *owner);

/*
 * Returns true if the row has at least INTERVAL_FEW samples and more than half of them were late. A
 * function with such a row enables interrupts that other code had disabled. While interrupts were
 * off, the clock could not interrupt the other code. Its samples are taken later, in this function,
 * so this function is shown with more time than it used.
 */
static inline bool group_row_absorbs(const struct group_row *row)
{
	return row->count.samples >= INTERVAL_FEW && row->late_samples * 2 > row->count.samples;
}

#endif
