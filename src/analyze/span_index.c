/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/span_index.h"

#include <errno.h>

#include "analyze/lookup.h"
#include "base/sort.h"
#include "model/wait.h"

/* Stored times of samples are that accurate (recording.h). */
#define GRAIN_NS 128u

struct reading {
	struct span_index *index;
	bool takes[256];	/* by event */
	uint64_t slow_ns[256];	/* UINT64_MAX: none is slow */
};

static void know_events(struct reading *reading, const struct model *model,
			const struct filter *filter)
{
	for (uint32_t i = 0; i < model->events.count && i < 256; i++) {
		const struct span_total *total = span_total_find(&model->spans, i);

		reading->takes[i] = event_is_call(&model->events.at[i]) &&
				    filter_patterns_match(&filter->spans,
							  span_event_name(model, i));
		reading->slow_ns[i] = total && total->slow_ns ? total->slow_ns : UINT64_MAX;
		reading->index->is_elsewhen[i] = wait_kind_of_name(string_of(
							 model, model->events.at[i].name)) >=
						 WAIT_SHORT_BLOCKED;
	}
}

static int add(struct span_intervals *intervals, const struct sample *sample)
{
	uint64_t end_ns = sample->time_ns + GRAIN_NS;
	struct span_interval *slot = vec_push(&intervals->list);

	if (!slot)
		return -ENOMEM;
	*slot = (struct span_interval){ .end_ns = end_ns, .thread = sample->thread };
	if (end_ns - 2 * GRAIN_NS > sample->weight)
		slot->start_ns = end_ns - 2 * GRAIN_NS - sample->weight;
	return 0;
}

static int visit(void *context, const struct sample_batch *batch)
{
	const struct reading *reading = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];

		if (!reading->takes[sample->event])
			continue;
		if (add(&reading->index->all, sample) < 0)
			return -ENOMEM;
		if (span_own_ns(sample) >= reading->slow_ns[sample->event] &&
		    add(&reading->index->slow, sample) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Sorts the intervals, and joins those that overlap. */
static int settle(struct span_intervals *intervals)
{
	struct span_interval *list = intervals->list.at;
	size_t count = intervals->list.count, kept = 0;

	if (!count)
		return 0;
	if (sort_by_number(list, count, sizeof(*list), offsetof(struct span_interval, start_ns)) <
		    0 ||
	    sort_by_number(list, count, sizeof(*list), offsetof(struct span_interval, thread)) < 0)
		return -ENOMEM;
	for (size_t i = 1; i < count; i++) {
		struct span_interval *last = &list[kept];

		if (list[i].thread != last->thread || list[i].start_ns > last->end_ns)
			list[++kept] = list[i];
		else if (list[i].end_ns > last->end_ns)
			last->end_ns = list[i].end_ns;
	}
	intervals->list.count = kept + 1;
	return 0;
}

int span_index_read(struct recording *recording, struct model *model, const struct filter *filter,
		    struct span_index *ret_index, struct err *err)
{
	struct losses losses = model->losses;
	struct reading reading = { .index = ret_index };
	int rc;

	*ret_index = (struct span_index){
		.slow_only = filter->slow_spans && !filter->fast_spans,
		.fast_only = filter->fast_spans && !filter->slow_spans,
	};
	know_events(&reading, model, filter);
	rc = recording_each_block(recording, model, NULL, visit, &reading, err);
	/* the pass for which this is read counts the same damaged blocks again */
	model->losses = losses;
	if (rc == 0 && (settle(&ret_index->all) < 0 || settle(&ret_index->slow) < 0))
		rc = -ENOMEM;
	return rc == -ENOMEM ? err_set(err, rc, "no memory for the spans of the recording") : rc;
}

void span_index_fini(struct span_index *index)
{
	vec_free(&index->all.list);
	vec_free(&index->slow.list);
}

static bool has(const struct span_intervals *intervals, const struct sample *sample)
{
	size_t low = 0, high = intervals->list.count;

	/* Finds the first interval that begins later; the one before it may have the sample. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct span_interval *at = &intervals->list.at[middle];

		if (at->thread < sample->thread ||
		    (at->thread == sample->thread && at->start_ns <= sample->time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && intervals->list.at[low - 1].thread == sample->thread &&
	       sample->time_ns <= intervals->list.at[low - 1].end_ns;
}

bool span_index_has(const struct span_index *index, const struct sample *sample)
{
	if (index->is_elsewhen[sample->event])
		return false;
	if (index->slow_only)
		return has(&index->slow, sample);
	return has(&index->all, sample) && !(index->fast_only && has(&index->slow, sample));
}

double span_index_calls(const struct model *model, const struct filter *filter)
{
	double calls = 0;

	for (size_t i = 0; i < model->spans.rows.count; i++) {
		const struct span_total *total = &model->spans.rows.at[i];
		double slow = span_total_slow(total);

		if (!event_is_call(&model->events.at[total->event]) ||
		    !filter_patterns_match(&filter->spans, span_event_name(model, total->event)))
			continue;
		if (filter->slow_spans && !filter->fast_spans)
			calls += slow;
		else if (filter->fast_spans && !filter->slow_spans)
			calls += (double)total->count - slow;
		else
			calls += (double)total->count;
	}
	return calls;
}
