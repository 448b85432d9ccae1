/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes Chrome's trace event format ("Trace Event Format"; its section "Global Samples" defines
 * the samples of a system-wide profiler). Samples are in order of time. The field "sf" of a sample
 * is the number of a node in the table "stackFrames", which stores all stacks as a trie of
 * functions. Trace events name threads and processes, and are the spans of a stopwatch.
 */
#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "export/export-private.h"
#include "present/escape.h"
#include "present/json.h"

struct chrome {
	struct export *export;
	struct json json;
	/* for each thread, true if the thread has samples, so that its name must be written */
	bool *met;
	char **events;		/* escaped name of each event; NULL: not computed yet */
	bool filled;
};

static void chrome_fini(struct chrome *chrome)
{
	for (size_t i = 0; chrome->events && i < 256; i++)
		free(chrome->events[i]);
	free(chrome->events);
	free(chrome->met);
}

static void separate(struct chrome *chrome)
{
	(void)fputs(chrome->filled ? ",\n" : "\n", chrome->export->out);
	chrome->filled = true;
}

/* ---- names ---- */

static void write_name(struct chrome *chrome, const char *what, uint32_t thread, const char *name)
{
	const struct export *export = chrome->export;

	separate(chrome);
	(void)fprintf(export->out,
		      "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		      ",\"args\":{\"name\":",
		      what, export_tgid(export, thread), thread_of(export->model, thread)->tid);
	escape_json(export->out, name);
	(void)fputs("}}", export->out);
}

static void write_names(struct chrome *chrome)
{
	const struct model *model = chrome->export->model;

	for (uint32_t id = 0; id < model->threads.count; id++) {
		const struct process *process = process_of(model, model->threads.at[id].process);

		if (!chrome->met[id])
			continue;
		write_name(chrome, "process_name", id,
			   string_of(model, application_of(model, process->application)->name));
		write_name(chrome, "thread_name", id, export_comm(chrome->export, id));
	}
}

/* ---- samples ---- */

static const char *event_name(struct chrome *chrome, uint8_t event)
{
	size_t size_bytes;
	FILE *out;

	if (chrome->events[event])
		return chrome->events[event];
	out = open_memstream(&chrome->events[event], &size_bytes);
	if (!out)
		return NULL;
	escape_json(out, export_event_name(chrome->export, event));
	return fclose(out) == 0 ? chrome->events[event] : NULL;
}

static int write_sample(void *context, const struct sample *sample)
{
	struct chrome *chrome = context;
	struct export *export = chrome->export;
	uint64_t time_ns = export_time_ns(export, sample->time_ns);
	const char *event = event_name(chrome, sample->event);
	uint32_t path;

	if (!event || paths_of_stack(&export->paths, sample->stack, &path) < 0)
		return -ENOMEM;
	chrome->met[sample->thread] = true;
	export->samples++;
	if (model_event_is_span(export->model, sample->event))
		return 0;
	separate(chrome);
	(void)fprintf(export->out,
		      "{\"name\":%s,\"cat\":\"%s\",\"cpu\":%u,\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		      ",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"weight\":%" PRIu64 ",\"sf\":%" PRIu32
		      "}",
		      event, context_name((enum context)sample->context), sample->cpu,
		      export_tgid(export, sample->thread),
		      thread_of(export->model, sample->thread)->tid, time_ns / NS_PER_USEC,
		      time_ns % NS_PER_USEC, sample->weight, path);
	return 0;
}

/* ---- spans ---- */

static void put_us(FILE *out, const char *key, uint64_t ns)
{
	(void)fprintf(out, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / NS_PER_USEC,
		      ns % NS_PER_USEC);
}

/* The amounts of the span that are not 0. */
static void write_amounts(const struct chrome *chrome)
{
	const struct export *export = chrome->export;
	const struct model *model = export->model;
	size_t column = 0;
	bool is_open = false;

	for (size_t i = 0; i < model->events.count && column < export->counter_count; i++) {
		int64_t amount;

		if (!model->events.at[i].is_counter)
			continue;
		amount = (int64_t) export->counters[column++];
		if (!amount)
			continue;
		(void)fputs(is_open ? "," : ",\"args\":{", export->out);
		is_open = true;
		escape_json(export->out, export_event_name(export, (uint8_t)i));
		(void)fprintf(export->out, ":%" PRId64, amount);
	}
	if (is_open)
		(void)fputc('}', export->out);
}

/* A span is a complete event of its thread. */
static int write_span(void *context, const struct sample *sample)
{
	struct chrome *chrome = context;
	struct export *export = chrome->export;
	uint64_t end_ns = export_time_ns(export, sample->time_ns);
	const char *event = event_name(chrome, sample->event);

	if (!model_event_is_span(export->model, sample->event))
		return 0;
	if (!event)
		return -ENOMEM;
	separate(chrome);
	(void)fprintf(export->out,
		      "{\"ph\":\"X\",\"name\":%s,\"cat\":\"span\",\"pid\":%" PRIu32
		      ",\"tid\":%" PRIu32,
		      event, export_tgid(export, sample->thread),
		      thread_of(export->model, sample->thread)->tid);
	put_us(export->out, "ts", end_ns > sample->weight ? end_ns - sample->weight : 0);
	put_us(export->out, "dur", sample->weight);
	write_amounts(chrome);
	(void)fputc('}', export->out);
	return 0;
}

/* ---- tables that samples refer to ---- */

static void write_frames(struct chrome *chrome)
{
	struct export *export = chrome->export;
	struct json *json = &chrome->json;
	char scratch[GROUP_IMAGE_NAME_MAX], number[16];

	json_open(json, "stackFrames", '{');
	for (uint32_t i = 1; i < export->paths.nodes.count; i++) {
		const struct path *path = &export->paths.nodes.at[i];

		(void)snprintf(number, sizeof(number), "%" PRIu32, i);
		json_open(json, number, '{');
		json_string(json, "name",
			    paths_name(&export->paths, &export->profile, path->frame, scratch));
		json_string(json, "category",
			    file_name(paths_image(&export->paths, &export->profile, path->frame)));
		if (path->parent)
			json_u64(json, "parent", path->parent);
		json_close(json);
	}
	json_close(json);
}

static void write_about(struct chrome *chrome)
{
	const struct export *export = chrome->export;
	struct json *json = &chrome->json;

	json_string(json, "displayTimeUnit", "ns");
	json_open(json, "otherData", '{');
	json_string(json, "creator", "assay " ASSAY_VERSION);
	json_string(json, "command", export_title(export));
	for (int i = 0; i < LOSS_COUNT; i++)
		if (export->model->losses.count[i])
			json_u64(json, loss_name((enum loss)i), export->model->losses.count[i]);
	json_close(json);
}

static int write_events(struct chrome *chrome)
{
	int rc;

	json_open(&chrome->json, "traceEvents", '[');
	chrome->filled = false;
	write_names(chrome);
	rc = export_each_sample(chrome->export, write_span, chrome);
	json_close(&chrome->json);
	return rc;
}

static int chrome_write(struct export *export)
{
	_cleanup_(chrome_fini) struct chrome chrome = {
		.export = export,
		.json.out = export->out,
		.met = calloc(export->model->threads.count, sizeof(bool)),
		.events = calloc(256, sizeof(char *)),
	};
	int rc;

	if (!chrome.met || !chrome.events)
		return -ENOMEM;
	json_open(&chrome.json, NULL, '{');
	write_about(&chrome);
	json_open(&chrome.json, "samples", '[');
	rc = export_each_sample(export, write_sample, &chrome);
	json_close(&chrome.json);
	if (rc == 0)
		rc = write_events(&chrome);
	write_frames(&chrome);
	json_close(&chrome.json);
	return rc;
}

const struct export_format export_chrome = {
	.name = "chrome",
	.description = "Chrome's trace events, with samples of the whole machine",
	.has_losses = true,
	.has_spans = true,
	.write = chrome_write,
};
