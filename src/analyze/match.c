/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/match.h"

#include "analyze/lookup.h"
#include "base/cleanup.h"

static bool has_number(const struct filter_numbers *numbers, uint32_t number)
{
	for (size_t i = 0; i < numbers->list.count; i++)
		if (numbers->list.at[i] == number)
			return true;
	return numbers->list.count == 0;
}

static bool want_thread(const struct filter *filter, const struct model *model, uint32_t id)
{
	const struct thread *thread = thread_of(model, id);
	const struct process *process = process_of(model, thread->process);
	const struct application *application = application_of(model, process->application);

	return has_number(&filter->tids, thread->tid) &&
	       has_number(&filter->tgids, process->tgid) &&
	       filter_patterns_match(&filter->comms, string_of(model, thread->comm)) &&
	       filter_patterns_match(&filter->applications, string_of(model, application->name));
}

static int match_threads(struct match *match, const struct filter *filter,
			 const struct model *model)
{
	if (!filter->tids.list.count && !filter->tgids.list.count && !filter->comms.list.count &&
	    !filter->applications.list.count)
		return 0;
	match->threads = calloc(model->threads.count, sizeof(bool));
	if (!match->threads)
		return -ENOMEM;
	for (uint32_t id = 0; id < model->threads.count; id++)
		match->threads[id] = want_thread(filter, model, id);
	return 0;
}

static bool want_image(const struct filter *filter, const char *path)
{
	const char *slash = strrchr(path, '/');

	return filter_patterns_match(&filter->images, path) ||
	       (slash && filter_patterns_match(&filter->images, slash + 1));
}

/* By id: true if the filter's patterns match the image, function or line. */
struct marks {
	bool *images, *functions;
	/* true if a function in the line's inline chain matches; NULL: lines are not compared */
	bool *lines;
};

static void marks_fini(struct marks *marks)
{
	free(marks->images);
	free(marks->functions);
	free(marks->lines);
}

static bool is_marked(const bool *marks, size_t count, uint32_t id)
{
	return marks[id < count ? id : 0];
}

/* The id of a calling line is smaller, so the mark of the calling line is already known. */
static int mark_lines(struct marks *marks, const struct model *model)
{
	marks->lines = calloc(model->lines.count + 1, sizeof(bool));
	if (!marks->lines)
		return -ENOMEM;
	for (uint32_t id = 1; id < model->lines.count; id++) {
		const struct source_line *line = &model->lines.at[id];

		marks->lines[id] = is_marked(marks->functions, model->functions.count,
					     line->function) ||
				   (line->caller < id && marks->lines[line->caller]);
	}
	return 0;
}

static bool is_call(const struct marks *marks, const struct model *model,
		    const struct location *location)
{
	return is_marked(marks->functions, model->functions.count, location->function) ||
	       (marks->lines && is_marked(marks->lines, model->lines.count, location->line));
}

static void mark_stacks(struct match *match, const struct model *model, const struct marks *marks)
{
	_cleanup_free_ bool *calls = calloc(model->stacks.count, sizeof(bool));

	/* If out of memory, match->stacks stays NULL, and match_stacks() then returns -ENOMEM. */
	match->stacks = calls ? calloc(model->stacks.count, sizeof(bool)) : NULL;
	if (!match->stacks)
		return;
	for (uint32_t id = STACK_ROOT_COUNT; id < model->stacks.count; id++) {
		uint32_t parent = model->stacks.at[id].parent;
		const struct location *leaf = location_of(model, model->stacks.at[id].location);

		calls[id] = is_call(marks, model, leaf) || (parent < id && calls[parent]);
		match->stacks[id] = calls[id] &&
				    is_marked(marks->images, model->images.count, leaf->image);
	}
}

static int match_stacks(struct match *match, const struct filter *filter, const struct model *model)
{
	_cleanup_(marks_fini) struct marks marks = { 0 };

	if (!filter->images.list.count && !filter->symbols.list.count)
		return 0;
	marks.images = calloc(model->images.count, sizeof(bool));
	marks.functions = calloc(model->functions.count, sizeof(bool));
	if (!marks.images || !marks.functions)
		return -ENOMEM;
	for (uint32_t id = 0; id < model->images.count; id++)
		marks.images[id] = want_image(filter, string_of(model, model->images.at[id].path));
	for (uint32_t id = 0; id < model->functions.count; id++)
		marks.functions[id] = filter_patterns_match(
			&filter->symbols, string_of(model, model->functions.at[id].name));
	if (filter->inlined && mark_lines(&marks, model) < 0)
		return -ENOMEM;
	mark_stacks(match, model, &marks);
	return match->stacks ? 0 : -ENOMEM;
}

static int match_cpus(struct match *match, const struct filter *filter)
{
	if (!filter->cpus.list.count)
		return 0;
	match->cpus = calloc(FILTER_CPU_MAX + 1, sizeof(bool));
	if (!match->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < filter->cpus.list.count; i++)
		match->cpus[filter->cpus.list.at[i]] = true;
	return 0;
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void match_set_start(struct match *match, const struct filter *filter, uint64_t start_ns)
{
	match->from_ns = filter->from_ns ? add_saturating(start_ns, filter->from_ns) : 0;
	match->to_ns = add_saturating(start_ns, filter->to_ns);
}

static bool want_event(const struct filter *filter, const struct model *model, size_t i)
{
	const struct event *event = &model->events.at[i];

	return !(filter->no_spans && event_is_span(event)) &&
	       filter_patterns_match(&filter->events, string_of(model, event->name));
}

int match_init(struct match *match, const struct filter *filter, const struct model *model,
	       uint64_t start_ns)
{
	*match = (struct match){ .contexts = UINT32_MAX, .to_ns = UINT64_MAX };
	for (size_t i = 0; i < model->events.count && i < 256; i++)
		match->events[i] = !filter || want_event(filter, model, i);
	if (!filter)
		return 0;
	if (filter->contexts)
		match->contexts = filter->contexts;
	match_set_start(match, filter, start_ns);
	if (filter_has_spans(filter)) {
		match->spans = calloc(1, sizeof(*match->spans));
		if (!match->spans)
			return -ENOMEM;
	}
	if (match_threads(match, filter, model) < 0 || match_stacks(match, filter, model) < 0)
		return -ENOMEM;
	return match_cpus(match, filter);
}

int match_read_spans(struct match *match, const struct filter *filter, struct recording *recording,
		     struct model *model, struct err *err)
{
	return match->spans ? span_index_read(recording, model, filter, match->spans, err) : 0;
}

void match_fini(struct match *match)
{
	if (match->spans)
		span_index_fini(match->spans);
	free(match->spans);
	free(match->threads);
	free(match->stacks);
	free(match->cpus);
	*match = (struct match){ 0 };
}
