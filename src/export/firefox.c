/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes version 48 of the Firefox Profiler's processed format (docs-developer/ of
 * github.com/firefox-devtools/profiler). Later versions of the profiler can also read version 48.
 *
 * Each combination of a thread and an event is written as a thread with its own set of tables. So
 * the samples are first sorted by event and thread, in a file on disk. The format has no field for
 * the context of a sample. Instead, the context is stored as the category of the innermost node of
 * the sample's stack. Stacks that differ only in context therefore have different innermost nodes.
 * The category of any other node is user code or kernel code.
 */
#include "export/firefox.h"

#include <inttypes.h>
#include <unistd.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"

#define TEMPORARY_FILES "/var/tmp"	/* /tmp is not used, because it may be in memory */

struct firefox {
	struct export *export;
	struct spool spool;
	struct json json;
	/* maps a pair of event and thread to the number of the pair's queue */
	struct u64map queues;
	VEC(struct firefox_thread) threads;	/* indexed by queue */
	size_t event_count;
};

static void firefox_fini(struct firefox *firefox)
{
	spool_close(&firefox->spool);
	u64map_fini(&firefox->queues);
	vec_free(&firefox->threads);
}

/* ---- sorting ---- */

static int queue_of(struct firefox *firefox, const struct sample *sample, uint32_t *ret_queue)
{
	uint64_t key = (uint64_t)sample->event << 32 | sample->thread;
	struct firefox_thread *thread;

	if (u64map_get(&firefox->queues, key, ret_queue))
		return 0;
	thread = vec_push(&firefox->threads);
	if (!thread)
		return -ENOMEM;
	*thread = (struct firefox_thread){ .thread = sample->thread, .event = sample->event };
	*ret_queue = (uint32_t)(firefox->threads.count - 1);
	return u64map_put(&firefox->queues, key, *ret_queue);
}

static int sort_sample(void *context, const struct sample *sample)
{
	struct firefox *firefox = context;
	struct export *export = firefox->export;
	struct spool_record record = {
		.time_ns = export_time_ns(export, sample->time_ns),
		.weight = sample->weight,
		.context = sample->context,
	};
	uint32_t queue;

	if (paths_of_stack(&export->paths, sample->stack, &record.value) < 0 ||
	    queue_of(firefox, sample, &queue) < 0)
		return -ENOMEM;
	export->samples++;
	return spool_add(&firefox->spool, queue, &record, export->err);
}

/* ---- the file ---- */

static void write_categories(struct json *json)
{
	static const char *const colors[CONTEXT_COUNT] = {
		[CONTEXT_USER] = "yellow",	[CONTEXT_SYSCALL] = "orange",
		[CONTEXT_EXCEPTION] = "purple", [CONTEXT_SOFTIRQ] = "lightblue",
		[CONTEXT_HARDIRQ] = "red",	[CONTEXT_NMI] = "magenta",
		[CONTEXT_IDLE] = "transparent", [CONTEXT_KTHREAD] = "green",
		[CONTEXT_KERNEL] = "blue",
	};

	json_open(json, "categories", '[');
	for (int i = 0; i <= CONTEXT_COUNT; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name",
			    i < CONTEXT_COUNT ? context_name((enum context)i) : "other");
		json_string(json, "color", i < CONTEXT_COUNT ? colors[i] : "grey");
		json_open(json, "subcategories", '[');
		json_string(json, NULL, "other");
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

static void write_losses(struct firefox *firefox)
{
	struct json *json = &firefox->json;
	char text[EXPORT_LOSS_MAX];

	json_open(json, "extra", '[');
	json_open(json, NULL, '{');
	json_string(json, "label", "Losses");
	json_open(json, "entries", '[');
	for (int i = 0; i < LOSS_COUNT; i++) {
		if (!export_loss_text(firefox->export->model, (enum loss)i, text, sizeof(text)))
			continue;
		json_open(json, NULL, '{');
		json_string(json, "label", loss_name((enum loss)i));
		json_string(json, "format", "string");
		json_string(json, "value", text);
		json_close(json);
	}
	json_close(json);
	json_close(json);
	json_close(json);
}

static double interval_ms(const struct model *model)
{
	const struct event *event = model->events.count ? &model->events.at[0] : NULL;

	if (event && event->is_time && event->period)
		return (double)event->period / NS_PER_MSEC;
	return event && event->frequency_hz ? 1000. / (double)event->frequency_hz : 1;
}

static void write_meta(struct firefox *firefox)
{
	const struct model *model = firefox->export->model;
	struct json *json = &firefox->json;

	json_open(json, "meta", '{');
	json_u64(json, "version", 27);
	json_u64(json, "preprocessedProfileVersion", 48);
	json_string(json, "product", export_title(firefox->export));
	json_string(json, "importedFrom", "assay " ASSAY_VERSION);
	json_double(json, "interval", interval_ms(model));
	json_u64(json, "startTime", model_fact_u64(model, FACT_START_REALTIME_NS) / NS_PER_MSEC);
	json_u64(json, "processType", 0);
	json_u64(json, "stackwalk", 1);
	json_bool(json, "symbolicated", true);
	json_bool(json, "debug", false);
	json_open(json, "sampleUnits", '{');
	json_string(json, "time", "ms");
	json_string(json, "eventDelay", "ms");
	json_string(json, "threadCPUDelta", "ns");
	json_close(json);
	json_open(json, "markerSchema", '[');
	json_close(json);
	write_categories(json);
	write_losses(firefox);
	json_close(json);
}

static int write_threads(struct firefox *firefox)
{
	struct firefox_writer writer = { .export = firefox->export,
					 .spool = &firefox->spool,
					 .json = &firefox->json,
					 .name_events = firefox->event_count > 1 };
	int rc = 0;

	json_open(&firefox->json, "threads", '[');
	for (uint32_t i = 0; i < firefox->threads.count; i++) {
		rc = firefox_thread_write(&writer, &firefox->threads.at[i], i);
		if (rc != 0)
			break;
	}
	json_close(&firefox->json);
	return rc;
}

static size_t count_events(const struct firefox *firefox)
{
	bool seen[256] = { false };
	size_t count = 0;

	for (size_t i = 0; i < firefox->threads.count; i++) {
		count += !seen[firefox->threads.at[i].event];
		seen[firefox->threads.at[i].event] = true;
	}
	return count;
}

static int firefox_write(struct export *export)
{
	_cleanup_(firefox_fini) struct firefox firefox = {
		.export = export,
		.spool = SPOOL_CLOSED,
		.json.out = export->out,
	};
	int rc = spool_open(&firefox.spool, TEMPORARY_FILES, export->err);

	if (rc < 0)
		return rc;
	rc = export_each_sample(export, sort_sample, &firefox);
	if (rc < 0)
		return rc;
	firefox.event_count = count_events(&firefox);
	json_open(&firefox.json, NULL, '{');
	write_meta(&firefox);
	json_open(&firefox.json, "libs", '[');
	json_close(&firefox.json);
	rc = write_threads(&firefox);
	json_close(&firefox.json);
	return rc;
}

const struct export_format export_firefox = {
	.name = "firefox",
	.description = "JSON for profiler.firefox.com, by thread in time order",
	.has_losses = true,
	.frames_have_lines = true,
	.write = firefox_write,
};
