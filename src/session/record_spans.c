/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "model/model.h"
#include "process/proc_read.h"
#include "session/record_amounts.h"
#include "stopwatch/probe_costs.h"
#include "stopwatch/stopwatch.h"

#define RING_BYTES_MIN (256u << 10)
#define RING_BYTES_MAX (4u << 20)
#define RINGS_SHARE 8		/* of the memory for rings */

/*
 * Whether a span is among the slowest is known only when the others are. So first all are sent, and
 * then twice as many as are slow.
 */
#define FIRST_JUDGED_NS (20 * NS_PER_MSEC)
#define JUDGED_NS (100 * NS_PER_MSEC)
#define SPARE_FACTOR 2
#define JUDGED_SPANS 50u	/* of fewer, all are sent */

struct record_spans {
	const struct record_spans_options *options;
	struct model *model;
	struct stopwatch *stopwatch;
	struct probe_costs costs;
	struct record_amounts amounts;
	uint32_t *events;		/* of the model, by span; SPAN_NO_EVENT: none yet */
	uint64_t start_ns, due_ns;
	struct probe_overhead overhead;
	bool is_enabled;
};

/* ---- which processes ---- */

static int check_target(const struct capture_options *capture, struct err *err)
{
	if (capture->target != TARGET_SYSTEM && capture->target != TARGET_COMMAND &&
	    (capture->target != TARGET_PROCESSES || capture->name_count))
		return err_set(err, -EOPNOTSUPP,
			       "spans can be measured in a command, in processes given by number, "
			       "or in all processes");
	if (capture->target != TARGET_SYSTEM && proc_is_in_pid_namespace())
		return err_set(err, -EOPNOTSUPP,
			       "in a pid namespace, spans can only be measured in all processes: "
			       "the kernel knows them by other ids");
	return 0;
}

static void set_target(const struct capture_options *capture, struct stopwatch_options *how)
{
	if (capture->target == TARGET_COMMAND) {
		how->tgids = &capture->command_tgid;
		how->tgid_count = 1;
	} else if (capture->target == TARGET_PROCESSES) {
		how->tgids = capture->ids;
		how->tgid_count = capture->id_count;
	}
}

/* ---- single spans ---- */

static size_t ring_bytes(const struct capture_options *capture)
{
	size_t most = capture->memory.rings_bytes / RINGS_SHARE, bytes = RING_BYTES_MIN;

	while (bytes < RING_BYTES_MAX && bytes * 2 <= most)
		bytes *= 2;
	return bytes;
}

static int set_records(const struct record_spans_parts *parts, struct stopwatch_options *how,
		       struct err *err)
{
	size_t event_count = capture_event_count(parts->capture);

	how->records = (struct stopwatch_records){
		.ring_bytes = ring_bytes(parts->capture_options),
		.ticks_fd = capture_ticks_fd(parts->capture),
		.event_count = (uint32_t)event_count,
		.tick_ns = parts->tick_ns,
		.wait_ns = parts->capture_options->off_cpu ? parts->capture_options->off_cpu_min_ns
							   : UINT64_MAX,
	};
	if (how->records.ticks_fd < 0)
		return err_set(err, -EOPNOTSUPP,
			       "spans can be measured only if the samples are taken inside the "
			       "kernel, not by perf's events");
	if (event_count > SPAN_SAMPLED_EVENTS)
		return err_set(err, -EOPNOTSUPP,
			       "with spans, at most %u events can be sampled, not %zu",
			       SPAN_SAMPLED_EVENTS, event_count);
	return 0;
}

/* ---- events ---- */

static bool is_taken(const struct model *model, const char *name)
{
	for (uint32_t i = 0; i < model->events.count; i++) {
		const char *other = span_event_name(model, i);

		if (other && strcmp(other, name) == 0)
			return true;
	}
	return false;
}

/* Two images may have the same file name: then the second one's path is in the name. */
static uint32_t add_event(struct model *model, const struct stopwatch_span *span)
{
	const char *slash = strrchr(span->image, '/');
	const char *image = slash ? slash + 1 : span->image;
	_cleanup_free_ char *name = NULL, *with_path = NULL;
	int length;

	if (span->kind == SPAN_FUNCTION)
		length = asprintf(&name, "%s:%s", image, span->name);
	else
		length = asprintf(&name, "%s%s",
				  span->kind == SPAN_SYSTEM_CALL       ? "syscall:"
				  : span->kind == SPAN_KERNEL_FUNCTION ? "kernel:"
								       : "",
				  span->name);
	if (length < 0)
		return SPAN_NO_EVENT;
	if (is_taken(model, name) && asprintf(&with_path, "%s:%s", span->image, span->name) < 0)
		return SPAN_NO_EVENT;
	return span_event_add(model, span->kind, with_path ? with_path : name);
}

/* Adds the event when it is first needed: a model has less room than a stopwatch has points. */
static uint32_t event_of(void *context, uint32_t i)
{
	struct record_spans *spans = context;
	struct stopwatch_span span;

	if (i >= stopwatch_span_count(spans->stopwatch))
		return SPAN_NO_EVENT;
	if (spans->events[i] == SPAN_NO_EVENT) {
		span = stopwatch_span(spans->stopwatch, i);
		spans->events[i] = add_event(spans->model, &span);
	}
	return spans->events[i];
}

/* ---- making ---- */

static int make_events(struct record_spans *spans, struct err *err)
{
	size_t count = stopwatch_span_count(spans->stopwatch);

	spans->events = malloc(count * sizeof(*spans->events));
	if (!spans->events)
		return err_sys(err, -ENOMEM, "spans");
	memset(spans->events, 0xff, count * sizeof(*spans->events));
	return 0;
}

static int open_amounts(struct record_spans *spans, const struct record_spans_parts *parts,
			struct stopwatch_options *how, struct err *err)
{
	const struct record_spans_options *options = spans->options;
	const struct record_amounts_options amounts = {
		.events = options->counters,
		.value = options->measure == SPAN_TIME ? NULL : options->value,
		.interrupts = options->interrupts,
		.waits = how->waits,
	};
	int rc;

	if (options->interrupts && !parts->irq_time)
		return err_set(err, -EOPNOTSUPP, "interrupts cannot be timed: %s",
			       model_fact(spans->model, FACT_IRQ_TIME));
	rc = record_amounts_open(&spans->amounts, &amounts, spans->model, err);
	how->counters = spans->amounts.counters.open;
	how->interrupts = options->interrupts ? parts->irq_time : NULL;
	how->measure = options->measure;
	how->argument = options->value;
	return rc;
}

/* The values of hits, at tracepoints for example, are all that is known of them. */
static int check_values(const struct record_spans *spans, struct err *err)
{
	for (size_t i = 0; i < stopwatch_span_count(spans->stopwatch); i++) {
		struct stopwatch_span span = stopwatch_span(spans->stopwatch, i);

		if (spans->options->measure != SPAN_TIME && span.kind == SPAN_JOINED)
			return err_set(err, -EOPNOTSUPP,
				       "%s takes no time; only values of calls can be recorded",
				       span.name);
	}
	return 0;
}

static void begin_judging(struct record_spans *spans)
{
	const struct record_spans_options *options = spans->options;
	bool sends_all = options->every || options->slow_share > 0;
	uint64_t least_ns = options->slow_ns ? options->slow_ns : UINT64_MAX;

	for (size_t i = 0; i < stopwatch_span_count(spans->stopwatch); i++)
		stopwatch_send_above(spans->stopwatch, i, sends_all ? 0 : least_ns);
}

static int make(struct record_spans *spans, const struct record_spans_parts *parts, struct err *err)
{
	const struct record_spans_options *options = parts->options;
	struct stopwatch_options how = {
		.what = options->what,
		.program_dirs = options->program_dirs,
		.return_probes = options->return_probes,
		.readers = parts->readers,
		.kallsyms = parts->kallsyms,
		.probe_ns = spans->costs.call_ns,
		.probe_counts = &spans->costs.call,
		.waits = parts->capture_options->off_cpu,
	};
	int rc = check_target(parts->capture_options, err);

	if (rc < 0)
		return rc;
	rc = set_records(parts, &how, err);
	if (rc < 0)
		return rc;
	set_target(parts->capture_options, &how);
	rc = open_amounts(spans, parts, &how, err);
	if (rc == 0)
		rc = stopwatch_find(&how, &spans->stopwatch, err);
	if (rc == 0)
		rc = check_values(spans, err);
	if (rc == 0)
		rc = make_events(spans, err);
	if (rc == 0)
		rc = probe_costs_measure(&how, &spans->costs, err);
	if (rc == 0)
		rc = stopwatch_load(spans->stopwatch, err);
	if (rc < 0)
		return rc;
	begin_judging(spans);
	return capture_add_spans(parts->capture,
				 &(struct capture_spans){
					 .ring_fd = stopwatch_records_fd(spans->stopwatch),
					 .ring_bytes = how.records.ring_bytes,
					 .event_of = event_of,
					 .context = spans,
					 .amounts = spans->amounts.sent,
					 .amount_count = spans->amounts.count,
				 },
				 err);
}

int record_spans_new(const struct record_spans_parts *parts, struct record_spans **ret_spans,
		     struct err *err)
{
	struct record_spans *spans = calloc(1, sizeof(*spans));
	int rc;

	if (!spans)
		return err_sys(err, -ENOMEM, "spans");
	spans->options = parts->options;
	spans->model = parts->model;
	rc = make(spans, parts, err);
	if (rc < 0) {
		record_spans_free(spans);
		return rc;
	}
	*ret_spans = spans;
	return 0;
}

void record_spans_say(const struct record_spans *spans, const struct session_listener *listener)
{
	size_t count, slow;
	uint64_t most_ns;

	if (!spans)
		return;
	count = stopwatch_span_count(spans->stopwatch);
	most_ns = probe_costs_most_ns(&spans->costs, spans->stopwatch, &slow);
	if (most_ns)
		session_note(listener, "%zu %s; each measured call takes up to %.1f us longer",
			     count, count == 1 ? "point" : "points", (double)most_ns / NS_PER_USEC);
	if (stopwatch_left_out(spans->stopwatch))
		session_note(listener,
			     "functions left out, because their code cannot be decoded or probed: "
			     "%zu",
			     stopwatch_left_out(spans->stopwatch));
}

void record_spans_free(struct record_spans *spans)
{
	if (!spans)
		return;
	stopwatch_free(spans->stopwatch);
	record_amounts_close(&spans->amounts);
	free(spans->events);
	free(spans);
}

/* Returns true if it follows from other spans which ones are sent because they are slow. */
static bool estimates_slow(const struct record_spans_options *options)
{
	return options->slow_share > 0 && !options->every;
}

void record_spans_enable(struct record_spans *spans)
{
	if (!spans)
		return;
	stopwatch_enable(spans->stopwatch);
	spans->is_enabled = true;
	spans->start_ns = clock_monotonic_ns();
	probe_overhead_begin(&spans->overhead, spans->start_ns);
	if (estimates_slow(spans->options) || spans->options->max_overhead_percent > 0)
		spans->due_ns = spans->start_ns + FIRST_JUDGED_NS;
}

void record_spans_disable(struct record_spans *spans)
{
	if (!spans || !spans->is_enabled)
		return;
	stopwatch_disable(spans->stopwatch);
	spans->is_enabled = false;
	spans->due_ns = 0;
}

/* ---- results ---- */

static uint64_t slow_ns(const struct record_spans_options *options, const struct span_times *times)
{
	if (options->slow_share > 0)
		return (uint64_t)span_percentile(times, options->slow_share).ns;
	return options->slow_ns;
}

static int add_buckets(struct span_total *total, const struct span_times *times)
{
	vec_clear(&total->buckets);
	for (uint32_t i = 0; i < SPAN_BUCKETS; i++) {
		const struct span_bucket bucket = {
			.from_ns = span_bucket_start_ns(i),
			.to_ns = span_bucket_start_ns(i + 1),
			.count = times->buckets[i],
		};

		if (bucket.count && span_total_add_bucket(total, &bucket) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool is_empty(const struct span_times *times)
{
	uint64_t count = times->count;

	for (size_t i = 0; i < SPAN_MISSES; i++)
		count += times->misses[i];
	return count == 0;
}

/* Spans that the recording lacks. */
struct lost {
	uint64_t unsent, without_event;
};

static int read_total(struct record_spans *spans, uint32_t i, struct lost *lost)
{
	enum probe_cost cost = stopwatch_span(spans->stopwatch, i).cost;
	uint64_t inside_ns = spans->costs.inside_ns[cost];
	const uint64_t *inside_counts = spans->costs.inside.at[cost];
	struct span_total *total;
	struct span_times times;
	uint32_t event;

	stopwatch_read(spans->stopwatch, i, &times);
	if (is_empty(&times))
		return 0;
	event = event_of(spans, i);
	if (event == SPAN_NO_EVENT) {
		lost->without_event += times.count;
		return 0;
	}
	total = span_total_of(&spans->model->spans, event);
	if (!total)
		return -ENOMEM;
	total->slow_ns = times.count ? slow_ns(spans->options, &times) : 0;
	span_times_subtract(&times, inside_ns);
	span_times_subtract_counts(&times, inside_counts);
	total->count = times.count;
	total->ns = (uint64_t)times.total_ns;
	total->square_ns2 = times.square_ns2;
	total->least_ns = times.least_ns;
	total->most_ns = times.most_ns;
	total->open = times.misses[SPAN_OPEN];
	total->no_entry = times.misses[SPAN_NO_ENTRY];
	total->too_deep = times.misses[SPAN_TOO_DEEP];
	total->no_memory = times.misses[SPAN_NO_MEMORY];
	total->unsent = times.unsent;
	total->inside_ns = inside_ns;
	lost->unsent += times.unsent;
	if (record_amounts_read(&spans->amounts, &times, inside_counts, total) < 0)
		return -ENOMEM;
	return add_buckets(total, &times);
}

void record_spans_read(struct record_spans *spans)
{
	struct losses *losses;
	struct lost lost = { 0 };

	if (!spans)
		return;
	losses = &spans->model->losses;
	for (uint32_t i = 0; i < stopwatch_span_count(spans->stopwatch); i++)
		if (read_total(spans, i, &lost) < 0)
			loss_add(losses, LOSS_MEMORY, 1);
	losses->count[LOSS_SPAN_RING_FULL] = lost.unsent;
	losses->count[LOSS_SPAN_NO_ROOM] = lost.without_event;
	losses->count[LOSS_SPAN_SKIPPED] = stopwatch_skipped(spans->stopwatch);
}

uint64_t record_spans_due_ns(const struct record_spans *spans)
{
	return spans ? spans->due_ns : 0;
}

static void estimate_slow(struct record_spans *spans)
{
	double share = 1 - SPARE_FACTOR * (1 - spans->options->slow_share);
	struct span_times times;

	for (size_t i = 0; i < stopwatch_span_count(spans->stopwatch) && share > 0; i++) {
		stopwatch_read(spans->stopwatch, i, &times);
		if (times.count >= JUDGED_SPANS)
			stopwatch_send_above(spans->stopwatch, i,
					     (uint64_t)span_percentile(&times, share).ns);
	}
}

static void check_overhead(struct record_spans *spans, uint64_t now_ns,
			   const struct session_listener *listener)
{
	double percent = probe_overhead_percent(&spans->overhead, spans->stopwatch, &spans->costs,
						now_ns);

	if (percent <= spans->options->max_overhead_percent)
		return;
	record_spans_disable(spans);
	session_note(listener,
		     "the probes took about %.2g%% of the machine's CPU time, more than %.3g%%, "
		     "and were removed after %.1f s",
		     percent, spans->options->max_overhead_percent,
		     (double)(now_ns - spans->start_ns) / NS_PER_SEC);
}

void record_spans_judge(struct record_spans *spans, uint64_t now_ns,
			const struct session_listener *listener)
{
	if (!spans || !spans->due_ns || now_ns < spans->due_ns)
		return;
	spans->due_ns = now_ns + JUDGED_NS;
	if (estimates_slow(spans->options))
		estimate_slow(spans);
	if (spans->options->max_overhead_percent > 0)
		check_overhead(spans, now_ns, listener);
}
