/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/rows_choose.h"

#include <errno.h>
#include <stdlib.h>

#define AROUND_ROWS 3

struct ranked {
	uint64_t rank;
	size_t row;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? 1 : -1;
	return (left->row > right->row) - (left->row < right->row);
}

/*
 * Marks @row and up to AROUND_ROWS rows on each side of it as shown, nearest rows first. Marks at
 * most @room rows that were not shown before. Returns the number of these rows.
 */
static size_t show_around(bool *shown, size_t count, size_t row, size_t room)
{
	size_t used = 0;

	for (size_t distance = 0; distance <= AROUND_ROWS && used < room; distance++) {
		if (row >= distance && !shown[row - distance]) {
			shown[row - distance] = true;
			used++;
		}
		if (used < room && row + distance < count && !shown[row + distance]) {
			shown[row + distance] = true;
			used++;
		}
	}
	return used;
}

/*
 * Marks the rows that the user asked for as shown, but at most @room of them. These rows are at the
 * beginning of @ranked. Returns how many more rows can be shown.
 */
static size_t show_asked(bool *shown, const struct ranked *ranked, size_t count, size_t room)
{
	for (size_t i = 0; i < count && room && ranked[i].rank & ROW_ASKED; i++, room--)
		shown[ranked[i].row] = true;
	return room;
}

int rows_choose(const uint64_t *ranks, size_t count, size_t limit, bool **ret_shown)
{
	bool *shown = calloc(count + 1, sizeof(*shown));
	struct ranked *ranked = calloc(count + 1, sizeof(*ranked));

	if (!shown || !ranked) {
		free(shown);
		free(ranked);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ ranks[i], i };
	qsort(ranked, count, sizeof(*ranked), by_rank);
	if (limit == 0 || limit > count)
		limit = count;
	limit = show_asked(shown, ranked, count, limit);
	for (size_t i = 0; i < count && limit; i++)
		limit -= show_around(shown, count, ranked[i].row, limit);
	free(ranked);
	*ret_shown = shown;
	return 0;
}
