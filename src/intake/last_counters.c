/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/last_counters.h"

static void rows_fini(struct counter_rows *rows)
{
	u64map_fini(&rows->index);
	vec_free(&rows->values);
}

void last_counters_fini(struct last_counters *last)
{
	rows_fini(&last->rows);
	rows_fini(&last->older);
}

static void forget_older(struct last_counters *last, uint64_t now_ns)
{
	if (last->older.values.count)
		last->forgotten_ns = last->older_ns;
	rows_fini(&last->older);
	last->older = last->rows;
	last->older_ns = now_ns;
	last->rows = (struct counter_rows){ 0 };
}

static uint64_t *find(const struct counter_rows *rows, size_t width, uint64_t key)
{
	uint32_t row;

	return u64map_get(&rows->index, key, &row) ? rows->values.at + (size_t)row * width : NULL;
}

uint64_t *last_counters_of(struct last_counters *last, size_t width, uint64_t key,
			   uint64_t since_ns, uint64_t now_ns, bool *ret_known)
{
	struct counter_rows *rows = &last->rows;
	uint64_t *values = find(rows, width, key);
	const uint64_t *before;

	*ret_known = true;
	if (values)
		return values;
	if (rows->values.count / width >= LAST_COUNTERS_MAX)
		forget_older(last, now_ns);
	if (vec_reserve(&rows->values, rows->values.count + width) < 0 ||
	    u64map_put(&rows->index, key, (uint32_t)(rows->values.count / width)) < 0)
		return NULL;
	values = rows->values.at + rows->values.count;
	rows->values.count += width;
	before = find(&last->older, width, key);
	*ret_known = before || since_ns >= last->forgotten_ns;
	for (size_t i = 0; i < width; i++)
		values[i] = before ? before[i] : 0;
	return values;
}
