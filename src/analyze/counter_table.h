/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_table.h - what counters said, run by run
 *
 *	struct counter_table table = { .kinds = kinds, .kind_count = 4, .event_count = 3,
 *				       .place_count = 1 };
 *	counter_table_add(&table, readings, 2, times_ns);	a run; of two places together
 *	counter_table_row(&table, 0, 1, &row);
 *	counter_table_fini(&table);
 *
 * The first event_count kinds are events that the kernel counted, the others times of the run:
 * first the time that passed, to which all places are compared.
 */
#ifndef ASSAY_ANALYZE_COUNTER_TABLE_H
#define ASSAY_ANALYZE_COUNTER_TABLE_H

#include "analyze/counter_ratio.h"
#include "analyze/counter_stats.h"
#include "base/vec.h"

struct counter_table {
	const struct counter_kind *kinds;	/* the caller's */
	size_t kind_count, event_count;
	size_t place_count;			/* shown apart; 1: all together */
	size_t run_count;
	VEC(struct counter_value) values;	/* of each run, each place, each kind */
};

struct counter_row {
	struct spread spread;		/* over the runs */
	double counted_share;		/* mean over the runs */
	bool scaled, partial;		/* in any of them */
	bool has_ratio;
	struct counter_ratio ratio;
	struct spread ratio_spread;
};

/* @reading_places places of event_count readings each; 0 or -ENOMEM. */
int counter_table_add(struct counter_table *table, const struct counter_reading *readings,
		      size_t reading_places, const double *times_ns);

/* Takes the runs out, for the next interval. */
void counter_table_clear(struct counter_table *table);
void counter_table_fini(struct counter_table *table);

const struct counter_value *counter_table_value(const struct counter_table *table, size_t run,
						size_t place, size_t kind);

/* 0 or -ENOMEM. */
int counter_table_row(const struct counter_table *table, size_t place, size_t kind,
		      struct counter_row *ret_row);

#endif
