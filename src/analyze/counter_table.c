/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/counter_table.h"

#include <math.h>

#include "base/cleanup.h"

int counter_table_add(struct counter_table *table, const struct counter_reading *readings,
		      size_t reading_places, const double *times_ns)
{
	size_t together = table->place_count == 1 ? reading_places : 1;
	size_t stride = table->event_count;

	if (vec_reserve(&table->values,
			table->values.count + table->place_count * table->kind_count) < 0)
		return -ENOMEM;
	for (size_t place = 0; place < table->place_count; place++) {
		const struct counter_reading *first = readings + place * stride;

		for (size_t kind = 0; kind < table->event_count; kind++) {
			struct counter_value value = counter_value_of(first + kind, together,
								      stride);

			if (table->kinds[kind].unit.scale > 0)
				value.value *= table->kinds[kind].unit.scale;
			table->values.at[table->values.count++] = value;
		}
		for (size_t kind = table->event_count; kind < table->kind_count; kind++)
			table->values.at[table->values.count++] = (struct counter_value){
				.value = times_ns[kind - table->event_count],
				.counted_share = 1,
			};
	}
	table->run_count++;
	return 0;
}

void counter_table_clear(struct counter_table *table)
{
	vec_clear(&table->values);
	table->run_count = 0;
}

void counter_table_fini(struct counter_table *table)
{
	vec_free(&table->values);
	table->run_count = 0;
}

const struct counter_value *counter_table_value(const struct counter_table *table, size_t run,
						size_t place, size_t kind)
{
	return &table->values.at[(run * table->place_count + place) * table->kind_count + kind];
}

/*
 * The ratio is computed for each run first. The statistics over runs are then computed from these
 * ratios.
 */
static void find_ratio(const struct counter_table *table, size_t place, size_t kind, double *values,
		       struct counter_row *row)
{
	const struct counter_ratio *ratio = &row->ratio;

	row->has_ratio = counter_ratio_find(table->kinds, table->kind_count, kind,
					    table->event_count, &row->ratio);
	if (!row->has_ratio)
		return;
	for (size_t run = 0; run < table->run_count; run++)
		values[run] = counter_ratio_value(
			ratio, counter_table_value(table, run, place, ratio->of)->value,
			counter_table_value(table, run, place, ratio->by)->value);
	row->ratio_spread = spread_of(values, table->run_count);
	row->has_ratio = isfinite(row->ratio_spread.mean);
}

int counter_table_row(const struct counter_table *table, size_t place, size_t kind,
		      struct counter_row *ret_row)
{
	_cleanup_free_ double *values = calloc(table->run_count + 1, sizeof(*values));
	struct counter_row row = { 0 };

	if (!values)
		return -ENOMEM;
	for (size_t run = 0; run < table->run_count; run++) {
		const struct counter_value *value = counter_table_value(table, run, place, kind);

		values[run] = value->value;
		row.counted_share += value->counted_share / (double)table->run_count;
		row.scaled |= value->scaled;
		row.partial |= value->partial;
	}
	row.spread = spread_of(values, table->run_count);
	find_ratio(table, place, kind, values, &row);
	*ret_row = row;
	return 0;
}
