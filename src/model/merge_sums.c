/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up what is counted for a whole run: losses, health, CPU time, interrupt time. */
#include <errno.h>

#include "model/merge-private.h"

/* Vectors of a kind are made unique from here on, if two machines use a number differently. */
#define VECTOR_FREE (UINT32_C(1) << 16)

static uint64_t since(uint64_t first, uint64_t last)
{
	return last > first ? last - first : 0;
}

/*
 * The CPUs with one number are one CPU, whose time goes on in the next run. So only differences
 * between the first and the last reading are added.
 */
static int add_ledger(struct model *into, const struct model *from, const struct model_map *map)
{
	for (size_t i = 0; i < from->ledger.cpus.count; i++) {
		const struct cpu_ledger *add = &from->ledger.cpus.at[i];
		struct cpu_ledger *cpu = ledger_cpu(&into->ledger, add->cpu);

		if (!cpu)
			return -ENOMEM;
		if (!cpu->start_ns) {
			*cpu = *add;
			cpu->start_ns = merge_time(map, add->start_ns);
			cpu->end_ns = merge_time(map, add->end_ns);
			continue;
		}
		cpu->end_ns += since(add->start_ns, add->end_ns);
		cpu->sample_count += add->sample_count;
		cpu->idle_count += add->idle_count;
		for (int t = 0; t < CPU_TIME_COUNT; t++)
			cpu->last_ns[t] += since(add->first_ns[t], add->last_ns[t]);
	}
	return 0;
}

static int add_health(struct model *into, const struct model *from, const struct model_map *map)
{
	for (uint32_t i = 0; i < from->walk_health.images.count && i < from->images.count; i++) {
		struct image_health health = model_health_of(from, i);
		struct image_health *sum = model_health_row(into, map->images[i]);

		if (!sum)
			return -ENOMEM;
		for (size_t which = 0; which < IMAGE_HEALTH_COUNTS; which++)
			*image_health_count(sum, which) += *image_health_count(&health, which);
	}
	return 0;
}

/* ---- interrupts ---- */

static struct interrupt_time *time_with_vector(struct interrupts *interrupts,
					       const struct interrupt_time *want)
{
	for (size_t i = 0; i < interrupts->times.count; i++) {
		struct interrupt_time *time = &interrupts->times.at[i];

		if (time->kind == want->kind && time->cpu == want->cpu &&
		    time->vector == want->vector)
			return time;
	}
	return NULL;
}

static struct interrupt_time *time_with_name(struct interrupts *interrupts,
					     const struct interrupt_time *want)
{
	for (size_t i = 0; i < interrupts->times.count; i++) {
		struct interrupt_time *time = &interrupts->times.at[i];

		if (time->kind == want->kind && time->cpu == want->cpu && time->name == want->name)
			return time;
	}
	return NULL;
}

/* The number of a device's vector can differ between boots, so its name decides. */
static int add_time(struct interrupts *interrupts, struct interrupt_time add)
{
	struct interrupt_time *time = time_with_vector(interrupts, &add);

	if (!time || time->name != add.name)
		time = time_with_name(interrupts, &add);
	if (time) {
		time->count += add.count;
		time->ns += add.ns;
		return 0;
	}
	if (time_with_vector(interrupts, &add))
		add.vector = VECTOR_FREE;
	while (time_with_vector(interrupts, &add))
		add.vector++;
	time = vec_push(&interrupts->times);
	if (!time)
		return -ENOMEM;
	*time = add;
	return 0;
}

/*
 * Returns the row to which @want is added: the process with the same tgid and name, or the sum of
 * all brief processes with its name.
 */
static struct interrupt_victim *victim_find(struct interrupts *interrupts,
					    const struct interrupt_victim *want)
{
	for (size_t i = 0; i < interrupts->victims.count; i++) {
		struct interrupt_victim *victim = &interrupts->victims.at[i];
		bool brief = victim->tgid >= INTERRUPT_BRIEF && want->tgid >= INTERRUPT_BRIEF;
		bool others = victim->tgid == INTERRUPT_OTHERS || want->tgid == INTERRUPT_OTHERS;

		if (victim->soft == want->soft && (victim->name == want->name || others) &&
		    (victim->tgid == want->tgid || (brief && !others)))
			return victim;
	}
	return NULL;
}

static bool victim_has_tgid(const struct interrupts *interrupts,
			    const struct interrupt_victim *want)
{
	for (size_t i = 0; i < interrupts->victims.count; i++)
		if (interrupts->victims.at[i].soft == want->soft &&
		    interrupts->victims.at[i].tgid == want->tgid)
			return true;
	return false;
}

/* Two processes can have one tgid in two runs. The second one then counts as a brief process. */
static int add_victim(struct interrupts *interrupts, struct interrupt_victim add)
{
	struct interrupt_victim *victim = victim_find(interrupts, &add);

	if (!victim && victim_has_tgid(interrupts, &add)) {
		add.tgid = INTERRUPT_BRIEF;
		victim = victim_find(interrupts, &add);
		while (!victim && victim_has_tgid(interrupts, &add))
			add.tgid++;
	}
	if (!victim) {
		victim = vec_push(&interrupts->victims);
		if (!victim)
			return -ENOMEM;
		*victim = add;
		return 0;
	}
	victim->count += add.count;
	victim->ns += add.ns;
	return 0;
}

static int add_interrupts(struct model *into, const struct model *from)
{
	for (size_t i = 0; i < from->interrupts.times.count; i++) {
		struct interrupt_time time = from->interrupts.times.at[i];

		time.name = model_intern(into, model_string(from, time.name));
		if (add_time(&into->interrupts, time) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < from->interrupts.victims.count; i++) {
		struct interrupt_victim victim = from->interrupts.victims.at[i];

		victim.name = model_intern(into, model_string(from, victim.name));
		if (add_victim(&into->interrupts, victim) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- everything ---- */

static void add_losses(struct model *into, const struct model *from)
{
	bool was_merged = model_fact(from, FACT_MERGED);

	for (enum loss reason = 0; reason < LOSS_COUNT; reason++)
		loss_add(&into->losses, reason, from->losses.count[reason]);
	if (model_fact(from, FACT_STATE) && !was_merged)
		loss_add(&into->losses, LOSS_MERGED_CUT, 1);
}

int merge_sums(struct model *into, const struct model *from, const struct model_map *map)
{
	int rc = add_ledger(into, from, map);

	if (rc == 0)
		rc = add_health(into, from, map);
	if (rc == 0)
		rc = add_interrupts(into, from);
	if (rc == 0)
		add_losses(into, from);
	return rc;
}
