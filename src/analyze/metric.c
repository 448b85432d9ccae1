/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/metric.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "analyze/call_frame.h"
#include "analyze/lookup.h"
#include "analyze/metric_rows.h"
#include "analyze/metric_wall.h"
#include "base/cleanup.h"

/* ---- which events can be added ---- */

/* The kinds of waits whose times do not overlap. A waker has part of the wait of another thread. */
static bool is_time_of_thread(int kind)
{
	return wait_kind_state(kind) != THREAD_RUNNING;
}

/* Returns the length of the name without modifiers: that of "cycles" in "cycles:uk". */
static size_t base_length(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "ukhGHpPSDIWe")])
		return strlen(name);
	return (size_t)(colon - name);
}

static bool same_base(const char *a, const char *b)
{
	size_t length = base_length(a);

	return length == base_length(b) && strncmp(a, b, length) == 0;
}

static bool adds_up(const struct metric *metric, uint32_t a, uint32_t b)
{
	const struct model *model = metric->model;
	const struct event *first = &model->events.at[a], *second = &model->events.at[b];

	if (metric->wait_kinds[a] >= 0 || metric->wait_kinds[b] >= 0)
		return is_time_of_thread(metric->wait_kinds[a]) &&
		       is_time_of_thread(metric->wait_kinds[b]);
	if (first->type == PERF_TYPE_TRACEPOINT && second->type == PERF_TYPE_TRACEPOINT)
		return true;
	return first->type == second->type && first->config == second->config &&
	       first->is_time == second->is_time &&
	       same_base(string_of(model, first->name), string_of(model, second->name));
}

/* ---- the sum of several events ---- */

static uint32_t event_count(const struct model *model)
{
	return model->events.count < METRIC_EVENTS_MAX ? (uint32_t)model->events.count
						       : METRIC_EVENTS_MAX;
}

/* Returns the event with that kind of waits, or METRIC_EVENTS_MAX. */
static uint32_t event_of_kind(const struct metric *metric, enum wait_kind kind)
{
	uint32_t count = event_count(metric->model);

	for (uint32_t i = 0; i < count; i++)
		if (metric->wait_kinds[i] == (int)kind)
			return i;
	return METRIC_EVENTS_MAX;
}

static int check_sum(const struct metric *metric, const struct filter *filter, size_t *ret_selected,
		     struct err *err)
{
	const struct model *model = metric->model;
	uint32_t first = METRIC_EVENTS_MAX;

	*ret_selected = 0;
	for (uint32_t i = 0; i < event_count(model); i++) {
		const char *name = string_of(model, model->events.at[i].name);

		if (model->events.at[i].is_counter || !filter_patterns_match(&filter->events, name))
			continue;
		if (first == METRIC_EVENTS_MAX)
			first = i;
		if (!adds_up(metric, first, i) && first != i)
			return err_set(
				err, -EINVAL,
				"the events %s and %s are selected, but they cannot be added "
				"up; select one of them",
				string_of(model, model->events.at[first].name), name);
		(*ret_selected)++;
	}
	return 0;
}

/* Returns "off-cpu:blocked+off-cpu:blocked-io", which the caller frees, or NULL. */
static char *name_of_sum(const struct metric *metric)
{
	const struct model *model = metric->model;
	char *name = NULL;
	const char *between = "";
	size_t size_bytes;
	FILE *out = open_memstream(&name, &size_bytes);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < event_count(model); i++) {
		if (!metric->takes[i])
			continue;
		(void)fprintf(out, "%s%s", between, string_of(model, model->events.at[i].name));
		between = "+";
	}
	if (fclose(out) == 0)
		return name;
	free(name);
	return NULL;
}

static int add_sum(struct metric *metric, struct model *model, struct err *err)
{
	_cleanup_free_ char *name = name_of_sum(metric);
	struct event like = { 0 };
	uint8_t sum;
	int rc;

	if (!name)
		return -ENOMEM;
	for (uint32_t i = event_count(model); i-- > 0;)
		if (metric->takes[i])
			like = model->events.at[i];
	rc = metric_row_event(model, &like, name, &sum, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < sum; i++)
		if (metric->takes[i])
			metric->counts_as[i] = sum;
	return 0;
}

/* ---- short waits ---- */

static int add_short(struct metric *metric, struct model *model, enum wait_kind whole,
		     enum wait_kind part)
{
	uint32_t of = event_of_kind(metric, whole), event = event_of_kind(metric, part);

	if (event == METRIC_EVENTS_MAX)
		return 0;
	if (of != METRIC_EVENTS_MAX && metric->takes[of]) {
		metric->takes[event] = true;
		metric->counts_as[event] = metric->counts_as[of];
	}
	return metric_row_stack(model, STACK_ROOT_END, "[short waits]",
				&metric->short_stacks[part]);
}

static int make_sum(struct metric *metric, struct model *model, const struct filter *filter,
		    struct err *err)
{
	size_t selected = 0;
	int rc;

	if (filter->events.list.count) {
		rc = check_sum(metric, filter, &selected, err);
		if (rc < 0)
			return rc;
	}
	for (uint32_t i = 0; i < event_count(model); i++)
		metric->takes[i] = filter_patterns_match(
			&filter->events, string_of(model, model->events.at[i].name));
	if (selected > 1) {
		rc = add_sum(metric, model, err);
		if (rc < 0)
			return rc;
	}
	rc = add_short(metric, model, WAIT_BLOCKED, WAIT_SHORT_BLOCKED);
	return rc < 0 ? rc : add_short(metric, model, WAIT_RUNNABLE, WAIT_SHORT_RUNNABLE);
}

/* ---- the whole metric ---- */

int metric_make(struct recording *recording, struct model *model,
		const struct metric_options *options, struct metric *ret_metric, struct err *err)
{
	static const struct filter everything = FILTER_INIT;
	const struct filter *filter = options->filter ? options->filter : &everything;
	int rc;

	*ret_metric = (struct metric){ .model = model,
				       .kind = filter->wall ? METRIC_WALL : METRIC_SUM };
	for (uint32_t i = 0; i < METRIC_EVENTS_MAX; i++) {
		ret_metric->counts_as[i] = (uint8_t)i;
		ret_metric->wait_kinds[i] = i < model->events.count
						    ? wait_kind_of_name(string_of(
							      model, model->events.at[i].name))
						    : -1;
	}
	rc = ret_metric->kind == METRIC_WALL
		     ? metric_make_wall(ret_metric, recording, model, options, err)
		     : make_sum(ret_metric, model, filter, err);
	return rc == -ENOMEM ? err_set(err, rc, "no memory for adding up the events") : rc;
}

void metric_fini(struct metric *metric)
{
	free(metric->threads);
	metric->threads = NULL;
	u64map_fini(&metric->states);
	sample_batch_fini(&metric->rest);
}

uint32_t metric_state_image(const struct model *model)
{
	for (uint32_t i = 1; i < model->images.count; i++)
		if (model->images.at[i].kind == IMAGE_UNKNOWN &&
		    strcmp(string_of(model, model->images.at[i].path), METRIC_IMAGE) == 0)
			return i;
	return METRIC_NO_IMAGE;
}

enum thread_state metric_state_of_frame(const struct profile *profile, uint64_t frame)
{
	char scratch[GROUP_IMAGE_NAME_MAX], name[METRIC_STATE_MAX];

	if (!call_frame_is_function(frame) ||
	    strcmp(call_frame_image(profile, frame), METRIC_IMAGE) != 0)
		return THREAD_RUNNING;
	for (int state = THREAD_RUNNING + 1; state < THREAD_STATE_COUNT; state++) {
		metric_state_name((enum thread_state)state, name);
		if (strcmp(call_frame_name(profile, frame, scratch), name) == 0)
			return (enum thread_state)state;
	}
	return THREAD_RUNNING;
}

void metric_begin(struct metric *metric)
{
	if (metric->threads)
		metric_begin_wall(metric);
}

bool metric_take(struct metric *metric, struct sample *sample)
{
	int kind = metric->wait_kinds[sample->event];

	if (!metric->takes[sample->event])
		return false;
	if (metric->kind == METRIC_WALL)
		return metric_take_wall(metric, sample);
	if (kind >= 0 && metric->short_stacks[kind])
		sample->stack = metric->short_stacks[kind];
	sample->event = metric->counts_as[sample->event];
	return true;
}
