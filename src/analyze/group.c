/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/group.h"

#include "analyze/slots.h"
#include "base/cleanup.h"

#define GROUP_WAITING 16

struct search {
	const struct group_row *rows;
	const uint64_t *key;
	size_t key_count;
};

static inline bool same_row(size_t row, const void *arg)
{
	const struct search *search = arg;

	for (size_t i = 0; i < search->key_count; i++)
		if (search->rows[row].key[i] != search->key[i])
			return false;
	return true;
}

/* Hits wait here until the slots of their rows are in the cache, as samples do in tally.h. */
struct grouping {
	struct group_table *table;
	struct slots slots;
	struct grouping_wait {
		const struct hit *hit;
		uint64_t key[GROUP_KEYS_MAX];
		uint64_t hash;
	} waiting[GROUP_WAITING];
	size_t waiting_count;
};

static void grouping_fini(struct grouping *grouping)
{
	slots_fini(&grouping->slots);
}

static int add_hit(struct grouping *grouping, const struct grouping_wait *wait)
{
	struct group_table *table = grouping->table;
	struct search search = { table->rows.at, wait->key, table->by_count };
	uint64_t *slot = slots_find(&grouping->slots, wait->hash, same_row, &search);
	struct group_row *row;

	if (!slot)
		return -ENOMEM;
	if (!*slot) {
		row = vec_push(&table->rows);
		if (!row)
			return -ENOMEM;
		memcpy(row->key, wait->key, sizeof(row->key));
		slots_fill(&grouping->slots, slot, wait->hash, table->rows.count - 1);
	} else {
		row = &table->rows.at[slots_row(slot)];
	}
	count_add(&row->count, &wait->hit->count);
	row->late_samples += wait->hit->late ? wait->hit->count.samples : 0;
	return 0;
}

static int add_waiting(struct grouping *grouping)
{
	for (size_t i = 0; i < grouping->waiting_count; i++)
		slots_prefetch_row(&grouping->slots, grouping->waiting[i].hash,
				   grouping->table->rows.at, sizeof(struct group_row));
	for (size_t i = 0; i < grouping->waiting_count; i++)
		if (add_hit(grouping, &grouping->waiting[i]) < 0)
			return -ENOMEM;
	grouping->waiting_count = 0;
	return 0;
}

static int let_wait(struct grouping *grouping, const struct profile *profile, const struct hit *hit)
{
	const struct group_table *table = grouping->table;
	struct grouping_wait *wait = &grouping->waiting[grouping->waiting_count++];

	*wait = (struct grouping_wait){ .hit = hit };
	for (size_t i = 0; i < table->by_count; i++) {
		wait->key[i] = dimension_key(profile, table->by[i], hit);
		wait->hash = slots_hash(wait->hash, wait->key[i]);
	}
	slots_prefetch(&grouping->slots, wait->hash);
	return grouping->waiting_count == GROUP_WAITING ? add_waiting(grouping) : 0;
}

static int compare_keys(const struct group_row *a, const struct group_row *b)
{
	for (size_t i = 0; i < GROUP_KEYS_MAX; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct group_row *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank > right->rank ? -1 : 1;
	return compare_keys(left, right);
}

static int compare_first_key(const void *a, const void *b)
{
	const struct group_row *left = a, *right = b;

	if (left->key[0] != right->key[0])
		return left->key[0] < right->key[0] ? -1 : 1;
	return compare_ranks(a, b);
}

bool group_is_selected(const void *context, const struct profile *profile, const struct hit *hit)
{
	const struct group_selection *selection = context;

	return (selection->event == GROUP_EVENT_ANY || selection->event == hit->event) &&
	       (selection->contexts >> hit->context & 1);
}

bool group_goes_by_weight(const struct profile *profile, uint8_t event)
{
	const struct model *model = profile->model;

	return event < model->events.count && count_goes_by_weight(&model->events.at[event]);
}

uint8_t group_row_event(const struct group_table *table, const struct group_row *row)
{
	for (size_t i = 0; i < table->by_count; i++)
		if (table->by[i] == BY_EVENT)
			return (uint8_t)row->key[i];
	return table->event;
}

const struct count *group_row_total(const struct group_table *table, const struct group_row *row)
{
	uint8_t event = group_row_event(table, row);

	return event < table->events.count ? &table->events.at[event] : &table->total;
}

static int add_totals(struct group_table *table, const struct hit *hit)
{
	while (table->events.count <= hit->event)
		if (!vec_push(&table->events))
			return -ENOMEM;
	count_add(&table->events.at[hit->event], &hit->count);
	count_add(&table->total, &hit->count);
	table->late_samples += hit->late ? hit->count.samples : 0;
	table->idle_samples += hit->context == CONTEXT_IDLE ? hit->count.samples : 0;
	table->event = hit->event;
	return 0;
}

/*
 * Weights of different events cannot be compared. So if the table has rows of several events, ranks
 * the rows by samples.
 */
static void rank_rows(const struct profile *profile, struct group_table *table)
{
	bool by_weight = !dimensions_have(table->by, table->by_count, BY_EVENT) &&
			 group_goes_by_weight(profile, table->event);

	for (size_t i = 0; i < table->rows.count; i++)
		table->rows.at[i].rank = count_rank(&table->rows.at[i].count, by_weight);
}

int group_hits(const struct profile *profile, const enum dimension *by, size_t by_count,
	       group_want_fn want, const void *context, struct group_table *ret_table)
{
	_cleanup_(grouping_fini) struct grouping grouping = { .table = ret_table };

	*ret_table = (struct group_table){ .by_count = by_count };
	memcpy(ret_table->by, by, by_count * sizeof(*by));
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];

		if (want && !want(context, profile, hit))
			continue;
		if (add_totals(ret_table, hit) < 0 || let_wait(&grouping, profile, hit) < 0)
			return -ENOMEM;
	}
	if (add_waiting(&grouping) < 0)
		return -ENOMEM;
	rank_rows(profile, ret_table);
	return 0;
}

void group_table_fini(struct group_table *table)
{
	vec_free(&table->rows);
	vec_free(&table->events);
}

void group_sort_by_rank(struct group_table *table)
{
	if (table->rows.count)
		qsort(table->rows.at, table->rows.count, sizeof(struct group_row), compare_ranks);
}

void group_sort_by_first_key(struct group_table *table)
{
	if (table->rows.count)
		qsort(table->rows.at, table->rows.count, sizeof(struct group_row),
		      compare_first_key);
}

static size_t first_not_below(const struct group_table *table, uint64_t first_key)
{
	size_t low = 0, high = table->rows.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->rows.at[middle].key[0] < first_key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct group_row *group_slice(const struct group_table *table, uint64_t first_key,
				    size_t *ret_count)
{
	size_t first = first_not_below(table, first_key), end = first;

	while (end < table->rows.count && table->rows.at[end].key[0] == first_key)
		end++;
	*ret_count = end - first;
	return table->rows.at + first;
}
