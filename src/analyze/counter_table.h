/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_table.h - readings of counters, run by run
 *
 *	struct counter_table table = { .kinds = kinds, .kind_count = 4, .event_count = 3,
 *				       .place_count = 1 };
 *	counter_table_add(&table, readings, 2, times_ns);	adds a run; sums over two places
 *	counter_table_row(&table, 0, 1, &row);
 *	counter_table_fini(&table);
 *
 * A place is a CPU or a thread whose counters were read. The first event_count kinds are events
 * that the kernel counted. All other kinds are durations of the run, which are the same for all
 * places. The first of these durations is the elapsed time.
 */
#ifndef ASSAY_ANALYZE_COUNTER_TABLE_H
#define ASSAY_ANALYZE_COUNTER_TABLE_H

#include "analyze/counter_ratio.h"
#include "analyze/counter_stats.h"
#include "base/vec.h"

struct counter_table {
	const struct counter_kind *kinds;	/* owned by the caller */
	size_t kind_count, event_count;
	/* number of places shown separately; 1: one sum over all places */
	size_t place_count;
	size_t run_count;
	VEC(struct counter_value) values;	/* ordered by run, then by place, then by kind */
};

struct counter_row {
	struct spread spread;		/* over the runs */
	double counted_share;		/* mean of the counted share over the runs */
	bool scaled, partial;		/* true if the flag is true for at least one run */
	bool has_ratio;
	struct counter_ratio ratio;
	struct spread ratio_spread;
};

/*
 * Adds a run. @readings has event_count readings for each of @reading_places places. @times_ns has
 * one value for each kind that is a duration. Returns 0 or -ENOMEM.
 */
int counter_table_add(struct counter_table *table, const struct counter_reading *readings,
		      size_t reading_places, const double *times_ns);

/* Removes all runs, for the next interval. */
void counter_table_clear(struct counter_table *table);
void counter_table_fini(struct counter_table *table);

const struct counter_value *counter_table_value(const struct counter_table *table, size_t run,
						size_t place, size_t kind);

/* Returns 0 or -ENOMEM. */
int counter_table_row(const struct counter_table *table, size_t place, size_t kind,
		      struct counter_row *ret_row);

#endif
