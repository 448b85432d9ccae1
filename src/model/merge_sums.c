/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up what is counted for a whole run: losses, health, CPU time, interrupt time, spans. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/hash.h"
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

/* Finds rows by their number (vector or tgid) and by their name. Files can have a million rows. */
struct row_index {
	struct u64map by_number, by_name;
};

static void row_index_fini(struct row_index *index)
{
	u64map_fini(&index->by_number);
	u64map_fini(&index->by_name);
}

static uint64_t place_of(const struct interrupt_time *time)
{
	return (uint64_t)time->kind << 32 | time->cpu;
}

static bool time_has_number(const struct row_index *index, const struct interrupt_time *time,
			    uint32_t *ret_row)
{
	return u64map_get(&index->by_number, hash_pair(place_of(time), time->vector), ret_row);
}

static int enter_time(struct row_index *index, const struct interrupts *interrupts, size_t row)
{
	const struct interrupt_time *time = &interrupts->times.at[row];

	if (u64map_put(&index->by_number, hash_pair(place_of(time), time->vector), (uint32_t)row) <
	    0)
		return -ENOMEM;
	return u64map_put(&index->by_name, hash_pair(place_of(time), time->name), (uint32_t)row);
}

/* The number of a device's vector can differ between boots, so its name decides. */
static int add_time(struct interrupts *interrupts, struct row_index *index,
		    struct interrupt_time add)
{
	struct interrupt_time *time;
	uint32_t row;

	if ((time_has_number(index, &add, &row) && interrupts->times.at[row].name == add.name) ||
	    u64map_get(&index->by_name, hash_pair(place_of(&add), add.name), &row)) {
		interrupts->times.at[row].count += add.count;
		interrupts->times.at[row].ns += add.ns;
		return 0;
	}
	if (time_has_number(index, &add, &row))
		add.vector = VECTOR_FREE + (uint32_t)interrupts->times.count;
	while (time_has_number(index, &add, &row))
		add.vector++;
	time = vec_push(&interrupts->times);
	if (!time)
		return -ENOMEM;
	*time = add;
	return enter_time(index, interrupts, interrupts->times.count - 1);
}

static int add_times(struct model *into, const struct model *from)
{
	_cleanup_(row_index_fini) struct row_index index = { 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < into->interrupts.times.count; i++)
		rc = enter_time(&index, &into->interrupts, i);
	for (size_t i = 0; rc == 0 && i < from->interrupts.times.count; i++) {
		struct interrupt_time time = from->interrupts.times.at[i];

		time.name = model_intern(into, model_string(from, time.name));
		rc = add_time(&into->interrupts, &index, time);
	}
	return rc;
}

static bool is_brief(const struct interrupt_victim *victim)
{
	return victim->tgid >= INTERRUPT_BRIEF && victim->tgid != INTERRUPT_OTHERS;
}

static bool victim_has_tgid(const struct row_index *index, const struct interrupt_victim *victim,
			    uint32_t *ret_row)
{
	return u64map_get(&index->by_number, hash_pair(victim->soft, victim->tgid), ret_row);
}

static int enter_victim(struct row_index *index, const struct interrupts *interrupts, size_t row)
{
	const struct interrupt_victim *victim = &interrupts->victims.at[row];

	if (u64map_put(&index->by_number, hash_pair(victim->soft, victim->tgid), (uint32_t)row) < 0)
		return -ENOMEM;
	return is_brief(victim) ? u64map_put(&index->by_name, hash_pair(victim->soft, victim->name),
					     (uint32_t)row)
				: 0;
}

/*
 * Finds the row to which @want is added: the process with the same tgid and name, or the sum of all
 * brief processes with its name.
 */
static bool victim_find(const struct interrupts *interrupts, const struct row_index *index,
			const struct interrupt_victim *want, uint32_t *ret_row)
{
	if (is_brief(want))
		return u64map_get(&index->by_name, hash_pair(want->soft, want->name), ret_row);
	return victim_has_tgid(index, want, ret_row) &&
	       (want->tgid == INTERRUPT_OTHERS ||
		interrupts->victims.at[*ret_row].name == want->name);
}

/* Two processes can have one tgid in two runs. The second one then counts as a brief process. */
static int add_victim(struct interrupts *interrupts, struct row_index *index,
		      struct interrupt_victim add)
{
	bool known;
	struct interrupt_victim *victim;
	uint32_t row = 0;

	known = victim_find(interrupts, index, &add, &row);
	if (!known && victim_has_tgid(index, &add, &row)) {
		add.tgid = INTERRUPT_BRIEF + (uint32_t)interrupts->victims.count;
		known = victim_find(interrupts, index, &add, &row);
	}
	if (known) {
		interrupts->victims.at[row].count += add.count;
		interrupts->victims.at[row].ns += add.ns;
		return 0;
	}
	while (victim_has_tgid(index, &add, &row))
		add.tgid++;
	victim = vec_push(&interrupts->victims);
	if (!victim)
		return -ENOMEM;
	*victim = add;
	return enter_victim(index, interrupts, interrupts->victims.count - 1);
}

static int add_victims(struct model *into, const struct model *from)
{
	_cleanup_(row_index_fini) struct row_index index = { 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < into->interrupts.victims.count; i++)
		rc = enter_victim(&index, &into->interrupts, i);
	for (size_t i = 0; rc == 0 && i < from->interrupts.victims.count; i++) {
		struct interrupt_victim victim = from->interrupts.victims.at[i];

		victim.name = model_intern(into, model_string(from, victim.name));
		rc = add_victim(&into->interrupts, &index, victim);
	}
	return rc;
}

/* ---- spans ---- */

static int add_amounts(struct span_total *total, const struct span_total *from,
		       const struct model_map *map)
{
	for (size_t i = 0; i < from->amounts.count; i++) {
		const struct span_amount_sum *add = &from->amounts.at[i];
		struct span_amount_sum *sum = span_total_amount(total, map->events[add->counter]);

		if (!sum)
			return -ENOMEM;
		sum->total += add->total;
		sum->missing += add->missing;
		if (add->inside > sum->inside)
			sum->inside = add->inside;
	}
	return 0;
}

static int add_spans(struct model *into, const struct model *from, const struct model_map *map)
{
	for (size_t i = 0; i < from->spans.rows.count; i++) {
		const struct span_total *add = &from->spans.rows.at[i];
		struct span_total *total = span_total_of(&into->spans, map->events[add->event]);

		if (!total || span_total_add(total, add) < 0 || add_amounts(total, add, map) < 0)
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
		rc = add_times(into, from);
	if (rc == 0)
		rc = add_victims(into, from);
	if (rc == 0)
		rc = add_spans(into, from, map);
	if (rc == 0)
		add_losses(into, from);
	return rc;
}
