/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/trace.h"

#include <inttypes.h>

#include "analyze/call_frame.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "present/escape.h"

#define FRAME_INDENT "                  "

static const struct {
	const char *name;
	int width;		/* column width in text; negative if left-aligned */
} fields[TRACE_FIELD_COUNT] = {
	[TRACE_TIME] = { "time", 14 },
	[TRACE_CPU] = { "cpu", 3 },
	[TRACE_COMM] = { "comm", -16 },
	[TRACE_PID] = { "pid", 7 },
	[TRACE_TID] = { "tid", 7 },
	[TRACE_EVENT] = { "event", -12 },
	[TRACE_CONTEXT] = { "context", -9 },
	[TRACE_LATE] = { "late", 8 },
	[TRACE_WEIGHT] = { "weight", 10 },
	[TRACE_FUNCTION] = { "function", -32 },
	[TRACE_IMAGE] = { "image", -16 },
	[TRACE_STACK] = { "stack", -32 },
	[TRACE_WAKER] = { "waker", -20 },
	[TRACE_QUALITY] = { "quality", -7 },
	[TRACE_COUNTERS] = { "counters", -24 },
};

/* ---- names of fields ---- */

static int field_of_name(const char *name)
{
	for (int i = 0; i < TRACE_FIELD_COUNT; i++)
		if (strcmp(fields[i].name, name) == 0)
			return i;
	return -1;
}

static bool has_field(const struct trace *trace, enum trace_field field)
{
	for (size_t i = 0; i < trace->field_count; i++)
		if (trace->fields[i] == field)
			return true;
	return false;
}

int trace_fields_parse(const char *text, struct trace *trace, struct err *err)
{
	_cleanup_free_ char *list = strdup(text);
	char *rest = list, *word;

	if (!list)
		return err_set(err, -ENOMEM, "no memory for the list of fields");
	trace->field_count = 0;
	while ((word = strsep(&rest, ","))) {
		int field = field_of_name(word);

		if (field < 0)
			return err_set(err, -EINVAL,
				       "'%s' is not a field; choose from time, cpu, comm, pid, "
				       "tid, event, context, late, weight, function, image, "
				       "quality, stack, waker and counters",
				       word);
		if (has_field(trace, (enum trace_field)field))
			return err_set(err, -EINVAL, "field %s is named twice", word);
		trace->fields[trace->field_count++] = (enum trace_field)field;
	}
	return 0;
}

/* ---- stacks ---- */

static int push_frame(struct trace *trace, uint64_t frame)
{
	uint64_t *entry = vec_push(&trace->frames);

	if (!entry)
		return -ENOMEM;
	*entry = frame;
	return 0;
}

static int push_location(struct trace *trace, uint32_t location)
{
	uint64_t frames[CALL_FRAMES_MAX];
	size_t count = call_frames_of(trace->profile, location, frames);

	for (size_t i = 0; i < count; i++) {
		int rc = push_frame(trace, frames[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int find_frames(struct trace *trace, uint32_t stack)
{
	const struct model *model = trace->profile->model;
	uint32_t id = stack;

	vec_clear(&trace->frames);
	while (id >= STACK_ROOT_COUNT) {
		const struct stack_node *node = &model->stacks.at[id];
		int rc = push_location(trace, node->location);

		if (rc < 0)
			return rc;
		id = node->parent < id ? node->parent : STACK_ROOT_BROKEN;
	}
	if (id != STACK_ROOT_END || !trace->frames.count) {
		int rc = push_frame(trace, call_frame_of_root((enum stack_root)id));

		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < trace->frames.count / 2; i++) {
		uint64_t *other = &trace->frames.at[trace->frames.count - 1 - i];
		uint64_t frame = trace->frames.at[i];

		trace->frames.at[i] = *other;
		*other = frame;
	}
	return 0;
}

static const char *image_name(const struct trace *trace, uint64_t frame)
{
	return file_name(call_frame_image(trace->profile, frame));
}

static void json_stack(const struct trace *trace)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	(void)fputc('[', trace->out);
	for (size_t i = 0; i < trace->frames.count; i++) {
		uint64_t frame = trace->frames.at[i];

		(void)fputs(i ? ", {\"image\": " : "{\"image\": ", trace->out);
		escape_json(trace->out, image_name(trace, frame));
		(void)fputs(", \"function\": ", trace->out);
		escape_json(trace->out, call_frame_name(trace->profile, frame, scratch));
		if (trace->profile->inlined)
			(void)fputs(call_frame_is_inlined(frame) ? ", \"inlined\": true"
								 : ", \"inlined\": false",
				    trace->out);
		(void)fputc('}', trace->out);
	}
	(void)fputc(']', trace->out);
}

/*
 * Returns the names of the stack's functions, joined by semicolons, or NULL if out of memory. The
 * caller frees the result.
 */
static char *joined_stack(const struct trace *trace)
{
	char scratch[GROUP_IMAGE_NAME_MAX], *text = NULL;
	size_t size_bytes;
	FILE *out = open_memstream(&text, &size_bytes);

	if (!out)
		return NULL;
	for (size_t i = 0; i < trace->frames.count; i++) {
		uint64_t frame = trace->frames.at[i];

		(void)fputs(i ? ";" : "", out);
		escape_joined(out, call_frame_name(trace->profile, frame, scratch));
		(void)fputs(call_frame_mark(frame), out);
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void stack_beneath(const struct trace *trace)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	for (size_t i = trace->frames.count; i-- > 0;) {
		uint64_t frame = trace->frames.at[i];
		const char *image = image_name(trace, frame);

		(void)fputs(FRAME_INDENT, trace->out);
		escape_text(trace->out, call_frame_name(trace->profile, frame, scratch));
		(void)fputs(call_frame_mark(frame), trace->out);
		if (*image) {
			(void)fputs("  ", trace->out);
			escape_text(trace->out, image);
		}
		(void)fputc('\n', trace->out);
	}
}

/* ---- one value ---- */

static void put_padded(const struct trace *trace, const char *text, int width, bool last)
{
	char shown[ESCAPE_CHARACTER_MAX];
	const char *at = text;
	int columns = 0;

	while (*at)
		columns += (int)escape_next(&at, shown);
	if (width > columns)
		(void)fprintf(trace->out, "%*s", width - columns, "");
	escape_text(trace->out, text);
	if (!last && -width > columns)
		(void)fprintf(trace->out, "%*s", -width - columns, "");
}

static void put_text(const struct trace *trace, size_t index, const char *text)
{
	enum trace_field field = trace->fields[index];

	if (trace->format == TRACE_JSON)
		escape_json(trace->out, text);
	else if (trace->format == TRACE_CSV)
		escape_csv(trace->out, text);
	else
		put_padded(trace, text, fields[field].width, index + 1 == trace->field_count);
}

/* Prints a number. In text output, pads it to the width of its column. */
static void put_number(const struct trace *trace, size_t index, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put_number(const struct trace *trace, size_t index, const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (trace->format == TRACE_TEXT)
		put_text(trace, index, text);
	else
		(void)fputs(text, trace->out);
}

static void put_time(const struct trace *trace, size_t index, uint64_t time_ns)
{
	bool before = time_ns < trace->start_ns;
	uint64_t ns = before ? trace->start_ns - time_ns : time_ns - trace->start_ns;

	put_number(trace, index, "%s%" PRIu64 ".%09" PRIu64, before ? "-" : "", ns / NS_PER_SEC,
		   ns % NS_PER_SEC);
}

static void put_unknown(const struct trace *trace, size_t index)
{
	static const char *const unknown[] = {
		[TRACE_TEXT] = "-",
		[TRACE_JSON] = "null",
		[TRACE_CSV] = "",
	};

	put_number(trace, index, "%s", unknown[trace->format]);
}

static void put_late(const struct trace *trace, size_t index, int32_t late_ns)
{
	if (late_ns == LATE_UNKNOWN)
		put_unknown(trace, index);
	else
		put_number(trace, index, "%" PRId32, late_ns);
}

static int put_stack(const struct trace *trace, size_t index)
{
	char *text;

	if (trace->format == TRACE_JSON) {
		json_stack(trace);
		return 0;
	}
	text = joined_stack(trace);
	if (!text)
		return -ENOMEM;
	put_text(trace, index, text);
	free(text);
	return 0;
}

/*
 * Prints the function, its quality or the image of the sample, with the same name as in a report by
 * function or by image.
 */
static void put_label(const struct trace *trace, size_t index, const struct sample *sample)
{
	uint32_t leaf = leaf_of(trace->profile->model, sample->stack);
	char scratch[GROUP_IMAGE_NAME_MAX];
	uint64_t frames[CALL_FRAMES_MAX];

	(void)call_frames_of(trace->profile, leaf, frames);
	if (trace->fields[index] == TRACE_IMAGE)
		put_text(trace, index, image_name(trace, frames[0]));
	else if (trace->fields[index] == TRACE_QUALITY)
		put_text(trace, index, call_frame_quality(trace->profile, frames[0]));
	else
		put_text(trace, index, call_frame_name(trace->profile, frames[0], scratch));
}

static int put_waker(const struct trace *trace, size_t index, const struct sample *waker)
{
	const struct model *model = trace->profile->model;
	_cleanup_free_ char *text = NULL;

	if (!waker) {
		put_unknown(trace, index);
		return 0;
	}
	if (context_is_interrupt((enum context)waker->context)) {
		put_text(trace, index, context_name((enum context)waker->context));
		return 0;
	}
	if (asprintf(&text, "%s %" PRIu32, string_of(model, thread_of(model, waker->thread)->comm),
		     thread_of(model, waker->thread)->tid) < 0)
		return -ENOMEM;
	put_text(trace, index, text);
	return 0;
}

/* Values may be negative, such as results. In JSON, addresses and sources are texts. */
static void write_value(const struct event *event, uint64_t value, bool is_json, FILE *out)
{
	char text[FIELD_TEXT_MAX];

	if (!event_is_field(event) || event->config == FIELD_LATENCY) {
		(void)fprintf(out, "%" PRId64, (int64_t)value);
		return;
	}
	(void)sample_field_text((enum sample_field)event->config, value, text);
	if (is_json)
		escape_json(out, text);
	else
		(void)fputs(text, out);
}

static void write_counters(const struct trace *trace, const struct traced *traced, FILE *out)
{
	const struct model *model = trace->profile->model;
	bool is_json = trace->format == TRACE_JSON, is_first = true;
	size_t column = 0;

	for (size_t i = 0; i < model->events.count && column < traced->counter_count; i++) {
		const struct event *event = &model->events.at[i];
		uint64_t value;

		if (!event->is_counter)
			continue;
		value = traced->counters[column++];
		if (!value)
			continue;
		if (!is_first)
			(void)fputs(is_json ? ", " : " ", out);
		is_first = false;
		if (is_json)
			escape_json(out, string_of(model, event->name));
		else
			(void)fputs(string_of(model, event->name), out);
		(void)fputs(is_json ? ": " : "=", out);
		write_value(event, value, is_json, out);
	}
}

static int put_counters(const struct trace *trace, size_t index, const struct traced *traced)
{
	_cleanup_free_ char *text = NULL;
	size_t size_bytes;
	FILE *out;

	if (trace->format == TRACE_JSON) {
		(void)fputc('{', trace->out);
		write_counters(trace, traced, trace->out);
		(void)fputc('}', trace->out);
		return 0;
	}
	out = open_memstream(&text, &size_bytes);
	if (!out)
		return -ENOMEM;
	write_counters(trace, traced, out);
	if (fclose(out) != 0)
		return -ENOMEM;
	if (size_bytes)
		put_text(trace, index, text);
	else
		put_unknown(trace, index);
	return 0;
}

static int put_field(const struct trace *trace, size_t index, const struct traced *traced)
{
	const struct model *model = trace->profile->model;
	const struct sample *sample = traced->sample;
	const struct thread *thread = thread_of(model, sample->thread);

	switch (trace->fields[index]) {
	case TRACE_TIME:
		put_time(trace, index, sample->time_ns);
		break;
	case TRACE_CPU:
		put_number(trace, index, "%u", sample->cpu);
		break;
	case TRACE_COMM:
		put_text(trace, index, string_of(model, thread->comm));
		break;
	case TRACE_PID:
		put_number(trace, index, "%" PRIu32, process_of(model, thread->process)->tgid);
		break;
	case TRACE_TID:
		put_number(trace, index, "%" PRIu32, thread->tid);
		break;
	case TRACE_EVENT:
		put_text(trace, index,
			 sample->event < model->events.count
				 ? string_of(model, model->events.at[sample->event].name)
				 : "?");
		break;
	case TRACE_CONTEXT:
		put_text(trace, index, context_name((enum context)sample->context));
		break;
	case TRACE_LATE:
		put_late(trace, index, sample_late_ns(model, sample));
		break;
	case TRACE_WEIGHT:
		put_number(trace, index, "%" PRIu64, sample->weight);
		break;
	case TRACE_STACK:
		return put_stack(trace, index);
	case TRACE_WAKER:
		return put_waker(trace, index, traced->waker);
	case TRACE_COUNTERS:
		return put_counters(trace, index, traced);
	default:
		put_label(trace, index, sample);
	}
	return 0;
}

/* ---- lines ---- */

void trace_begin(const struct trace *trace)
{
	for (size_t i = 0; i < trace->field_count && trace->format != TRACE_JSON; i++) {
		if (i)
			(void)fputs(trace->format == TRACE_CSV ? "," : "  ", trace->out);
		put_text(trace, i, fields[trace->fields[i]].name);
	}
	if (trace->format != TRACE_JSON)
		(void)fputs(trace->format == TRACE_CSV ? "\r\n" : "\n", trace->out);
}

static void put_separator(const struct trace *trace, size_t index)
{
	if (trace->format == TRACE_JSON)
		(void)fprintf(trace->out, "%s\"%s\": ", index ? ", " : "{",
			      fields[trace->fields[index]].name);
	else if (index)
		(void)fputs(trace->format == TRACE_CSV ? "," : "  ", trace->out);
}

static int put_fields(struct trace *trace, const struct traced *traced)
{
	int rc;

	if (trace->stack_beneath || has_field(trace, TRACE_STACK)) {
		rc = find_frames(trace, traced->sample->stack);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < trace->field_count; i++) {
		put_separator(trace, i);
		rc = put_field(trace, i, traced);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int trace_sample(struct trace *trace, const struct traced *traced)
{
	static const char *const ends[] = {
		[TRACE_TEXT] = "\n",
		[TRACE_JSON] = "}\n",
		[TRACE_CSV] = "\r\n",
	};
	int rc = put_fields(trace, traced);

	(void)fputs(ends[trace->format], trace->out);
	if (rc < 0)
		return rc;
	if (trace->stack_beneath)
		stack_beneath(trace);
	return 0;
}

void trace_fini(struct trace *trace)
{
	vec_free(&trace->frames);
}
