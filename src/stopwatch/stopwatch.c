/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/stopwatch-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

DEFINE_CLEANUP(struct stopwatch, stopwatch_free);

int stopwatch_find(const struct stopwatch_options *options, struct stopwatch **ret_stopwatch,
		   struct err *err)
{
	_cleanup_(stopwatch_freep) struct stopwatch *stopwatch = calloc(1, sizeof(*stopwatch));
	int rc;

	if (!stopwatch)
		return err_sys(err, -ENOMEM, "cannot measure spans");
	stopwatch->options = *options;
	rc = stopwatch_find_all(stopwatch, err);
	if (rc < 0)
		return rc;
	*ret_stopwatch = TAKE_PTR(stopwatch);
	return 0;
}

void stopwatch_free(struct stopwatch *stopwatch)
{
	if (!stopwatch)
		return;
	stopwatch_unload(stopwatch);
	for (size_t i = 0; i < stopwatch->images.count; i++) {
		struct watched_image *image = &stopwatch->images.at[i];

		if (image->fd >= 0)
			(void)close(image->fd);
		free(image->path);
		found_functions_fini(&image->functions);
	}
	for (size_t i = 0; i < stopwatch->usdt.count; i++)
		watched_usdt_fini(&stopwatch->usdt.at[i]);
	for (size_t i = 0; i < stopwatch->names.count; i++)
		free(stopwatch->names.at[i]);
	vec_free(&stopwatch->images);
	vec_free(&stopwatch->kernel);
	vec_free(&stopwatch->calls);
	vec_free(&stopwatch->tracepoints);
	vec_free(&stopwatch->usdt);
	vec_free(&stopwatch->keys);
	vec_free(&stopwatch->places);
	vec_free(&stopwatch->spans);
	vec_free(&stopwatch->names);
	free(stopwatch);
}

int stopwatch_add_span(struct stopwatch *stopwatch, const struct stopwatch_span *span)
{
	struct stopwatch_span *slot = vec_push(&stopwatch->spans);

	if (!slot)
		return -ENOMEM;
	*slot = *span;
	return 0;
}

size_t stopwatch_span_count(const struct stopwatch *stopwatch)
{
	return stopwatch->spans.count;
}

size_t stopwatch_left_out(const struct stopwatch *stopwatch)
{
	return stopwatch->left_out;
}

struct stopwatch_span stopwatch_span(const struct stopwatch *stopwatch, size_t i)
{
	return stopwatch->spans.at[i];
}

void stopwatch_read(const struct stopwatch *stopwatch, size_t i, struct span_times *ret_times)
{
	size_t count = stopwatch->spans.count;

	*ret_times = (struct span_times){ 0 };
	for (uint32_t k = 0; stopwatch->sums && k < stopwatch->shard_count; k++)
		span_times_add(ret_times, &stopwatch->sums[k * count + i]);
}

/* Reads a number that the kernel may be changing at this moment. */
static uint64_t count_of(const struct span_sum *sum)
{
	return *(const volatile uint64_t *)&sum->count;
}

void stopwatch_count_calls(const struct stopwatch *stopwatch, uint64_t ret_calls[PROBE_COSTS])
{
	size_t span_count = stopwatch->spans.count, first = stopwatch->shard_count * span_count;
	struct span_group group;

	memset(ret_calls, 0, PROBE_COSTS * sizeof(*ret_calls));
	for (size_t i = 0; i < first; i++)
		ret_calls[stopwatch->spans.at[i % span_count].cost] += count_of(
			&stopwatch->sums[i]);
	if (!stopwatch->options.by)
		return;
	for (size_t i = 0; i < stopwatch_group_count(stopwatch); i++)
		if (stopwatch_group(stopwatch, i, &group) == 0 && group.span < span_count)
			ret_calls[stopwatch->spans.at[group.span].cost] += count_of(
				&stopwatch->sums[first + i]);
}

void stopwatch_read_group(const struct stopwatch *stopwatch, size_t i, struct span_times *ret_times)
{
	size_t first = stopwatch->shard_count * stopwatch->spans.count;

	*ret_times = (struct span_times){ 0 };
	span_times_add(ret_times, &stopwatch->sums[first + i]);
}
