/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overview.h - everything the full report shows, worked out once
 *
 * Text and JSON are two ways to print one overview.  All of it is of one event.  Each table is
 * one pass over the hits; what is shown per process is a slice of a table, so the cost does not
 * grow with processes x hits.
 *
 * Idle samples are counted by context and by CPU but are in no table: shares are of the time
 * in which something ran.
 */
#ifndef ASSAY_ANALYZE_OVERVIEW_H
#define ASSAY_ANALYZE_OVERVIEW_H

#include "analyze/account.h"
#include "analyze/group.h"
#include "analyze/health.h"
#include "analyze/timed.h"

/* One line of the summary of applications or processes. */
struct owner {
	uint32_t id;		/* application or process */
	uint32_t processes;	/* of an application: those that were sampled */
	struct count user;
	struct count sys;	/* kernel mode on its own behalf */
	struct count interrupt;	/* that happened to come while it was current */
	struct count all;
	uint64_t rank;		/* of all: count_rank() */
};

struct owners {
	VEC(struct owner) list;			/* highest rank first */
};

struct overview {
	const struct profile *profile;		/* not owned */
	uint8_t event;
	bool is_time;				/* weights are ns */
	bool by_weight;				/* shares go by weight: count.h */
	struct count contexts[CONTEXT_COUNT];
	struct count all, busy, user, sys, interrupt;	/* busy: all but idle */
	uint64_t threads_sampled, processes_sampled, applications_sampled;
	uint64_t processes_seen, applications_seen;

	struct owners applications, processes;
	double min_percent;			/* of busy; who is below is not in these 4 */
	struct group_table application_user;	/* by application and function: group_slice() */
	struct group_table application_kernel;	/* without interrupts */
	struct group_table process_user;	/* by process and function */
	struct group_table process_kernel;
	struct group_table kernel;		/* by function, with interrupts */
	struct group_table functions;		/* by function, all but idle */
	struct group_table hardirq, softirq;	/* by function */
	struct group_table hardirq_victims, softirq_victims;	/* by process */
	struct account account;
	struct health health;
	struct timed timed;			/* measured, of the whole recording */
};

/*
 * @min_percent: applications and processes with less of the busy time get no profiles of their
 * own; on a machine that compiles most processes do, and would be most of the work.
 * 0 or -ENOMEM; overview_fini() after either.
 */
int overview_make(const struct profile *profile, uint8_t event, double min_percent,
		  struct overview *ret_overview);
void overview_fini(struct overview *overview);

/* Does it have a profile of its own? */
bool overview_has_profile(const struct overview *overview, const struct owner *owner);

/*
 * More than half of at least INTERVAL_FEW samples landed late: the function is where interrupts
 * come on again after a stretch in which the clock could not fire, and is shown more time than
 * it used.
 */
static inline bool group_row_absorbs(const struct group_row *row)
{
	return row->count.samples >= INTERVAL_FEW && row->late_samples * 2 > row->count.samples;
}

#endif
