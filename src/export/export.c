/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio_ext.h>

#include "analyze/group.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "export/export-private.h"

const struct export_format *const export_formats[] = {
#define FORMAT(name) &export_##name,
#include "export/formats.def"
#undef FORMAT
	NULL,
};

const struct export_format *export_format_find(const char *name)
{
	for (size_t i = 0; export_formats[i]; i++)
		if (strcmp(export_formats[i]->name, name) == 0)
			return export_formats[i];
	return NULL;
}

/* ---- reading ---- */

struct pass {
	struct export *export;
	export_sample_fn visit;
	void *context;
	bool by_metric;		/* samples have not passed the metric yet */
};

/* Prepares the filter. The metric decides which events are exported, not the filter. */
static int make_match(struct export *export)
{
	int rc = match_init(&export->match, &export->filter, export->model, export->start_ns);

	if (export->has_metric)
		memset(export->match.events, true, sizeof(export->match.events));
	if (rc < 0)
		return err_sys(export->err, rc, "cannot select samples");
	return match_read_spans(&export->match, &export->filter, export->recording, export->model,
				export->err);
}

/*
 * If the recording has no start timestamp, uses the timestamp of the first sample instead and
 * sets the time range of the filter again.
 */
static void begin_time(struct export *export, const struct sample_batch *batch)
{
	if (export->start_ns || !batch->samples.count)
		return;
	export->start_ns = batch->samples.at[0].time_ns;
	match_set_start(&export->match, &export->filter, export->start_ns);
}

static int visit_batch(void *context, const struct sample_batch *batch)
{
	const struct pass *pass = context;
	struct export *export = pass->export;
	int rc;

	begin_time(export, batch);
	export->counter_count = batch->counter_count;
	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample sample = batch->samples.at[i];

		sample_make_safe(export->model, &sample);
		if (!match_calls(&export->match, &sample) ||
		    (pass->by_metric && !metric_take(&export->metric, &sample)))
			continue;
		if (!match_sample(&export->match, &sample))
			continue;
		export->counters = batch->counters.at + i * batch->counter_count;
		rc = pass->visit(pass->context, &sample);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int export_each_sample(struct export *export, export_sample_fn visit, void *context)
{
	struct pass pass = { export, visit, context, export->has_metric };
	struct losses losses = export->model->losses;
	struct sample_range range = { .to_ns = UINT64_MAX };
	int rc;

	if (export->start_ns)
		range = (struct sample_range){ export->match.from_ns, export->match.to_ns };
	metric_begin(&export->metric);
	rc = recording_each_block(export->recording, export->model, &range, visit_batch, &pass,
				  export->err);
	pass.by_metric = false;
	/* it is not known when threads ran without being sampled */
	if (rc == 0 && !export->match.spans)
		rc = visit_batch(&pass, metric_rest(&export->metric));
	/*
	 * Undo the losses counted in this pass. Each pass finds the same damage, and export_write()
	 * has already counted it.
	 */
	export->model->losses = losses;
	return rc;
}

static int count_event(void *context, const struct sample *sample)
{
	uint64_t *samples = context;

	samples[sample->event]++;
	return 0;
}

int export_count_events(struct export *export, uint64_t samples[static 256])
{
	memset(samples, 0, 256 * sizeof(*samples));
	return export_each_sample(export, count_event, samples);
}

int export_read_stacks(struct export *export, struct profile *ret_profile)
{
	struct losses losses = export->model->losses;
	struct profile_options wanted = {
		.filter = &export->filter,
		.metric = export->has_metric ? &export->metric : NULL,
		.stacks_apart = true,
	};
	int rc;

	rc = profile_read(export->recording, export->model, &wanted, ret_profile, export->err);
	export->model->losses = losses;
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < 256; i++)
		export->samples += ret_profile->total_samples[i];
	return 0;
}

uint8_t export_only_event(struct export *export, const struct profile *profile)
{
	uint8_t event = profile_first_event(profile);

	for (size_t i = 0; i < 256; i++)
		export->left_out += i != event ? profile->total_samples[i] : 0;
	return event;
}

/* ---- names ---- */

const char *export_event_name(const struct export *export, uint8_t event)
{
	const struct model *model = export->model;

	return event < model->events.count ? string_of(model, model->events.at[event].name) : "?";
}

const char *export_event_unit(const struct export *export, uint8_t event, const char *of_time,
			      const char *of_events)
{
	const struct model *model = export->model;

	return event < model->events.count && model->events.at[event].is_time ? of_time : of_events;
}

const char *export_comm(const struct export *export, uint32_t thread)
{
	return string_of(export->model, thread_of(export->model, thread)->comm);
}

uint32_t export_tgid(const struct export *export, uint32_t thread)
{
	return process_of(export->model, thread_of(export->model, thread)->process)->tgid;
}

const char *export_title(const struct export *export)
{
	const char *command = model_fact(export->model, FACT_COMMAND);

	return command && *command ? command : export->options->path;
}

bool export_loss_text(const struct model *model, enum loss reason, char *text, size_t size_bytes)
{
	if (!model->losses.count[reason])
		return false;
	(void)snprintf(text, size_bytes, "%" PRIu64 " %s lost: %s", model->losses.count[reason],
		       loss_unit(reason), loss_name(reason));
	return true;
}

uint64_t export_time_ns(const struct export *export, uint64_t time_ns)
{
	return time_ns > export->start_ns ? time_ns - export->start_ns : 0;
}

char *export_escaped(const char *text, name_needs_fn needs)
{
	char *escaped = NULL;
	size_t size_bytes;
	FILE *out = open_memstream(&escaped, &size_bytes);

	if (!out)
		return NULL;
	name_text_write(out, text, needs);
	if (fclose(out) != 0) {
		free(escaped);
		return NULL;
	}
	return escaped;
}

void put_u64(FILE *out, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	(void)fwrite_unlocked(digits + at, 1, sizeof(digits) - at, out);
}

/* ---- the whole export ---- */

static void export_fini(struct export *export)
{
	match_fini(&export->match);
	metric_fini(&export->metric);
	paths_fini(&export->paths);
}

static int count_nothing(void *context, const struct sample_batch *batch)
{
	(void)context;
	(void)batch;
	return 0;
}

/*
 * Reads all blocks to count the damaged ones. Formats write the losses before the samples, so all
 * losses must be known before the first sample is written.
 */
static int find_damage(struct export *export)
{
	return recording_each_block(export->recording, export->model, NULL, count_nothing, NULL,
				    export->err);
}

/*
 * A format that stores several events gets each event by itself. In any other case, the samples
 * are those that reports show.
 */
static int make_metric(struct export *export)
{
	const struct metric_options options = { .filter = &export->filter, .states = true };

	export->has_metric = export->filter.wall || export->options->format->has_one_event;
	if (!export->has_metric)
		return 0;
	return metric_make(export->recording, export->model, &options, &export->metric,
			   export->err);
}

static int write_export(struct export *export)
{
	const struct export_options *options = export->options;
	int rc = make_metric(export);

	if (rc < 0)
		return rc;
	rc = make_match(export);
	if (rc < 0)
		return rc;
	rc = paths_init(&export->paths, export->model, options->inlined,
			options->format->frames_have_lines);
	if (rc < 0)
		return rc;
	rc = find_damage(export);
	if (rc < 0)
		return rc;
	(void)__fsetlocking(export->out, FSETLOCKING_BYCALLER);
	return options->format->write(export);
}

int export_write(struct recording *recording, struct model *model,
		 const struct export_options *options, FILE *out, struct export_count *ret_count,
		 struct err *err)
{
	_cleanup_(export_fini) struct export export = {
		.recording = recording,
		.model = model,
		.options = options,
		.filter = *options->filter,
		.profile.model = model,
		.start_ns = model_fact_u64(model, FACT_START_NS),
		.out = out,
		.err = err,
	};
	int rc;

	export.filter.no_spans = !options->format->has_spans;
	if (!export.filter.contexts)
		export.filter.contexts = GROUP_CONTEXTS_BUSY;
	rc = write_export(&export);
	*ret_count = (struct export_count){ export.samples, export.left_out };
	return rc == -ENOMEM ? err_set(err, rc, "no memory for the names in %s", options->path)
			     : rc;
}
