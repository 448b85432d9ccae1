/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_slow.h - what the slow calls of a recording have in common (model/span.h)
 *
 * Slow calls are recorded one by one, so their times and other amounts can be compared with those
 * of all calls, which struct span_total has.
 */
#ifndef ASSAY_ANALYZE_SPAN_SLOW_H
#define ASSAY_ANALYZE_SPAN_SLOW_H

#include "model/model.h"
#include "store/recording.h"

#define SPAN_SLOW_COLUMNS 16	/* as many as a sample has at most */

/* One amount of the slow calls of an event. */
struct span_slow_amount {
	double total;
	uint64_t missing;	/* calls whose value cannot be added: SPAN_VALUE_MAX */
};

struct span_slow {
	uint32_t event;
	uint64_t count;		/* single spans that are slow */
	double ns;		/* without other_ns, but with the cost of each call's own probes */
	struct span_slow_amount amounts[SPAN_SLOW_COLUMNS];	/* by column */
};

struct span_slow_list {
	VEC(struct span_slow) rows;	/* of events that have slow spans */
};

/* Reads all samples. Call span_slow_fini() in all cases. */
int span_slow_read(struct recording *recording, struct model *model,
		   struct span_slow_list *ret_list, struct err *err);
void span_slow_fini(struct span_slow_list *list);

/* Returns NULL if the event has no slow spans. */
const struct span_slow *span_slow_find(const struct span_slow_list *list, uint32_t event);

#endif
