/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/tick_account.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sampler/wire_record.h"

#define COUNTS_FIRST_NS NS_PER_SEC
#define COUNTS_MOST_NS (60 * NS_PER_SEC)

struct tick_account {
	struct model *model;
	struct bpf_sampler *sampler;
	int cpu_count;
	/* counters of the event that is being read, indexed by CPU */
	struct wire_counters *by_cpu;
	/* tick counts of the timers, as last read; indexed by CPU */
	struct tick_clocks *clocks;
	bool has_clocks;
	uint64_t next_counts_ns, counts_wait_ns;
};

int tick_account_new(struct model *model, struct bpf_sampler *sampler,
		     struct tick_account **ret_account, struct err *err)
{
	struct tick_account *account = calloc(1, sizeof(*account));
	size_t cpu_count = (size_t)bpf_sampler_cpu_count(sampler);

	if (!account)
		return err_sys(err, -ENOMEM, "cannot sample inside the kernel");
	*account = (struct tick_account){
		.model = model,
		.sampler = sampler,
		.cpu_count = (int)cpu_count,
		.by_cpu = calloc(cpu_count, sizeof(*account->by_cpu)),
		.clocks = calloc(cpu_count, sizeof(*account->clocks)),
		.counts_wait_ns = COUNTS_FIRST_NS,
	};
	if (!account->by_cpu || !account->clocks) {
		tick_account_free(account);
		return err_sys(err, -ENOMEM, "cannot sample inside the kernel");
	}
	if (bpf_sampler_tick_watch(sampler))
		model_fact_set(model, FACT_TICK_WATCH, "%s", bpf_sampler_tick_watch(sampler));
	*ret_account = account;
	return 0;
}

void tick_account_free(struct tick_account *account)
{
	if (!account)
		return;
	free(account->by_cpu);
	free(account->clocks);
	free(account);
}

/* ---- the model's table of tick counts ---- */

static uint64_t due(const struct wire_counters *counters, const struct missed_ticks *missed)
{
	return counters->ticks + missed->skipped + missed->left_out + missed->silent +
	       missed->overrun + missed->overrun_idle;
}

size_t tick_account_list(const struct wire_counters *counters, const struct missed_ticks *missed,
			 struct tick_outcome ret_outcomes[static TICK_OUTCOMES_MAX])
{
	const struct tick_outcome all[] = {
		{ "due", missed->is_known ? due(counters, missed) : 0 },
		{ "ticks", counters->ticks },
		{ "skipped", missed->skipped },
		{ "left-out", missed->left_out },
		{ "silent", missed->silent },
		{ "overrun", missed->overrun },
		{ "overrun-idle", missed->overrun_idle },
		{ "unseen", missed->unseen },
	};
	size_t count = 0;

	_Static_assert(sizeof(all) / sizeof(all[0]) + WIRE_REASON_COUNT <= TICK_OUTCOMES_MAX,
		       "every outcome has room");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ret_outcomes[count++] = all[i];
	for (uint32_t reason = 0; reason < WIRE_REASON_COUNT; reason++)
		ret_outcomes[count++] = (struct tick_outcome){ wire_reason_name(reason),
							       counters->reasons[reason] };
	return count;
}

static void state(struct tick_account *account, uint32_t event, int cpu,
		  const struct missed_ticks *missed)
{
	struct tick_outcome outcomes[TICK_OUTCOMES_MAX];
	size_t count = tick_account_list(&account->by_cpu[cpu], missed, outcomes);

	for (size_t i = 0; i < count; i++)
		model_tick_set(account->model, event, (uint32_t)cpu, outcomes[i].name,
			       outcomes[i].count);
}

/* Returns true if the tick counts must be written to the model now. */
static bool counts_are_due(struct tick_account *account, bool is_final)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (is_final)
		return true;
	if (now_ns < account->next_counts_ns)
		return false;
	account->next_counts_ns = now_ns + account->counts_wait_ns;
	if (account->counts_wait_ns < COUNTS_MOST_NS)
		account->counts_wait_ns *= 2;
	return true;
}

/* ---- losses and the ledger ---- */

/*
 * Returns the number of ticks that could not be sent, because the ring was full or missing or the
 * sampler had no scratch memory.
 */
static uint64_t unsent(const struct wire_counters *counters)
{
	const uint64_t *reasons = counters->reasons;

	return reasons[WIRE_END_RING_FULL] + reasons[WIRE_END_RING_MISSING] +
	       reasons[WIRE_END_SCRATCH_MISSING];
}

static void count_losses(const struct wire_counters *counters, const struct missed_ticks *missed,
			 struct losses *losses)
{
	const uint64_t *reasons = counters->reasons;

	losses->count[LOSS_SAMPLE_RING_FULL] += unsent(counters);
	losses->count[LOSS_OUTSIDE_NAMESPACE] += reasons[WIRE_END_OTHER_NAMESPACE];
	losses->count[LOSS_STACK_NO_ROOM] += reasons[WIRE_LACK_RAW_ROOM];
	losses->count[LOSS_STACK_UNREADABLE] += reasons[WIRE_LACK_KERNEL_STACK] +
						reasons[WIRE_LACK_USER_STACK];
	losses->count[LOSS_SAMPLE_SKIPPED] += missed->skipped;
	losses->count[LOSS_TICK_OVERRUN] += missed->overrun;
}

static void add_to_ledger(struct model *model, uint32_t cpu, const struct wire_counters *counters)
{
	struct cpu_ledger *ledger = ledger_cpu(&model->ledger, cpu);

	if (!ledger)
		return;
	ledger->idle_count = counters->reasons[WIRE_END_IDLE];
	ledger->sample_count = counters->ticks - unsent(counters);
}

static struct missed_ticks missed_by(const struct tick_account *account, uint32_t event, int cpu)
{
	const struct tick_clock *clock;

	if (!account->has_clocks || event >= TICK_CLOCKS_MAX)
		return (struct missed_ticks){ 0 };
	clock = &account->clocks[cpu].clocks[event];
	return (struct missed_ticks){
		.is_known = clock->timer != 0,
		.skipped = tick_clock_skipped(clock, account->by_cpu[cpu].ticks),
		.left_out = clock->left_out,
		.silent = clock->silent + clock->in_idle,
		.unseen = clock->unseen,
		.overrun = clock->overrun,
		.overrun_idle = clock->overrun_idle,
	};
}

/* ---- updates ---- */

static void take_event(struct tick_account *account, uint32_t event, bool with_counts,
		       bool with_ledger, struct losses *losses)
{
	bpf_sampler_counters(account->sampler, event, account->by_cpu);
	for (int cpu = 0; cpu < account->cpu_count; cpu++) {
		const struct wire_counters *counters = &account->by_cpu[cpu];
		struct missed_ticks missed = missed_by(account, event, cpu);

		if (counters->ticks == 0)
			continue;
		count_losses(counters, &missed, losses);
		if (with_ledger)
			add_to_ledger(account->model, (uint32_t)cpu, counters);
		if (with_counts)
			state(account, event, cpu, &missed);
	}
}

/*
 * Reads the counters of waits. A wait is an interval in which a task did not run, and is counted
 * like a tick.
 */
static void take_waits(struct tick_account *account, bool with_counts, struct losses *losses)
{
	const struct missed_ticks none = { 0 };

	bpf_sampler_counters(account->sampler, WIRE_EVENT_WAITS, account->by_cpu);
	losses->count[LOSS_WAITS] = 0;
	for (int cpu = 0; cpu < account->cpu_count; cpu++) {
		const struct wire_counters *counters = &account->by_cpu[cpu];
		const uint64_t *reasons = counters->reasons;

		if (counters->ticks == 0)
			continue;
		losses->count[LOSS_WAITS] += unsent(counters) +
					     reasons[WIRE_END_TASK_STORAGE_MISSING] +
					     reasons[WIRE_END_WAIT_LEFT] +
					     reasons[WIRE_END_WAIT_UNSEEN];
		losses->count[LOSS_STACK_NO_ROOM] += reasons[WIRE_LACK_STACK_ROOM];
		if (with_counts)
			state(account, WIRE_EVENT_WAITS, cpu, &none);
	}
}

void tick_account_take(struct tick_account *account, size_t event_count, uint64_t points,
		       bool is_final, struct losses *losses)
{
	static const enum loss from_counters[] = {
		LOSS_SAMPLE_RING_FULL, LOSS_OUTSIDE_NAMESPACE, LOSS_STACK_NO_ROOM,
		LOSS_STACK_UNREADABLE, LOSS_SAMPLE_SKIPPED,    LOSS_TICK_OVERRUN,
	};
	bool with_counts = counts_are_due(account, is_final);

	for (size_t i = 0; i < sizeof(from_counters) / sizeof(from_counters[0]); i++)
		losses->count[from_counters[i]] = 0;
	/* The clocks must be read before the counters: see bpf_sampler_clocks(). */
	account->has_clocks = bpf_sampler_clocks(account->sampler, account->clocks) == 0;
	for (uint32_t event = 0; event < event_count; event++)
		take_event(account, event, with_counts, event == 0 && !(points & 1), losses);
	take_waits(account, with_counts, losses);
}
