/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds the samples of a profile to the model.
 *
 * A sample of a profile (a record) has one value for each type of the profile. The type named
 * "samples" counts samples, and each other type becomes an event. A heap profile has no type that
 * counts samples, so each of its records becomes one sample per event.
 *
 * The records are read twice. The first pass finds the events of which each sample has the same
 * value. Such an event is counted (sample.h). Of any other event, a record becomes as many rows of
 * the recording as it counts samples, because the interval of a share depends on this number. If
 * all records together count more than ROWS_MAX samples, each row is for several of them.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "import/pprof-private.h"
#include "import/wire.h"
#include "model/wait.h"

#define VALUE_MAX ((uint64_t)INT64_MAX)	/* negative values are read as larger numbers */
#define ROWS_MAX (UINT64_C(1) << 20)

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

/* Returns the name of the type's event. A type without a name is called by its unit. */
static uint32_t name_of(struct pprof *pprof, const struct pprof_type *type)
{
	uint32_t name = pprof_string(pprof, type->name);

	if (!name)
		name = pprof_string(pprof, type->unit);
	return name ? name : named_string(&pprof->named, "value", strlen("value"));
}

static int add_event(struct pprof *pprof, struct pprof_type *type)
{
	struct model *model = model_of(pprof);
	uint64_t scale = scale_of(text_of(pprof, type->unit));
	uint32_t name = name_of(pprof, type);
	size_t before = model->events.count;
	int event = named_event(&pprof->named, name, scale > 0);

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

static void take_values(const struct wire_field *field, struct pprof_sample *sample)
{
	size_t at = 0;
	uint64_t value;

	while (field->number == 2 && sample->value_count < PPROF_TYPES_MAX &&
	       wire_each_number(field, &at, &value))
		sample->values[sample->value_count++] = value;
}

static int read_sample(struct pprof *pprof, struct byte_reader r, struct pprof_sample *sample)
{
	struct wire_field field;
	int rc;

	vec_clear(&pprof->frames);
	while (wire_next(&r, &field)) {
		if (field.number == 1) {
			rc = add_frames(pprof, &field, sample);
			if (rc < 0)
				return rc;
		} else if (field.number == 3 && field.bytes) {
			read_label(pprof, wire_message(&field), sample);
		}
		take_values(&field, sample);
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
	return pprof->count_type >= 0 && from->values[pprof->count_type] - 1 < VALUE_MAX ? first
											 : -1;
}

/* Returns the quotient, rounded up. @by is not 0. */
static uint64_t divided(uint64_t count, uint64_t by)
{
	return count / by + (count % by != 0);
}

/* Returns the number of samples that the record counts. A record that counts none is one sample. */
static uint64_t count_of(const struct pprof *pprof, const struct pprof_sample *from)
{
	uint64_t count = pprof->count_type >= 0 ? from->values[pprof->count_type] : 1;

	return count && count <= VALUE_MAX ? count : 1;
}

/*
 * Returns the value in the unit of the model. Returns 0, and counts @count samples as lost, if it
 * is out of range.
 */
static uint64_t weight_of(struct pprof *pprof, const struct pprof_type *type, uint64_t value,
			  uint64_t count)
{
	if (value <= VALUE_MAX / type->scale)
		return value * type->scale;
	if (value <= VALUE_MAX)	/* negative values are counted in the first pass */
		loss_add(&model_of(pprof)->losses, LOSS_WEIGHT_OVERFLOW, count);
	return 0;
}

/* For each event with a value other than 0, adds the samples that the record counts. */
static int add_values(struct pprof *pprof, const struct pprof_sample *from, struct sample *sample,
		      struct err *err)
{
	uint64_t count = count_of(pprof, from);
	int bare = event_without_value(pprof, from);

	for (size_t i = 0; i < from->value_count && i < pprof->types.count; i++) {
		const struct pprof_type *type = &pprof->types.at[i];
		const struct event *event;
		int rc;

		if (type->event < 0 || (from->values[i] == 0 && type->event != bare))
			continue;
		sample->event = (uint8_t)type->event;
		sample->weight = weight_of(pprof, type, from->values[i], count);
		if (sample->weight == 0 && type->event != bare)
			continue;
		event = &model_of(pprof)->events.at[type->event];
		rc = named_add(&pprof->named, sample,
			       event_is_counted(event) ? event_samples(event, sample->weight)
						       : divided(count, pprof->samples_per_row),
			       err);
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

/* ---- the first pass ---- */

static void compare_value(struct pprof_type *type, uint64_t value, uint64_t count)
{
	uint64_t weight = value <= VALUE_MAX / type->scale ? value * type->scale : 0;

	if (value > VALUE_MAX)
		return;
	if (!weight || count == 0 || count > VALUE_MAX || weight % count ||
	    (type->per_sample && type->per_sample != weight / count))
		type->varies = true;
	else
		type->per_sample = weight / count;
}

static void count_negative(struct pprof *pprof, struct pprof_type *type, uint64_t value)
{
	uint64_t amount = -value;

	if (value <= VALUE_MAX)
		return;
	loss_add(&model_of(pprof)->losses, LOSS_VALUE_NEGATIVE, 1);
	type->negative_count++;
	type->negative_sum += amount < UINT64_MAX - type->negative_sum
				      ? amount
				      : UINT64_MAX - type->negative_sum;
}

/* Adds the number of samples of a record to *total, and looks at its values. */
static void compare_values(struct pprof *pprof, struct byte_reader r, uint64_t *total)
{
	struct pprof_sample from = { 0 };
	struct wire_field field;
	uint64_t count;
	int bare;

	while (wire_next(&r, &field))
		take_values(&field, &from);
	count = count_of(pprof, &from);
	*total += count < VALUE_MAX - *total ? count : VALUE_MAX - *total;
	for (size_t i = 0; i < from.value_count && i < pprof->types.count; i++)
		count_negative(pprof, &pprof->types.at[i], from.values[i]);
	if (pprof->count_type < 0)
		return;
	bare = event_without_value(pprof, &from);
	for (size_t i = 0; i < from.value_count && i < pprof->types.count; i++) {
		struct pprof_type *type = &pprof->types.at[i];

		if (type->event >= 0 && (from.values[i] || type->event == bare))
			compare_value(type, from.values[i], from.values[pprof->count_type]);
	}
}

/* If the only type is itself a number, the number is that of the samples. */
static void find_counted(struct pprof *pprof)
{
	struct model *model = model_of(pprof);

	for (size_t i = 0; i < pprof->types.count; i++) {
		struct pprof_type *type = &pprof->types.at[i];
		struct event *event = type->event >= 0 ? &model->events.at[type->event] : NULL;
		bool is_alone = pprof->types.count == 1 && is_counted(pprof, type);

		if (!event || wait_kind_of_name(model_string(model, event->name)) >= 0)
			continue;
		if (is_alone && !event->is_time)
			type->per_sample = 1;
		if (!type->per_sample || type->varies)
			continue;
		if (event->is_time)
			named_clock(event, type->per_sample);
		named_counted(event, type->per_sample);
	}
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

static void tell_negative(struct pprof *pprof)
{
	char text[1024] = "";
	size_t length = 0;

	for (size_t i = 0; i < pprof->types.count && length < sizeof(text); i++) {
		const struct pprof_type *type = &pprof->types.at[i];

		if (!type->negative_count)
			continue;
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%s: %" PRIu64 " values, sum -%" PRIu64 " %s",
					   length ? "; " : "",
					   model_string(model_of(pprof), name_of(pprof, type)),
					   type->negative_count, type->negative_sum,
					   text_of(pprof, type->unit));
	}
	if (length)
		model_fact_set(model_of(pprof), FACT_NEGATIVE_VALUES, "%s", text);
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
	tell_negative(pprof);
	model_fact_set(import->model, FACT_DESCRIBE, "pprof");
}

/* Returns the next record, and moves *at behind it. */
static struct byte_reader next_record(const struct pprof *pprof, size_t *at)
{
	uint32_t size_bytes;

	memcpy(&size_bytes, pprof->samples.at + *at, sizeof(size_bytes));
	*at += sizeof(size_bytes) + size_bytes;
	return byte_reader_of(pprof->samples.at + *at - size_bytes, size_bytes);
}

int pprof_enter(struct pprof *pprof, struct err *err)
{
	int rc = add_events(pprof);
	uint64_t total = 0;

	if (rc < 0)
		return rc;
	pprof->main_comm = main_comm(pprof);
	for (size_t at = 0; at < pprof->samples.count;)
		compare_values(pprof, next_record(pprof, &at), &total);
	pprof->samples_per_row = total ? divided(total, ROWS_MAX) : 1;
	find_counted(pprof);
	for (size_t at = 0; at < pprof->samples.count;) {
		rc = take_sample(pprof, next_record(pprof, &at), err);
		if (rc != 0)
			return rc;
	}
	tell(pprof);
	return 0;
}
