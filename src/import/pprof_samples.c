/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds the samples of a profile to the model.
 *
 * A sample of a profile (a record) has one value for each type of the profile. The type named
 * "samples" counts samples, and each other type becomes an event. A heap profile has no type that
 * counts samples, so each of its records becomes one sample per event.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "import/pprof-private.h"
#include "import/wire.h"

#define VALUE_MAX (UINT64_C(1) << 62)	/* negative values are read as larger numbers */

struct pprof_sample {
	uint64_t values[PPROF_TYPES_MAX];
	size_t value_count;
	uint64_t comm, context;		/* indices in the file's string table; 0: missing */
	uint64_t tgid, tid;
	enum stack_root root;
};

static struct model *model_of(const struct pprof *pprof)
{
	return pprof->named.import->model;
}

static const char *text_of(const struct pprof *pprof, uint64_t index)
{
	return model_string(model_of(pprof), pprof_string(pprof, index));
}

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return true;
	return false;
}

/* ---- events ---- */

/* Returns the number of nanoseconds in @unit, or 0 if it is not a unit of time. */
static uint64_t scale_of(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "nanoseconds", 1 },
		{ "ns", 1 },
		{ "microseconds", 1000 },
		{ "us", 1000 },
		{ "milliseconds", NS_PER_MSEC },
		{ "ms", NS_PER_MSEC },
		{ "seconds", NS_PER_SEC },
		{ "s", NS_PER_SEC },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

/*
 * Returns true if the unit is "count". A missing unit is accepted too, because the file may be
 * truncated.
 */
static bool is_counted(const struct pprof *pprof, const struct pprof_type *type)
{
	const char *unit = text_of(pprof, type->unit);

	return !unit[0] || strcmp(unit, "count") == 0;
}

static bool is_count(const struct pprof *pprof, const struct pprof_type *type)
{
	return strcmp(text_of(pprof, type->name), "samples") == 0 && is_counted(pprof, type);
}

static int add_event(struct pprof *pprof, struct pprof_type *type)
{
	struct model *model = model_of(pprof);
	uint64_t scale = scale_of(text_of(pprof, type->unit));
	uint32_t name = pprof_string(pprof, type->name);
	size_t before = model->events.count;
	int event;

	if (!name) {
		loss_add(&model->losses, LOSS_RECORD_MALFORMED, 1);
		return 0;
	}
	event = named_event(&pprof->named, name, scale > 0);

	if (event < 0)
		return event;
	type->event = (size_t)event == before ? event : -1;
	type->scale = scale ? scale : 1;
	if (type->event < 0)	/* another type has the same name */
		loss_add(&model->losses, LOSS_RECORD_MALFORMED, 1);
	else if (scale && pprof->period && pprof->period < VALUE_MAX / scale &&
		 pprof_string(pprof, pprof->period_type.name) == name)
		named_clock(&model->events.at[event], pprof->period * scale);
	return 0;
}

/* The profile's default type becomes the first event. */
static int add_events(struct pprof *pprof)
{
	uint32_t first = pprof_string(pprof, pprof->default_type);

	pprof->count_type = -1;
	for (size_t i = 0; i < pprof->types.count && pprof->types.count > 1; i++)
		if (pprof->count_type < 0 && is_count(pprof, &pprof->types.at[i]))
			pprof->count_type = (int)i;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < pprof->types.count; i++) {
			struct pprof_type *type = &pprof->types.at[i];
			bool is_first = first && pprof_string(pprof, type->name) == first;
			int rc;

			if ((int)i == pprof->count_type || is_first != (pass == 0))
				continue;
			rc = add_event(pprof, type);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* ---- one sample ---- */

static void read_label(const struct pprof *pprof, struct byte_reader r, struct pprof_sample *sample)
{
	static const char *const comms[] = { "comm", "thread", "thread_name", "thread name", NULL };
	static const char *const tgids[] = { "pid", "tgid", "process_id", NULL };
	static const char *const tids[] = { "tid", "thread_id", "thread id", NULL };
	uint64_t key = 0, text = 0, number = 0;
	struct wire_field field;
	const char *name;

	while (wire_next(&r, &field)) {
		if (field.number == 1)
			key = field.value;
		else if (field.number == 2)
			text = field.value;
		else if (field.number == 3)
			number = field.value;
	}
	name = text_of(pprof, key);
	if (text && is_one_of(name, comms))
		sample->comm = text;
	else if (text && strcmp(name, "context") == 0)
		sample->context = text;
	else if (number <= INT32_MAX && is_one_of(name, tgids))
		sample->tgid = number;
	else if (number <= INT32_MAX && is_one_of(name, tids))
		sample->tid = number;
}

static int add_frames(struct pprof *pprof, const struct wire_field *field,
		      struct pprof_sample *sample)
{
	uint64_t id;
	size_t at = 0;

	while (wire_each_number(field, &at, &id)) {
		const struct pprof_location *location = pprof_place(pprof, id);
		uint32_t *frame;

		if (!location) {
			loss_add(&model_of(pprof)->losses, LOSS_REFERENCE_MISSING, 1);
			continue;
		}
		if (location->is_root) {
			sample->root = location->root;
			continue;
		}
		frame = vec_push(&pprof->frames);
		if (!frame)
			return -ENOMEM;
		*frame = location->location;
	}
	if (field->bytes && at < field->size_bytes) {
		loss_add(&model_of(pprof)->losses, LOSS_RECORD_MALFORMED, 1);
		sample->root = STACK_ROOT_BROKEN;
	}
	return 0;
}

static int read_sample(struct pprof *pprof, struct byte_reader r, struct pprof_sample *sample)
{
	struct wire_field field;
	int rc;

	vec_clear(&pprof->frames);
	while (wire_next(&r, &field)) {
		size_t at = 0;
		uint64_t value;

		if (field.number == 1) {
			rc = add_frames(pprof, &field, sample);
			if (rc < 0)
				return rc;
		} else if (field.number == 3 && field.bytes) {
			read_label(pprof, wire_message(&field), sample);
		}
		while (field.number == 2 && sample->value_count < PPROF_TYPES_MAX &&
		       wire_each_number(&field, &at, &value))
			sample->values[sample->value_count++] = value;
	}
	if (r.failed)
		loss_add(&model_of(pprof)->losses, LOSS_RECORD_MALFORMED, 1);
	return 0;
}

/*
 * If the sample is labeled with the name of a known context, returns that context. Otherwise
 * returns CONTEXT_KERNEL or CONTEXT_USER, depending on the image of the innermost frame.
 */
static enum context context_of(const struct pprof *pprof, const struct pprof_sample *sample)
{
	const struct model *model = model_of(pprof);
	int told = context_of_name(text_of(pprof, sample->context));
	uint32_t leaf = pprof->frames.count ? pprof->frames.at[0] : 0;

	if (sample->context && told >= 0)
		return (enum context)told;
	return model->images.at[model->locations.at[leaf].image].kind == IMAGE_KERNEL
		       ? CONTEXT_KERNEL
		       : CONTEXT_USER;
}

static uint32_t thread_of_sample(struct pprof *pprof, const struct pprof_sample *sample)
{
	uint32_t comm = pprof_string(pprof, sample->comm);

	pprof->has_threads |= comm != 0;
	return named_thread(&pprof->named, comm ? comm : pprof->main_comm, (uint32_t)sample->tgid,
			    (uint32_t)sample->tid);
}

/*
 * Some records count samples but have the value 0 for every event. For such a record, returns the
 * first event, so that the samples are not lost. For any other record, returns -1.
 */
static int event_without_value(const struct pprof *pprof, const struct pprof_sample *from)
{
	int first = -1;

	for (size_t i = pprof->types.count; i-- > 0;) {
		if (pprof->types.at[i].event >= 0 && from->values[i])
			return -1;
		if (pprof->types.at[i].event >= 0)
			first = pprof->types.at[i].event;
	}
	return pprof->count_type >= 0 && from->values[pprof->count_type] ? first : -1;
}

/*
 * For each event with a value other than 0, adds as many samples as the record counts. If the
 * record does not count samples, adds one. If the only type is itself a count, adds as many samples
 * as its value.
 */
static int add_values(struct pprof *pprof, const struct pprof_sample *from, struct sample *sample,
		      struct err *err)
{
	uint64_t count = pprof->count_type >= 0 ? from->values[pprof->count_type] : 1;
	bool is_alone = pprof->types.count == 1 && is_counted(pprof, &pprof->types.at[0]);
	int bare = event_without_value(pprof, from);

	if (count > VALUE_MAX) {
		loss_add(&model_of(pprof)->losses, LOSS_RECORD_MALFORMED, 1);
		count = 0;
	}
	for (size_t i = 0; i < from->value_count && i < pprof->types.count; i++) {
		const struct pprof_type *type = &pprof->types.at[i];
		uint64_t value = from->values[i];
		int rc;

		if (type->event < 0 || (value == 0 && type->event != bare))
			continue;
		if (value > VALUE_MAX / type->scale) {
			loss_add(&model_of(pprof)->losses, LOSS_RECORD_MALFORMED, 1);
			continue;
		}
		sample->event = (uint8_t)type->event;
		sample->weight = value * type->scale;
		if (is_alone && !model_of(pprof)->events.at[type->event].is_time)
			count = value;
		rc = named_add(&pprof->named, sample, count ? count : 1, err);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int take_sample(struct pprof *pprof, struct byte_reader r, struct err *err)
{
	struct pprof_sample from = { .root = STACK_ROOT_END };
	struct sample sample = { .late_ns = LATE_UNKNOWN };
	int rc = read_sample(pprof, r, &from);

	if (rc < 0)
		return rc;
	sample.context = (uint8_t)context_of(pprof, &from);
	sample.thread = thread_of_sample(pprof, &from);
	sample.stack = named_stack(&pprof->named, pprof->frames.at, pprof->frames.count, from.root);
	return add_values(pprof, &from, &sample, err);
}

/* ---- all samples ---- */

/*
 * Returns the name for the threads of samples that have no thread label: the file name of the first
 * mapping, which pprof also treats as the main program.
 */
static uint32_t main_comm(struct pprof *pprof)
{
	const char *path = pprof->mappings.count > 1 ? text_of(pprof, pprof->mappings.at[1].path)
						     : "";
	const char *slash = strrchr(path, '/');
	char name[256];

	(void)snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	return named_string(&pprof->named, name[0] ? name : "[pprof]",
			    strlen(name[0] ? name : "[pprof]"));
}

static void tell(struct pprof *pprof)
{
	static const enum import_lack lacks[] = {
		LACK_TIME, LACK_CPU, LACK_OWNERS, LACK_LATENESS, LACK_LEDGER, LACK_ENTRY, LACK_HOST,
	};
	struct import *import = pprof->named.import;

	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		import_lacks(import, lacks[i]);
	if (!pprof->has_threads)
		import_lacks(import, LACK_TASKS);
	if (pprof->time_ns && pprof->time_ns < VALUE_MAX)
		model_fact_set_u64(import->model, FACT_START_REALTIME_NS, pprof->time_ns);
	else
		import_lacks(import, LACK_DATE);
	if (pprof->duration_ns < VALUE_MAX)
		import->last_ns = pprof->duration_ns;
	for (size_t i = 0; i < pprof->comments.count; i++)
		(void)import_loss_text(import, text_of(pprof, pprof->comments.at[i]));
	model_fact_set(import->model, FACT_DESCRIBE, "pprof");
}

int pprof_enter(struct pprof *pprof, struct err *err)
{
	int rc = add_events(pprof);
	size_t at = 0;

	if (rc < 0)
		return rc;
	pprof->main_comm = main_comm(pprof);
	while (at < pprof->samples.count) {
		uint32_t size_bytes;

		memcpy(&size_bytes, pprof->samples.at + at, sizeof(size_bytes));
		at += sizeof(size_bytes);
		rc = take_sample(pprof, byte_reader_of(pprof->samples.at + at, size_bytes), err);
		if (rc != 0)
			return rc;
		at += size_bytes;
	}
	tell(pprof);
	return 0;
}
