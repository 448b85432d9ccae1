/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_index.h - which samples fell into the calls that a filter selects (model/span.h)
 *
 * A sample is in a call if it is of the same thread and was taken between the call's start and end.
 * It is in a slow call if any of the selected calls around it is slow. Otherwise it is in a fast
 * call. Sums of short waits are in no call, as they are of many moments, and neither are wakers,
 * whose samples have the time at which the woken thread ran.
 *
 * Memory: 24 bytes for each single span of the recording that the filter selects.
 */
#ifndef ASSAY_ANALYZE_SPAN_INDEX_H
#define ASSAY_ANALYZE_SPAN_INDEX_H

#include "analyze/filter.h"
#include "model/model.h"
#include "store/recording.h"

struct span_interval {
	uint64_t start_ns, end_ns;	/* both inclusive */
	uint64_t thread;
};

/* By thread and time. Intervals of a thread do not overlap. */
struct span_intervals {
	VEC(struct span_interval) list;
};

struct span_index {
	/* by event: the time of a sample does not say when it was; it is in no call */
	bool is_elsewhen[256];
	struct span_intervals all, slow;
	bool slow_only, fast_only;
};

/*
 * Reads the calls that @filter selects. Returns 0, -ENOMEM or the error of recording_each_block().
 * Call span_index_fini() in all cases.
 */
int span_index_read(struct recording *recording, struct model *model, const struct filter *filter,
		    struct span_index *ret_index, struct err *err);
void span_index_fini(struct span_index *index);

/*
 * Returns how many calls @filter selects. The number of slow calls is estimated from the histogram
 * of all calls, which is exact if a limit between two buckets says what is slow.
 */
double span_index_calls(const struct model *model, const struct filter *filter);

bool span_index_has(const struct span_index *index, const struct sample *sample);

#endif
