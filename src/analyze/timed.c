/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/timed.h"

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/u64map.h"

/*
 * The data about one process, found by its tgid. Several rows of the model may have the same tgid.
 */
struct who {
	uint64_t samples, weight;
	/* string id of the application's name, taken from the last of these rows */
	uint32_t application;
};

struct people {
	VEC(struct who) list;
	struct u64map by_tgid;	/* index into list */
	bool all_wanted;
};

static void people_fini(struct people *people)
{
	u64map_fini(&people->by_tgid);
	vec_free(&people->list);
}

static int compare_u64(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

static enum timed_level level_of(enum interrupt_kind kind)
{
	return kind == INTERRUPT_SOFTIRQ ? TIMED_SOFT : TIMED_HARD;
}

/* ---- vectors ---- */

static int by_vector(const void *a, const void *b)
{
	const struct timed_vector *left = a, *right = b;
	int order = compare_u64(left->kind, right->kind);

	return order ? order : compare_u64(left->vector, right->vector);
}

static int by_longest_vector(const void *a, const void *b)
{
	const struct timed_vector *left = a, *right = b;
	int order = compare_u64(right->ns, left->ns);

	if (order == 0)
		order = compare_u64(right->count, left->count);
	return order ? order : by_vector(a, b);
}

/*
 * The model counts interrupts that could not be timed under kinds of their own
 * (INTERRUPT_SKIPPED_*). Here they become the field `skipped` of the vector whose other interrupts
 * were timed.
 */
static struct timed_vector vector_of(const struct interrupt_time *time)
{
	struct timed_vector vector = { .kind = time->kind,
				       .vector = time->vector,
				       .name = time->name };

	if (time->kind > INTERRUPT_UNTIMED) {
		vector.kind = time->kind - INTERRUPT_SKIPPED_DEVICE;
		vector.skipped = time->count;
	} else {
		vector.count = time->count;
		vector.ns = time->ns;
	}
	return vector;
}

static int push_vector(struct timed *timed, const struct timed_vector *vector)
{
	struct timed_class *class = &timed->levels[level_of(vector->kind)];
	struct timed_vector *to = vector->kind == INTERRUPT_UNTIMED ? vec_push(&timed->untimed)
								    : vec_push(&class->vectors);

	if (!to)
		return -ENOMEM;
	*to = *vector;
	class->skipped += vector->skipped;
	return 0;
}

/* Merges rows with equal keys, which are adjacent after sorting. */
static int fold_vectors(struct timed *timed, const struct timed_vector *rows, size_t count)
{
	size_t i = 0;

	while (i < count) {
		struct timed_vector sum = rows[i++];

		for (; i < count && by_vector(&sum, &rows[i]) == 0; i++) {
			sum.count += rows[i].count;
			sum.ns += rows[i].ns;
			sum.skipped += rows[i].skipped;
		}
		if (push_vector(timed, &sum) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int make_vectors(struct timed *timed, const struct model *model)
{
	size_t count = model->interrupts.times.count;
	_cleanup_free_ struct timed_vector *rows = calloc(count + 1, sizeof(*rows));
	int rc;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		rows[i] = vector_of(&model->interrupts.times.at[i]);
	qsort(rows, count, sizeof(*rows), by_vector);
	rc = fold_vectors(timed, rows, count);
	if (rc < 0)
		return rc;
	for (int level = 0; level < TIMED_LEVELS; level++)
		if (timed->levels[level].vectors.count)
			qsort(timed->levels[level].vectors.at, timed->levels[level].vectors.count,
			      sizeof(*rows), by_longest_vector);
	if (timed->untimed.count)
		qsort(timed->untimed.at, timed->untimed.count, sizeof(*rows), by_longest_vector);
	return 0;
}

/* ---- CPUs ---- */

static int by_cpu(const void *a, const void *b)
{
	const struct timed_cpu *left = a, *right = b;

	return compare_u64(left->cpu, right->cpu);
}

/* Merges rows with equal keys, which are adjacent after sorting. */
static void fold_cpus(struct timed_class *class)
{
	size_t kept = 0;

	if (!class->cpus.count)
		return;
	qsort(class->cpus.at, class->cpus.count, sizeof(*class->cpus.at), by_cpu);
	for (size_t i = 1; i < class->cpus.count; i++) {
		struct timed_cpu *last = &class->cpus.at[kept];

		if (last->cpu == class->cpus.at[i].cpu) {
			last->count += class->cpus.at[i].count;
			last->ns += class->cpus.at[i].ns;
		} else {
			class->cpus.at[++kept] = class->cpus.at[i];
		}
	}
	class->cpus.count = kept + 1;
}

static int make_cpus(struct timed *timed, const struct model *model)
{
	for (size_t i = 0; i < model->interrupts.times.count; i++) {
		const struct interrupt_time *time = &model->interrupts.times.at[i];
		struct timed_class *class = &timed->levels[level_of(time->kind)];
		struct timed_cpu *cpu;

		if (time->kind >= INTERRUPT_UNTIMED)
			continue;
		cpu = vec_push(&class->cpus);
		if (!cpu)
			return -ENOMEM;
		*cpu = (struct timed_cpu){ .cpu = time->cpu, .count = time->count, .ns = time->ns };
		class->count += time->count;
		class->ns += time->ns;
	}
	for (int level = 0; level < TIMED_LEVELS; level++)
		fold_cpus(&timed->levels[level]);
	return 0;
}

/*
 * Returns how many ticks of the clock fit into the wall time of a CPU. The average weight of the
 * clock's samples is used as the clock's period.
 */
static double ticks_of(const struct timed *timed, const struct profile *profile)
{
	const struct event *event = &profile->model->events.at[profile->clock_event];
	uint64_t samples = profile->total_samples[profile->clock_event];
	uint64_t weight = profile->total_weight[profile->clock_event];
	double period_ns = samples ? (double)weight / (double)samples : (double)event->period;

	if (period_ns <= 0)
		period_ns = event->frequency_hz ? (double)NS_PER_SEC / (double)event->frequency_hz
						: (double)NS_PER_SEC;
	return (double)timed->wall_ns / period_ns;
}

static void compare_cpu(const struct timed *timed, const struct profile *profile,
			enum timed_level level, struct timed_cpu *cpu)
{
	static const enum context contexts[TIMED_LEVELS][2] = {
		[TIMED_HARD] = { CONTEXT_HARDIRQ, CONTEXT_NMI },
		[TIMED_SOFT] = { CONTEXT_SOFTIRQ, CONTEXT_COUNT },
	};
	double share = (double)cpu->ns / (double)timed->wall_ns;
	uint64_t samples = 0;

	for (int i = 0; i < 2 && cpu->cpu < profile->cpus.count; i++) {
		const struct cpu_total *total = &profile->cpus.at[cpu->cpu];
		enum context context = contexts[level][i];

		if (context == CONTEXT_COUNT)
			continue;
		samples += total->samples[context] + total->self_samples[context];
		cpu->sampled_ns += total->weight[context] + total->self_weight[context];
	}
	cpu->sampled = interval_of((double)samples, ticks_of(timed, profile));
	cpu->differs = share < cpu->sampled.low || share > cpu->sampled.high;
}

static void compare(struct timed *timed, const struct profile *profile)
{
	for (int level = 0; level < TIMED_LEVELS; level++) {
		struct timed_class *class = &timed->levels[level];

		for (size_t i = 0; i < class->cpus.count; i++) {
			compare_cpu(timed, profile, (enum timed_level)level, &class->cpus.at[i]);
			class->differs |= class->cpus.at[i].differs;
		}
	}
}

/* ---- victims ---- */

static struct who *who_of(struct people *people, uint32_t tgid)
{
	uint32_t at;

	if (u64map_get(&people->by_tgid, tgid, &at))
		return &people->list.at[at];
	if (u64map_put(&people->by_tgid, tgid, (uint32_t)people->list.count) < 0)
		return NULL;
	return vec_push(&people->list);
}

static int find_people(struct people *people, const struct profile *profile, uint8_t event)
{
	const struct model *model = profile->model;

	people->all_wanted = model_is_of_machine(model);
	for (size_t i = 1; i < model->processes.count; i++) {
		const struct process *process = &model->processes.at[i];
		struct who *who = who_of(people, process->tgid);

		if (!who)
			return -ENOMEM;
		who->application = application_of(model, process->application)->name;
	}
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];
		uint32_t process = thread_of(model, hit->thread)->process;
		struct who *who;

		if (hit->event != event || !process)
			continue;
		who = who_of(people, process_of(model, process)->tgid);
		if (!who)
			return -ENOMEM;
		who->samples += hit->count.samples;
		who->weight += hit->count.weight;
	}
	return 0;
}

/*
 * Returns the row of the report for a victim. If the victim's application is known, the row has the
 * application's name. If the process is not in the model and not all processes were recorded, the
 * row has the tgid INTERRUPT_OTHERS.
 */
static struct timed_victim present(const struct people *people, const struct interrupt_victim *row,
				   bool is_time)
{
	struct timed_victim victim = { row->tgid, row->name, row->count, row->ns, 0 };
	uint32_t at;

	if (u64map_get(&people->by_tgid, row->tgid, &at)) {
		const struct who *who = &people->list.at[at];

		if (who->application)
			victim.name = who->application;
		if (is_time && row->tgid && who->samples >= INTERVAL_FEW)
			victim.own_ns = who->weight;
	} else if (!people->all_wanted && row->tgid) {
		victim.tgid = INTERRUPT_OTHERS;
	}
	return victim;
}

static int by_tgid(const void *a, const void *b)
{
	const struct timed_victim *left = a, *right = b;

	return compare_u64(left->tgid, right->tgid);
}

static int by_longest_victim(const void *a, const void *b)
{
	const struct timed_victim *left = a, *right = b;
	int order = compare_u64(right->ns, left->ns);

	return order ? order : by_tgid(a, b);
}

static void fold_victims(struct timed_class *class)
{
	size_t kept = 0;

	if (!class->victims.count)
		return;
	qsort(class->victims.at, class->victims.count, sizeof(*class->victims.at), by_tgid);
	for (size_t i = 1; i < class->victims.count; i++) {
		struct timed_victim *last = &class->victims.at[kept];

		if (last->tgid == class->victims.at[i].tgid) {
			last->count += class->victims.at[i].count;
			last->ns += class->victims.at[i].ns;
		} else {
			class->victims.at[++kept] = class->victims.at[i];
		}
	}
	class->victims.count = kept + 1;
	qsort(class->victims.at, class->victims.count, sizeof(*class->victims.at),
	      by_longest_victim);
}

static uint64_t idle_ns(const struct account *account)
{
	int64_t ns = account->missing ? 0 : account->total.ns[ACCOUNT_IDLE];

	return ns > 0 ? (uint64_t)ns : 0;
}

static int make_victims(struct timed *timed, const struct profile *profile,
			const struct account *account, uint8_t event)
{
	const struct model *model = profile->model;
	bool is_time = event < model->events.count && model->events.at[event].is_time &&
		       !profile->filtered;
	_cleanup_(people_fini) struct people people = { 0 };
	int rc = find_people(&people, profile, event);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < model->interrupts.victims.count; i++) {
		const struct interrupt_victim *row = &model->interrupts.victims.at[i];
		struct timed_class *class = &timed->levels[row->soft ? TIMED_SOFT : TIMED_HARD];
		struct timed_victim *victim = vec_push(&class->victims);

		if (!victim)
			return -ENOMEM;
		*victim = present(&people, row, is_time);
		if (victim->tgid == 0)
			victim->own_ns = idle_ns(account);
	}
	for (int level = 0; level < TIMED_LEVELS; level++)
		fold_victims(&timed->levels[level]);
	return 0;
}

/* ---- everything ---- */

static uint64_t wall_ns(const struct model *model)
{
	uint64_t start_ns = model_fact_u64(model, FACT_START_NS);
	uint64_t end_ns = model_fact_u64(model, FACT_END_NS);

	for (size_t i = 0; i < model->ledger.cpus.count; i++)
		if (!model_fact(model, FACT_END_NS) && model->ledger.cpus.at[i].end_ns > end_ns)
			end_ns = model->ledger.cpus.at[i].end_ns;
	return end_ns > start_ns ? end_ns - start_ns : 0;
}

static const char *why_missing(const struct model *model)
{
	const char *fact = model_fact(model, FACT_IRQ_TIME);

	if (model->interrupts.times.count)
		return NULL;
	if (!fact)
		return "";
	return strcmp(fact, "on") == 0 ? "none occurred" : fact;
}

int timed_make(const struct profile *profile, const struct account *account, uint8_t event,
	       struct timed *ret_timed)
{
	const struct model *model = profile->model;
	struct timed *timed = ret_timed;

	*timed = (struct timed){
		.missing = why_missing(model),
		.wall_ns = wall_ns(model),
		.pair_ns = model_fact_u64(model, FACT_IRQ_TIME_PAIR_NS),
	};
	if (timed->missing)
		return 0;
	if (make_vectors(timed, model) < 0 || make_cpus(timed, model) < 0 ||
	    make_victims(timed, profile, account, event) < 0)
		return -ENOMEM;
	timed->cost_ns = timed->pair_ns *
			 (timed->levels[TIMED_HARD].count + timed->levels[TIMED_SOFT].count);
	timed->is_compared = !account->missing && timed->wall_ns &&
			     profile->clock_event < model->events.count;
	if (timed->is_compared)
		compare(timed, profile);
	return 0;
}

void timed_fini(struct timed *timed)
{
	for (int level = 0; level < TIMED_LEVELS; level++) {
		vec_free(&timed->levels[level].vectors);
		vec_free(&timed->levels[level].cpus);
		vec_free(&timed->levels[level].victims);
	}
	vec_free(&timed->untimed);
}
