/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick_account.h - what became of each tick of the in-kernel sampler
 *
 * Of every event and CPU the sampler counts the ticks that reach it and how each of them ended
 * (bpf/reasons.def); of clocks the timers are watched, too, so that it is known which ticks were
 * due and did not reach it (bpf/tick_clock.h):
 *
 *	due = ticks + skipped + left-out + silent + overrun + overrun-idle
 *	ticks = sent + sent-raw + idle + ...
 *
 * Losses and the ledger are brought up to date at each flush.  The facts "ticks_event_E_cpu_C",
 * for those who add up themselves, are many on a large machine: they are written at the end, and
 * while it runs at times that double, but for the last minute, so that a recording that is cut
 * short has some.
 */
#ifndef ASSAY_SAMPLER_TICK_ACCOUNT_H
#define ASSAY_SAMPLER_TICK_ACCOUNT_H

#include "sampler/bpf_sampler.h"
#include "model/model.h"

struct tick_account;

/* Ticks of one event and CPU that did not reach the sampler. */
struct missed_ticks {
	bool is_known;			/* the event is a clock whose timer is watched */
	uint64_t skipped;		/* the CPU was in bpf(2) or in another BPF program */
	uint64_t left_out;		/* of the idle task, which the event leaves out */
	uint64_t silent;		/* of the idle task, and the sampler did not run */
	uint64_t unseen;		/* among those that did, but their expiry was not seen */
	uint64_t overrun, overrun_idle;	/* never were: the timer was late; ... on an idle CPU */
};

/* @model and @sampler are borrowed. Sets the fact "tick_watch". 0 or -ENOMEM. */
int tick_account_new(struct model *model, struct bpf_sampler *sampler,
		     struct tick_account **ret_account, struct err *err);
void tick_account_free(struct tick_account *account);	/* NULL is fine */

/*
 * All that is known by now, of events 0 .. @event_count and of waits: into the ledger, the losses
 * (set, not added) and the facts.  @points: events that are tracepoints, 1 << event, which are no
 * part of the ledger of time.  @is_final: sampling has ended, the numbers stand.
 */
void tick_account_take(struct tick_account *account, size_t event_count, uint64_t points,
		       bool is_final, struct losses *losses);

/* "due 1005, ticks 1000, sent 990, idle 10, skipped 5": what is not 0, and ticks. */
void tick_account_text(const struct wire_counters *counters, const struct missed_ticks *missed,
		       char *ret_text, size_t size_bytes);

#endif
