/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/plausible.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "store/recording-private.h"

#define CPUS_MAX 65536u			   /* rows with this or a higher CPU number were refused */
#define TIME_MAX_NS (UINT64_C(1) << 47)	   /* CPUS_MAX times this value fits in 64 bits */
#define SAMPLES_MAX (UINT64_C(1) << 47)
#define FRAMES_MAX 1024u		   /* per stack; no walk has so many frames */
#define COUNT_SLACK 100u		   /* slack for interrupts between two readings */
#define LEDGER_MAX_NS (UINT64_C(1) << 59)  /* of all CPUs; a few such times fit in int64_t */

struct sums {
	uint64_t count, ns;
};

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
	return value < limit ? value : limit;
}

static uint64_t with_slack(uint64_t ns)
{
	return plus(plus(ns, ns / 10), NS_PER_SEC);
}

/* ---- CPU times ---- */

/* The modes of a CPU together last as long as the CPU; twice that leaves room for odd kernels. */
static bool cpu_can_be(const struct cpu_ledger *cpu, uint64_t max_ns)
{
	uint64_t wall_ns = cpu->end_ns > cpu->start_ns ? cpu->end_ns - cpu->start_ns : 0;
	uint64_t modes_ns = 0;

	for (int i = 0; i < CPU_TIME_COUNT; i++)
		if (cpu->last_ns[i] > cpu->first_ns[i])
			modes_ns = plus(modes_ns, cpu->last_ns[i] - cpu->first_ns[i]);
	return wall_ns <= max_ns && modes_ns <= with_slack(2 * wall_ns) &&
	       cpu->sample_count <= SAMPLES_MAX && cpu->idle_count <= SAMPLES_MAX;
}

/* A part of the CPUs is of no use for a comparison with the samples, so all are removed. */
static uint64_t settle_ledger(struct ledger *ledger)
{
	uint64_t damaged = 0;

	for (size_t i = 0; i < ledger->cpus.count; i++)
		damaged += !cpu_can_be(&ledger->cpus.at[i], LEDGER_MAX_NS / ledger->cpus.count);
	if (damaged)
		ledger->cpus.count = 0;
	return damaged;
}

/* ---- walks by image ---- */

static bool walks_can_be(const struct image_health *health, uint64_t samples_max)
{
	uint64_t stopped = 0;

	for (int stop = 0; stop < WALK_STOP_COUNT; stop++)
		stopped = plus(stopped, health->stopped[stop]);
	return health->samples <= samples_max && health->whole <= health->samples &&
	       health->from_bytes <= health->samples && stopped <= health->samples &&
	       health->frame_pointer_frames / FRAMES_MAX <= health->samples;
}

static uint64_t settle_walks(struct model *model, uint64_t samples_max)
{
	struct walk_health *walks = &model->walk_health;
	uint64_t cleared = 0;

	for (size_t i = 0; i < walks->images.count; i++) {
		if (walks_can_be(&walks->images.at[i], samples_max))
			continue;
		walks->images.at[i] = (struct image_health){ 0 };
		cleared++;
	}
	return cleared;
}

/* ---- interrupts ---- */

/*
 * Returns the maximum time that a CPU can have spent on anything: the length of the run, with
 * slack.
 */
static uint64_t run_max_ns(const struct model *model)
{
	uint64_t start_ns = model_fact_u64(model, FACT_START_NS);
	uint64_t end_ns = model_fact_u64(model, FACT_END_NS);

	for (size_t i = 0; i < model->ledger.cpus.count; i++)
		if (model->ledger.cpus.at[i].end_ns > end_ns)
			end_ns = model->ledger.cpus.at[i].end_ns;
	if (start_ns >= end_ns)
		return TIME_MAX_NS;
	return at_most(with_slack(end_ns - start_ns), TIME_MAX_NS);
}

/*
 * If the sums of a CPU are impossible, removes all rows of that CPU, because it is not known which
 * of them are wrong. Returns the number of removed rows.
 */
static uint64_t settle_times(struct interrupts *interrupts, const struct sums *by_cpu,
			     uint64_t max_ns)
{
	size_t count = interrupts->times.count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct interrupt_time *time = &interrupts->times.at[i];
		const struct sums *sums = &by_cpu[time->cpu % CPUS_MAX];

		if (sums->ns <= max_ns && sums->count <= max_ns)
			interrupts->times.at[kept++] = *time;
	}
	interrupts->times.count = kept;
	return count - kept;
}

/* Adds up the measured interrupts: levels[0] gets the hardirqs, levels[1] the softirqs. */
static void add_levels(const struct interrupts *interrupts, struct sums levels[static 2])
{
	for (size_t i = 0; i < interrupts->times.count; i++) {
		const struct interrupt_time *time = &interrupts->times.at[i];
		struct sums *level = &levels[time->kind == INTERRUPT_SOFTIRQ];

		if (time->kind >= INTERRUPT_UNTIMED)
			continue;
		level->count += time->count;
		level->ns += time->ns;
	}
}

static uint64_t settle_victims(struct interrupts *interrupts)
{
	size_t count = interrupts->victims.count, kept = 0;
	struct sums measured[2] = { 0 }, charged[2] = { 0 };

	add_levels(interrupts, measured);
	for (size_t i = 0; i < count; i++) {
		const struct interrupt_victim *victim = &interrupts->victims.at[i];

		charged[victim->soft].count = plus(charged[victim->soft].count, victim->count);
		charged[victim->soft].ns = plus(charged[victim->soft].ns, victim->ns);
	}
	for (size_t i = 0; i < count; i++) {
		bool soft = interrupts->victims.at[i].soft;

		if (charged[soft].ns <= with_slack(measured[soft].ns) &&
		    charged[soft].count / 11 <= measured[soft].count / 10 + COUNT_SLACK)
			interrupts->victims.at[kept++] = interrupts->victims.at[i];
	}
	interrupts->victims.count = kept;
	return count - kept;
}

static int settle_interrupts(struct model *model, uint64_t *cleared)
{
	struct interrupts *interrupts = &model->interrupts;
	struct sums *by_cpu = calloc(CPUS_MAX, sizeof(*by_cpu));

	if (!by_cpu)
		return -ENOMEM;
	for (size_t i = 0; i < interrupts->times.count; i++) {
		const struct interrupt_time *time = &interrupts->times.at[i];
		struct sums *sums = &by_cpu[time->cpu % CPUS_MAX];

		sums->count = plus(sums->count, time->count);
		sums->ns = plus(sums->ns, time->ns);
	}
	*cleared += settle_times(interrupts, by_cpu, run_max_ns(model));
	free(by_cpu);
	*cleared += settle_victims(interrupts);
	return 0;
}

/* ---- spans ---- */

/* Forgets amounts that lack more calls than there are. Returns how many. */
static uint64_t settle_amounts(struct span_total *total)
{
	size_t count = total->amounts.count, kept = 0;

	for (size_t i = 0; i < count; i++)
		if (total->amounts.at[i].missing <= total->count)
			total->amounts.at[kept++] = total->amounts.at[i];
	total->amounts.count = kept;
	return count - kept;
}

/* The histogram has each span once, and the sum of the durations is between its limits. */
static bool is_possible(const struct span_total *total)
{
	uint64_t count = 0;

	for (size_t i = 0; i < total->buckets.count; i++)
		count = plus(count, total->buckets.at[i].count);
	return count == total->count && total->least_ns <= total->most_ns &&
	       total->square_ns2 >= 0 && isfinite(total->square_ns2) &&
	       (total->count == 0 || total->ns / total->count <= total->most_ns);
}

static uint64_t settle_spans(struct span_totals *totals)
{
	size_t count = totals->rows.count, kept = 0;
	uint64_t amounts = 0;

	for (size_t i = 0; i < count; i++) {
		amounts += settle_amounts(&totals->rows.at[i]);
		if (is_possible(&totals->rows.at[i]))
			totals->rows.at[kept++] = totals->rows.at[i];
		else
			span_total_fini(&totals->rows.at[i]);
	}
	totals->rows.count = kept;
	return count - kept + amounts;
}

/*
 * Returns an upper limit for the number of samples of the run, stored or lost. Returns UINT64_MAX
 * if the file has any damage, because the number is then unknown. An altered table counts only if
 * the number is from it.
 */
static uint64_t samples_of_run(const struct recording *recording, const struct model *model)
{
	int64_t stored = statement_integer(recording->db,
					   "SELECT min(total(max(count, 0)), 1e15) FROM block"
					   " WHERE kind = 'sample'",
					   INT64_MAX);
	const uint32_t needed = SEAL_BIT(SEAL_BLOCK) | SEAL_BIT(SEAL_LOSS);
	uint64_t sum = (uint64_t)stored;

	if ((recording->seals.trusted & needed) != needed)
		return UINT64_MAX;
	for (enum loss reason = 0; reason < LOSS_COUNT; reason++) {
		if (recording->found.count[reason] && reason != LOSS_TABLE_ALTERED)
			return UINT64_MAX;
		sum = plus(sum, model->losses.count[reason]);
	}
	return sum;
}

int plausible_settle(struct recording *recording, struct model *model, struct err *err)
{
	uint64_t samples_max = at_most(samples_of_run(recording, model), SAMPLES_MAX);
	uint64_t cleared = settle_walks(model, samples_max) + settle_ledger(&model->ledger);
	int rc = 0;

	if (model->interrupts.times.count || model->interrupts.victims.count)
		rc = settle_interrupts(model, &cleared);
	cleared += settle_spans(&model->spans);
	loss_add(&recording->found, LOSS_ROW_DAMAGED, cleared);
	return rc < 0 ? err_sys(err, rc, "%s", recording->path) : 0;
}
