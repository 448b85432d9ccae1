/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes version 48 of the Firefox Profiler's processed format (docs-developer/ of
 * github.com/firefox-devtools/profiler). Later versions of the profiler can also read version 48.
 *
 * Each thread is one track with its own set of tables, and its waits and spans are markers of this
 * track. If a thread has samples of several other events, each of them is a track, because a track
 * can have only one kind of weight. The samples are first sorted by track, in a file on disk. The
 * format has no field for the context of a sample. Instead, the context is stored as the category
 * of the innermost node of the sample's stack. Stacks that differ only in context therefore have
 * different innermost nodes. The category of any other node is user code or kernel code.
 */
#include "export/firefox.h"

#include <inttypes.h>
#include <unistd.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/nameless_file.h"
#include "model/wait.h"

#define WAITS 256u			/* number of no event */

struct firefox {
	struct export *export;
	struct spool spool;
	struct json json;
	/* maps a pair of event and thread to a queue; waits have the event WAITS */
	struct u64map queues;
	VEC(struct firefox_thread) threads;	/* indexed by queue */
	int wait_kinds[256];			/* as in firefox_writer */
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
	bool is_wait = firefox->wait_kinds[sample->event] >= 0;
	uint64_t key = (uint64_t)(is_wait ? WAITS : sample->event) << 32 | sample->thread;
	struct firefox_thread *thread;

	if (u64map_get(&firefox->queues, key, ret_queue))
		return 0;
	thread = vec_push(&firefox->threads);
	if (!thread)
		return -ENOMEM;
	*ret_queue = (uint32_t)(firefox->threads.count - 1);
	*thread = (struct firefox_thread){
		.thread = sample->thread,
		.event = sample->event,
		.samples = is_wait ? FIREFOX_NO_QUEUE : *ret_queue,
		.waits = is_wait ? *ret_queue : FIREFOX_NO_QUEUE,
	};
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
		.event = sample->event,
	};
	uint32_t queue;

	if (paths_of_stack(&export->paths, sample->stack, &record.value) < 0 ||
	    queue_of(firefox, sample, &queue) < 0)
		return -ENOMEM;
	export->samples++;
	return spool_add(&firefox->spool, queue, &record, export->err);
}

static void find_waits(struct firefox *firefox)
{
	const struct export *export = firefox->export;

	for (size_t i = 0; i < 256; i++)
		firefox->wait_kinds[i] = !export->has_metric &&
							 model_event_is_span(export->model, i)
						 ? FIREFOX_SPAN
						 : -1;
	for (int kind = 0; !export->has_metric && kind < WAIT_KIND_COUNT; kind++) {
		uint32_t event = wait_event_of(export->model, (enum wait_kind)kind);

		if (event < 256)
			firefox->wait_kinds[event] = kind;
	}
}

/*
 * Moves the waits of each thread to the track of its first event. If the thread has no samples, its
 * waits stay a track of their own.
 */
static int join_waits(struct firefox *firefox)
{
	_cleanup_(u64map_fini) struct u64map first = { 0 };
	uint32_t known;

	for (uint32_t i = 0; i < firefox->threads.count; i++) {
		const struct firefox_thread *at = &firefox->threads.at[i];

		if (at->samples == FIREFOX_NO_QUEUE ||
		    (u64map_get(&first, at->thread, &known) &&
		     firefox->threads.at[known].event < at->event))
			continue;
		if (u64map_put(&first, at->thread, i) < 0)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < firefox->threads.count; i++) {
		struct firefox_thread *at = &firefox->threads.at[i];

		if (at->samples != FIREFOX_NO_QUEUE || !u64map_get(&first, at->thread, &known))
			continue;
		firefox->threads.at[known].waits = at->waits;
		at->waits = FIREFOX_NO_QUEUE;
	}
	return 0;
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
	firefox_write_schema(json);
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

	memcpy(writer.wait_kinds, firefox->wait_kinds, sizeof(writer.wait_kinds));
	json_open(&firefox->json, "threads", '[');
	for (uint32_t i = 0; i < firefox->threads.count; i++) {
		const struct firefox_thread *thread = &firefox->threads.at[i];

		if (thread->samples == FIREFOX_NO_QUEUE && thread->waits == FIREFOX_NO_QUEUE)
			continue;
		rc = firefox_thread_write(&writer, thread);
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
		if (firefox->threads.at[i].samples == FIREFOX_NO_QUEUE)
			continue;
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
	int rc = spool_open(&firefox.spool, NAMELESS_FILE_DIRECTORY, export->err);

	if (rc < 0)
		return rc;
	find_waits(&firefox);
	rc = export_each_sample(export, sort_sample, &firefox);
	if (rc == 0)
		rc = join_waits(&firefox);
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
	.has_spans = true,
	.write = firefox_write,
};
