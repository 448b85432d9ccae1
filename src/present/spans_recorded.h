/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans_recorded.h - what a recording knows of spans (model/span.h), for spans.h to print */
#ifndef ASSAY_PRESENT_SPANS_RECORDED_H
#define ASSAY_PRESENT_SPANS_RECORDED_H

#include "analyze/filter.h"
#include "analyze/span_slow.h"
#include "model/model.h"
#include "present/spans.h"

/* Which column of struct span_times an amount of calls is in. */
struct spans_column {
	uint32_t event;		/* of the model */
	uint32_t column;	/* of samples */
	int amount;		/* enum span_amount, or -1: an event, and this is its number: */
	size_t counter;
};

struct spans_recorded {
	VEC(struct span_row) rows;	/* what took most time first */
	VEC(char *) images;		/* that rows borrow; owned */
	VEC(struct span_times) slow;	/* that rows borrow, too */
	VEC(struct spans_column) columns;
	/* What is counted: at most SPAN_EVENTS, as those of one recording. */
	const char *counter_names[SPAN_EVENTS];
	struct counter_kind counter_kinds[SPAN_EVENTS];
	size_t counter_count;
	const char *value;		/* NULL: none */
	bool waits, interrupts;
};

/*
 * Makes a row of all spans whose name matches @filter (NULL: all). @slow: what slow spans have in
 * common; NULL: unknown. Returns 0 or -ENOMEM.
 */
int spans_recorded_make(const struct model *model, const struct filter *filter,
			const struct span_slow_list *slow, struct spans_recorded *ret_spans);

/* Says in @print what the rows have. */
void spans_recorded_describe(const struct spans_recorded *spans, struct spans_print *print);

/* Adds the member "spans" to the open object, if the recording has any. Returns 0 or -ENOMEM. */
int spans_recorded_json(struct json *json, const struct model *model);
void spans_recorded_fini(struct spans_recorded *spans);

#endif
