/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/account.h"

#include "analyze/lookup.h"
#include "base/clock.h"

/* Limit for the CPU time of a run, 18 years. A few such times add up to less than INT64_MAX. */
#define TIME_MAX_NS (UINT64_C(1) << 59)

const char *account_entry_name(enum account_entry entry)
{
	static const char *const names[ACCOUNT_COUNT] = {
		[ACCOUNT_USER] = "user",
		[ACCOUNT_SYSTEM] = "system",
		[ACCOUNT_KTHREAD] = "kthread",
		[ACCOUNT_SOFTIRQ] = "softirq",
		[ACCOUNT_HARDIRQ] = "hardirq",
		[ACCOUNT_SELF] = "assay itself",
		[ACCOUNT_IDLE] = "idle",
		[ACCOUNT_WAKE] = "interrupts of idle",
		[ACCOUNT_UNSAMPLED] = "unsampled interrupts",
		[ACCOUNT_STEAL] = "steal",
		[ACCOUNT_LOST] = "lost",
		[ACCOUNT_UNACCOUNTED] = "unaccounted",
	};

	return (unsigned int)entry < ACCOUNT_COUNT ? names[entry] : "?";
}

const char *account_class_name(enum account_class which)
{
	static const char *const names[ACCOUNT_CLASS_COUNT] = {
		[ACCOUNT_CLASS_USER] = "user",
		[ACCOUNT_CLASS_SYSTEM] = "system",
		[ACCOUNT_CLASS_INTERRUPT] = "interrupt",
	};

	return (unsigned int)which < ACCOUNT_CLASS_COUNT ? names[which] : "?";
}

/*
 * The entry to which the samples of each context are charged; ACCOUNT_COUNT: to none. Samples of
 * the idle loop are charged to none, because the ledger takes idle time from /proc/stat (see
 * ACCOUNT_IDLE).
 */
static const enum account_entry entry_of_context[CONTEXT_COUNT] = {
	[CONTEXT_USER] = ACCOUNT_USER,	      [CONTEXT_SYSCALL] = ACCOUNT_SYSTEM,
	[CONTEXT_EXCEPTION] = ACCOUNT_SYSTEM, [CONTEXT_SOFTIRQ] = ACCOUNT_SOFTIRQ,
	[CONTEXT_HARDIRQ] = ACCOUNT_HARDIRQ,  [CONTEXT_NMI] = ACCOUNT_HARDIRQ,
	[CONTEXT_IDLE] = ACCOUNT_COUNT,	      [CONTEXT_KTHREAD] = ACCOUNT_KTHREAD,
	[CONTEXT_KERNEL] = ACCOUNT_SYSTEM,
};

static const char *why_missing(const struct profile *profile)
{
	const char *scope = model_fact(profile->model, FACT_SCOPE);

	if (profile->filtered)
		return "a filter is in force";
	if (!model_is_of_machine(profile->model))
		return "not the whole machine was sampled";
	if (!scope || strcmp(scope, "cpu") != 0)
		return "tasks were sampled, not CPUs";
	if (profile->clock_event == PROFILE_EVENT_NONE)
		return "no clock was sampled";
	if (!profile->model->ledger.cpus.count)
		return "/proc/stat could not be read";
	if (profile->total_weight[profile->clock_event] > TIME_MAX_NS)
		return "the samples stand for more time than can be";
	return NULL;
}

static enum account_class class_of(enum account_entry entry)
{
	if (entry == ACCOUNT_USER)
		return ACCOUNT_CLASS_USER;
	return entry == ACCOUNT_SOFTIRQ || entry == ACCOUNT_HARDIRQ ? ACCOUNT_CLASS_INTERRUPT
								    : ACCOUNT_CLASS_SYSTEM;
}

static void add_samples(struct account_column *column, const struct cpu_total *sampled)
{
	for (int context = 0; context < CONTEXT_COUNT; context++) {
		enum account_entry entry = entry_of_context[context];
		int64_t others_ns = (int64_t)sampled->weight[context];
		int64_t self_ns = (int64_t)sampled->self_weight[context];

		if (entry == ACCOUNT_COUNT)
			continue;
		column->ns[entry] += others_ns;
		column->ns[ACCOUNT_SELF] += self_ns;
		column->class_ns[class_of(entry)] += others_ns + self_ns;
	}
}

static uint64_t since(uint64_t first, uint64_t last)
{
	return last > first ? last - first : 0;	/* the kernel's iowait time can decrease */
}

static void add_kernel(struct account_column *column, const struct cpu_ledger *ledger)
{
	for (int i = 0; i < CPU_TIME_COUNT; i++)
		column->kernel_ns[i] = since(ledger->first_ns[i], ledger->last_ns[i]);
	column->ns[ACCOUNT_IDLE] = (int64_t)(column->kernel_ns[CPU_TIME_IDLE] +
					     column->kernel_ns[CPU_TIME_IOWAIT]);
	column->wall_ns = since(ledger->start_ns, ledger->end_ns);
	column->tick_count = ledger->sample_count;
	column->kernel_class_ns[ACCOUNT_CLASS_USER] = (int64_t)(column->kernel_ns[CPU_TIME_USER] +
								column->kernel_ns[CPU_TIME_NICE]);
	column->kernel_class_ns[ACCOUNT_CLASS_SYSTEM] = (int64_t)column->kernel_ns[CPU_TIME_SYSTEM];
	column->kernel_class_ns[ACCOUNT_CLASS_INTERRUPT] =
		(int64_t)(column->kernel_ns[CPU_TIME_IRQ] + column->kernel_ns[CPU_TIME_SOFTIRQ]);
}

/*
 * Returns the wall time that has not been charged to any entry yet (the rest). The rest is negative
 * if more than the wall time has been charged.
 */
static int64_t rest_ns(const struct account_column *column)
{
	int64_t sum = 0;

	for (int entry = 0; entry < ACCOUNT_UNACCOUNTED; entry++)
		sum += column->ns[entry];
	return (int64_t)column->wall_ns - sum;
}

/* Charges the rest to @entry, but at most @most_ns. Charges nothing if the rest is negative. */
static void explain(struct account_column *column, enum account_entry entry, int64_t most_ns)
{
	int64_t rest = rest_ns(column);

	if (rest > 0)
		column->ns[entry] = rest < most_ns ? rest : most_ns;
}

static bool is_mute(const struct account_column *column, uint64_t idle_seen, uint64_t period)
{
	uint64_t idle_ticks = period ? (uint64_t)column->ns[ACCOUNT_IDLE] / period : 0;

	return idle_ticks && (double)idle_seen < ACCOUNT_MUTE_SHARE * (double)idle_ticks;
}

/* Returns @a times @b, or TIME_MAX_NS if that is less. */
static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t ns;

	return __builtin_mul_overflow(a, b, &ns) || ns > TIME_MAX_NS ? TIME_MAX_NS : ns;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * Sets ACCOUNT_WAKE to the part of the wall time that /proc/stat does not cover, within the limits
 * that account.h explains. @idle_seen is the number of ticks that found the CPU idle.
 */
static void explain_wakes(struct account_column *column, uint64_t idle_seen, uint64_t period)
{
	int64_t left_ns = (int64_t)column->wall_ns, idle_ns = column->ns[ACCOUNT_IDLE];
	int64_t timer_ns, others_ns;

	for (int i = 0; i < CPU_TIME_COUNT; i++)
		left_ns -= (int64_t)column->kernel_ns[i];
	if (!period || left_ns <= 0)
		return;
	timer_ns = (int64_t)product((uint64_t)idle_ns / period, ACCOUNT_WAKE_MAX_NS);
	column->ns[ACCOUNT_WAKE] = smaller(left_ns, timer_ns);
	others_ns = (int64_t)product(idle_seen, period) - idle_ns;
	others_ns = smaller(smaller(left_ns, others_ns) - column->ns[ACCOUNT_WAKE],
			    rest_ns(column));
	if (others_ns > 0)
		column->ns[ACCOUNT_WAKE] += others_ns;
}

static void explain_rest(struct account_column *column, uint64_t idle_seen, uint64_t period)
{
	explain_wakes(column, idle_seen, period);
	explain(column, ACCOUNT_STEAL, (int64_t)column->kernel_ns[CPU_TIME_STEAL]);
	if (column->mute)
		explain(column, ACCOUNT_UNSAMPLED, INT64_MAX);
}

/*
 * Only the total of the lost samples of all CPUs is known. So the time of lost samples may already
 * have been charged, CPU by CPU, to the entries that are guessed from the rest. If more than the
 * wall time is charged in @total, subtracts the excess from these entries.
 */
static void take_back(struct account_column *total)
{
	static const enum account_entry guesses[] = { ACCOUNT_UNSAMPLED, ACCOUNT_STEAL };

	for (size_t i = 0; i < sizeof(guesses) / sizeof(guesses[0]); i++) {
		int64_t *ns = &total->ns[guesses[i]];
		int64_t excess = -rest_ns(total);

		if (excess > 0)
			*ns -= excess < *ns ? excess : *ns;
	}
}

/*
 * Computes ACCOUNT_UNACCOUNTED and the sums of a column. All other entries of the column must be
 * final.
 */
static void close_column(struct account_column *column)
{
	column->busy_ns = 0;
	for (int entry = 0; entry <= ACCOUNT_SELF; entry++)
		column->busy_ns += column->ns[entry];
	column->ns[ACCOUNT_UNACCOUNTED] = rest_ns(column);
	column->kernel_busy_ns = 0;
	for (int i = 0; i < ACCOUNT_CLASS_COUNT; i++)
		column->kernel_busy_ns += column->kernel_class_ns[i];
}

static void add_column(struct account_column *total, const struct account_column *column)
{
	for (int entry = 0; entry < ACCOUNT_COUNT; entry++)
		total->ns[entry] += column->ns[entry];
	for (int i = 0; i < CPU_TIME_COUNT; i++)
		total->kernel_ns[i] += column->kernel_ns[i];
	for (int i = 0; i < ACCOUNT_CLASS_COUNT; i++) {
		total->class_ns[i] += column->class_ns[i];
		total->kernel_class_ns[i] += column->kernel_class_ns[i];
	}
	total->wall_ns += column->wall_ns;
	total->tick_count += column->tick_count;
}

/*
 * Returns the sampling period of the clock in ns. If the period may have changed during the run,
 * returns the average period of the samples.
 */
static uint64_t period_ns(const struct profile *profile)
{
	const struct event *event = &profile->model->events.at[profile->clock_event];
	uint64_t samples = profile->total_samples[profile->clock_event];

	if (count_goes_by_weight(event) && samples)
		return profile->total_weight[profile->clock_event] / samples;
	if (event->period)
		return event->period;
	return event->frequency_hz ? NS_PER_SEC / event->frequency_hz : 0;
}

uint64_t account_lost_samples(const struct losses *losses)
{
	return losses->count[LOSS_SAMPLE_RING_FULL] + losses->count[LOSS_SAMPLE_KERNEL_DROPPED] +
	       losses->count[LOSS_DISK_FULL] + losses->count[LOSS_SAMPLE_SKIPPED] +
	       losses->count[LOSS_WEIGHT_OVERFLOW];
}

/*
 * Returns true if only one event was sampled. All events share the rings, so the lost samples can
 * be assigned to an event only if there is one event.
 */
static bool is_alone(const struct model *model)
{
	size_t sampled = 0;

	for (size_t i = 0; i < model->events.count; i++)
		sampled += !model->events.at[i].is_counter;
	return sampled == 1;
}

static void judge(struct account *account, uint64_t period)
{
	const struct account_column *total = &account->total;
	double wall_ns = (double)total->wall_ns;

	account->class_share = (struct interval){ 0, 1 };
	if (total->wall_ns == 0)
		return;
	account->unaccounted_share = (double)total->ns[ACCOUNT_UNACCOUNTED] / wall_ns;
	for (int i = 0; i < ACCOUNT_CLASS_COUNT; i++) {
		double share = (double)(total->class_ns[i] - total->kernel_class_ns[i]) / wall_ns;

		if (fabs(share) <= fabs(account->disagreement_share))
			continue;
		account->disagreement = (enum account_class)i;
		account->disagreement_share = share;
	}
	if (period)
		account->class_share = interval_share(
			(uint64_t)total->class_ns[account->disagreement] / period,
			total->wall_ns / period);
	account->unaccounted_warns = fabs(account->unaccounted_share) > ACCOUNT_TOLERANCE;
	account->disagreement_warns = fabs(account->disagreement_share) > ACCOUNT_TOLERANCE;
}

/*
 * If only some CPUs were selected (-C), /proc/stat still lists all of them. A CPU without ticks was
 * then not selected.
 */
static bool was_sampled(const struct model *model, const struct cpu_ledger *ledger)
{
	uint64_t cpus = model_fact_u64(model, FACT_CPUS);

	return cpus == 0 || cpus >= model->ledger.cpus.count || ledger->sample_count > 0;
}

static void make_column(const struct profile *profile, const struct cpu_ledger *ledger,
			uint64_t period, struct account_column *column)
{
	const struct cpu_total *sampled = ledger->cpu < profile->cpus.count
						  ? &profile->cpus.at[ledger->cpu]
						  : NULL;
	uint64_t idle_seen = ledger->idle_count + (sampled ? sampled->samples[CONTEXT_IDLE] : 0);

	column->cpu = ledger->cpu;
	if (sampled)
		add_samples(column, sampled);
	add_kernel(column, ledger);
	column->mute = is_mute(column, idle_seen, period);
	explain_rest(column, idle_seen, period);
	close_column(column);
}

int account_make(const struct profile *profile, struct account *ret_account)
{
	const struct model *model = profile->model;
	uint64_t period;

	*ret_account = (struct account){ .missing = why_missing(profile) };
	if (ret_account->missing)
		return 0;
	period = period_ns(profile);
	for (size_t i = 0; i < model->ledger.cpus.count; i++) {
		const struct cpu_ledger *ledger = &model->ledger.cpus.at[i];
		struct account_column *column;

		if (!was_sampled(model, ledger))
			continue;
		column = vec_push(&ret_account->cpus);
		if (!column)
			return -ENOMEM;
		make_column(profile, ledger, period, column);
		add_column(&ret_account->total, column);
	}
	ret_account->lost_known = is_alone(model);
	if (ret_account->lost_known) {
		ret_account->total.ns[ACCOUNT_LOST] = (int64_t)product(
			account_lost_samples(&model->losses), period);
		take_back(&ret_account->total);
	}
	close_column(&ret_account->total);
	judge(ret_account, period);
	return 0;
}

void account_fini(struct account *account)
{
	vec_free(&account->cpus);
}
