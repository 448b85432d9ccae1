/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/cleanup.h"
#include "symbolize/jit_history.h"

/*
 * Which addresses were claimed by claims that came later. The points are all addresses where claims
 * begin or end. From next[i], the pieces between points i and next[i] are claimed already; the
 * links are shortened when they are followed.
 */
struct cover {
	VEC(uint64_t) points;		/* in order */
	VEC(uint32_t) next;
};

static void cover_fini(struct cover *cover)
{
	vec_free(&cover->points);
	vec_free(&cover->next);
}

static int compare_points(const void *a, const void *b, void *context)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static int make_cover(struct cover *cover, const struct jit_history *history)
{
	size_t claim_count = history->claims.count, count = 0;

	if (vec_reserve(&cover->points, 2 * claim_count) < 0 ||
	    vec_reserve(&cover->next, 2 * claim_count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < claim_count; i++) {
		cover->points.at[2 * i] = history->claims.at[i].start_addr;
		cover->points.at[2 * i + 1] = history->claims.at[i].end_addr;
	}
	qsort_r(cover->points.at, 2 * claim_count, sizeof(*cover->points.at), compare_points, NULL);
	for (size_t i = 0; i < 2 * claim_count; i++)
		if (count == 0 || cover->points.at[i] != cover->points.at[count - 1])
			cover->points.at[count++] = cover->points.at[i];
	for (size_t i = 0; i < count; i++)
		cover->next.at[i] = (uint32_t)i;
	cover->points.count = cover->next.count = count;
	return 0;
}

static uint32_t point_at(const struct cover *cover, uint64_t addr)
{
	size_t low = 0, high = cover->points.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cover->points.at[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static uint32_t next_free(struct cover *cover, uint32_t i)
{
	uint32_t *next = cover->next.at;

	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/* Claims the range. Returns true if part of it was still free. */
static bool take(struct cover *cover, const struct jit_claim *claim)
{
	uint32_t i = next_free(cover, point_at(cover, claim->start_addr));
	uint32_t end = point_at(cover, claim->end_addr);
	bool was_free = i < end;

	for (; i < end; i = next_free(cover, i + 1))
		cover->next.at[i] = i + 1;
	return was_free;
}

/* The latest first. Claims of several threads are not read exactly in the order of their times. */
static int compare_times(const void *a, const void *b, void *context)
{
	const struct jit_history *history = context;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	uint64_t left_ns = history->claims.at[left].by_ns;
	uint64_t right_ns = history->claims.at[right].by_ns;

	if (left_ns != right_ns)
		return left_ns < right_ns ? 1 : -1;
	return (left < right) - (left > right);
}

/* Sets keep[id] for each claim that is still in force somewhere. */
static int keep_those_in_force(struct jit_history *history, uint8_t *keep)
{
	size_t count = history->claims.count;
	_cleanup_free_ uint32_t *order = malloc((count + 1) * sizeof(*order));
	_cleanup_(cover_fini) struct cover cover = { 0 };

	if (!order || make_cover(&cover, history) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_times, history);
	for (size_t i = 0; i < count; i++)
		keep[order[i]] |= take(&cover, &history->claims.at[order[i]]);
	return 0;
}

static void keep_those_of_spots(const struct jit_history *history, uint8_t *keep)
{
	for (size_t i = 0; i < history->spots.count; i++)
		for (size_t k = 0; k < history->spots.at[i].claims.count; k++)
			keep[history->spots.at[i].claims.at[k]] = 1;
}

/* Indices without the claims that leave: @names and @by_start. Fills @ids by old id. */
static int make_indices(struct jit_history *history, const uint8_t *keep, uint32_t *ids,
			struct strpool *names, struct u64map *by_start)
{
	uint32_t count = 0;
	int rc = strpool_init(names);

	for (size_t i = 0; i < history->claims.count && rc == 0; i++) {
		struct jit_claim *claim = &history->claims.at[i];
		const char *name = jit_history_name(history, claim);
		uint32_t unused;

		ids[i] = count;
		if (!keep[i])
			continue;
		rc = strpool_intern(names, name, strlen(name), &unused);
		if (rc == 0)
			rc = u64map_put(by_start, claim->start_addr, ++count);
	}
	return rc;
}

static void move_claims(struct jit_history *history, const uint8_t *keep, const uint32_t *ids,
			struct strpool *names)
{
	uint64_t latest_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < history->claims.count; i++) {
		struct jit_claim claim = history->claims.at[i];

		if (claim.by_ns > latest_ns)
			latest_ns = claim.by_ns;
		if (!keep[i])
			continue;
		claim.name = strpool_find(names, jit_history_name(history, &claim));
		history->claims.at[count++] = claim;
	}
	if (count < history->claims.count && latest_ns > history->compacted_ns)
		history->compacted_ns = latest_ns;
	history->claims.count = history->settled_claims = count;
	for (size_t i = 0; i < history->spots.count; i++)
		for (size_t k = 0; k < history->spots.at[i].claims.count; k++) {
			uint32_t *id = &history->spots.at[i].claims.at[k];

			*id = ids[*id];
		}
}

void jit_history_compact(struct jit_history *history)
{
	_cleanup_free_ uint8_t *keep = calloc(history->claims.count + 1, 1);
	_cleanup_free_ uint32_t *ids = calloc(history->claims.count + 1, sizeof(*ids));
	struct strpool names = { 0 };
	struct u64map by_start = { 0 };

	if (!keep || !ids || keep_those_in_force(history, keep) < 0)
		return;
	jit_history_settle(history);
	keep_those_of_spots(history, keep);
	if (make_indices(history, keep, ids, &names, &by_start) == 0) {
		move_claims(history, keep, ids, &names);
		strpool_fini(&history->names);
		u64map_fini(&history->by_start);
		history->names = names;
		history->by_start = by_start;
		jit_history_count_bytes(history);
		return;
	}
	strpool_fini(&names);
	u64map_fini(&by_start);
}
