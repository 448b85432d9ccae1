/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_amounts.h - what calls have besides their time, as counters of a recording (model/span.h)
 */
#ifndef ASSAY_SESSION_RECORD_AMOUNTS_H
#define ASSAY_SESSION_RECORD_AMOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/model.h"
#include "session/span_counters.h"
#include "stopwatch/span_times.h"

struct record_amounts_options {
	const char *events;	/* to count in calls, as in span_counters_open(); NULL: none */
	const char *value;	/* the name of a value that is measured; NULL: none */
	bool interrupts, waits;	/* their time is measured */
};

struct record_amounts {
	struct span_counters counters;
	/* The columns of samples: where struct wire_span has them, and their events. */
	uint8_t sent[SPAN_SENT_COUNT];
	uint32_t events[SPAN_SENT_COUNT];
	size_t count;
};

/* Opens the events, adds the counters to the model. Call record_amounts_close() in all cases. */
int record_amounts_open(struct record_amounts *amounts,
			const struct record_amounts_options *options, struct model *model,
			struct err *err);
void record_amounts_close(struct record_amounts *amounts);

/*
 * Writes the sums of all calls to @total. @inside is what the probes of each call have counted; it
 * is not in @times. Returns 0 or -ENOMEM.
 */
int record_amounts_read(const struct record_amounts *amounts, const struct span_times *times,
			const uint64_t inside[SPAN_COUNTERS], struct span_total *total);

#endif
