/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick_account.h - accounts for every tick of the in-kernel sampler
 *
 * A tick is a moment at which an event is due for a sample. For each event and CPU, the in-kernel
 * sampler counts the ticks that reach it, separately for each outcome (bpf/reasons.def). For
 * clocks, a program also watches the timers. It counts the ticks that were due but did not reach
 * the sampler (bpf/tick_clock.h):
 *
 *	due = ticks + skipped + left-out + silent + overrun + overrun-idle
 *	ticks = sent + sent-raw + idle + ...
 *
 * Losses and the ledger are updated at each flush. The model's table of tick counts (model/tick.h)
 * allows readers to check these sums. On a machine with many CPUs the table is long, so it is not
 * written at each flush. It is written at the end of the recording. Before that, it is written at
 * intervals that double from one second up to about one minute. If a recording is cut short, only
 * the tick counts since the last writing are therefore missing.
 */
#ifndef ASSAY_SAMPLER_TICK_ACCOUNT_H
#define ASSAY_SAMPLER_TICK_ACCOUNT_H

#include "sampler/bpf_sampler.h"
#include "model/model.h"

struct tick_account;

/* Counts of irregular ticks of one event on one CPU. Most of them did not reach the sampler. */
struct missed_ticks {
	bool is_known;			/* true: the event is a clock whose timer is watched */
	/* ticks while the CPU was in bpf(2) or in another BPF program */
	uint64_t skipped;
	/* ticks in the idle task, if the event does not sample the idle task */
	uint64_t left_out;
	/* Ticks in the idle task: the timer fired but the sampler did not run */
	uint64_t silent;
	/* Ticks that reached the sampler, although the expiry of the timer was not noticed */
	uint64_t unseen;
	/*
	 * Ticks that did not happen because the timer fired more than a period late: on a busy CPU
	 * (overrun), or on an idle one (overrun_idle)
	 */
	uint64_t overrun, overrun_idle;
};

/* Borrows @model and @sampler. Sets the fact "tick_watch". Returns 0 or -ENOMEM. */
int tick_account_new(struct model *model, struct bpf_sampler *sampler,
		     struct tick_account **ret_account, struct err *err);
void tick_account_free(struct tick_account *account);	/* @account may be NULL */

/*
 * Updates the ledger, @losses and model->ticks. Takes into account waits and the events 0 ..
 * @event_count - 1, each with all ticks since the start of the recording. The counts in @losses are
 * overwritten, not increased. @points is a bit mask of the events that are tracepoints (1 <<
 * event), which have no part in the ledger of CPU time. @is_final is true if sampling has ended and
 * the numbers will not change any more.
 */
void tick_account_take(struct tick_account *account, size_t event_count, uint64_t points,
		       bool is_final, struct losses *losses);

#define TICK_OUTCOMES_MAX 64

struct tick_outcome {
	const char *name;	/* static string; docs/schema.md explains the names */
	uint64_t count;
};

/*
 * Lists every outcome of ticks with its count, even if the count is 0. Returns the number of
 * entries.
 */
size_t tick_account_list(const struct wire_counters *counters, const struct missed_ticks *missed,
			 struct tick_outcome ret_outcomes[static TICK_OUTCOMES_MAX]);

#endif
