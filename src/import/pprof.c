/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a pprof profile field by field. The fields can be in any order. */
#include <errno.h>

#include "base/cleanup.h"
#include "import/pprof-private.h"
#include "import/wire.h"

#define COMMENTS_MAX 1000u
#define HEADER_BYTES 20u	/* enough for the tag and the size of any field */

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE,
	PROFILE_FIELD_LAST = 15,	/* URL of documentation */
};

static void malformed(struct pprof *pprof)
{
	loss_add(&pprof->named.import->model->losses, LOSS_RECORD_MALFORMED, 1);
}

/* ---- tables ---- */

/*
 * Fields whose numbers are below NUMBERS, as an array indexed by field number. Used for messages of
 * which only the numeric fields are needed.
 */
#define NUMBERS 7u

struct numbers {
	uint64_t of[NUMBERS];
};

static struct numbers read_numbers(struct byte_reader r)
{
	struct numbers numbers = { 0 };
	struct wire_field field;

	while (wire_next(&r, &field))
		if (field.number < NUMBERS && !field.bytes)
			numbers.of[field.number] = field.value;
	return numbers;
}

static struct pprof_type read_type(struct byte_reader r)
{
	const struct numbers numbers = read_numbers(r);

	return (struct pprof_type){
		.name = numbers.of[1],
		.unit = numbers.of[2],
		.event = -1,
		.scale = 1,
	};
}

static int add_type(struct pprof *pprof, struct byte_reader r)
{
	struct pprof_type *type;

	if (pprof->types.count == PPROF_TYPES_MAX) {
		malformed(pprof);
		return 0;
	}
	type = vec_push(&pprof->types);
	if (!type)
		return -ENOMEM;
	*type = read_type(r);
	return 0;
}

/*
 * Adds an id to the index. If several entries have the same id, the first is used. The id 0 is
 * invalid.
 */
static int enter_id(struct pprof *pprof, struct u64map *index, uint64_t id, size_t row)
{
	uint32_t known;

	if (id == 0 || u64map_get(index, id, &known)) {
		malformed(pprof);
		return 0;
	}
	return u64map_put(index, id, (uint32_t)row);
}

static int add_mapping(struct pprof *pprof, struct byte_reader r)
{
	const struct numbers numbers = read_numbers(r);
	struct pprof_mapping *mapping = vec_push(&pprof->mappings);

	if (!mapping)
		return -ENOMEM;
	*mapping = (struct pprof_mapping){
		.start_addr = numbers.of[2],
		.offset = numbers.of[4],
		.path = numbers.of[5],
		.build_id = numbers.of[6],
	};
	return enter_id(pprof, &pprof->mapping_index, numbers.of[1], pprof->mappings.count - 1);
}

static int add_function(struct pprof *pprof, struct byte_reader r)
{
	const struct numbers numbers = read_numbers(r);
	struct pprof_function *function = vec_push(&pprof->functions);

	if (!function)
		return -ENOMEM;
	*function = (struct pprof_function){
		.name = numbers.of[2],
		.linkage_name = numbers.of[3],
		.file = numbers.of[4],
	};
	return enter_id(pprof, &pprof->function_index, numbers.of[1], pprof->functions.count - 1);
}

static int add_line(struct pprof *pprof, struct byte_reader r)
{
	const struct numbers numbers = read_numbers(r);
	struct pprof_line *line;

	if (pprof->lines.count >= PPROF_ROWS_MAX) {
		malformed(pprof);
		return 0;
	}
	line = vec_push(&pprof->lines);
	if (!line)
		return -ENOMEM;
	*line = (struct pprof_line){ .function = numbers.of[1], .line = numbers.of[2] };
	return 0;
}

static int add_location(struct pprof *pprof, struct byte_reader r)
{
	struct pprof_location *location = vec_push(&pprof->locations);
	struct wire_field field;
	uint64_t id = 0;

	if (!location)
		return -ENOMEM;
	location->first_line = (uint32_t)pprof->lines.count;
	while (wire_next(&r, &field)) {
		if (field.number == 1) {
			id = field.value;
		} else if (field.number == 2) {
			location->mapping = field.value;
		} else if (field.number == 3) {
			location->addr = field.value;
		} else if (field.number == 4 && field.bytes) {
			int rc = add_line(pprof, wire_message(&field));

			if (rc < 0)
				return rc;
		}
	}
	location->line_count = (uint32_t)pprof->lines.count - location->first_line;
	return enter_id(pprof, &pprof->location_index, id, pprof->locations.count - 1);
}

static int add_string(struct pprof *pprof, const struct wire_field *field)
{
	uint32_t *string = vec_push(&pprof->strings);

	if (!string)
		return -ENOMEM;
	*string = named_text(&pprof->named, (const char *)field->bytes, field->size_bytes);
	return 0;
}

static int keep_sample(struct pprof *pprof, const struct wire_field *field)
{
	uint32_t size_bytes = (uint32_t)field->size_bytes;
	size_t before = pprof->samples.count;

	if (before + sizeof(size_bytes) + size_bytes > PPROF_SAMPLES_BYTES_MAX) {
		loss_add(&pprof->named.import->model->losses, LOSS_MEMORY, 1);
		return 0;
	}
	if (vec_reserve(&pprof->samples, before + sizeof(size_bytes) + size_bytes) < 0)
		return -ENOMEM;
	memcpy(pprof->samples.at + before, &size_bytes, sizeof(size_bytes));
	memcpy(pprof->samples.at + before + sizeof(size_bytes), field->bytes, size_bytes);
	pprof->samples.count += sizeof(size_bytes) + size_bytes;
	return 0;
}

static int add_comments(struct pprof *pprof, const struct wire_field *field)
{
	uint64_t value, *comment;
	size_t at = 0;

	while (wire_each_number(field, &at, &value)) {
		if (pprof->comments.count >= COMMENTS_MAX)
			break;
		comment = vec_push(&pprof->comments);
		if (!comment)
			return -ENOMEM;
		*comment = value;
	}
	return 0;
}

static bool has_room(struct pprof *pprof)
{
	if (pprof->mappings.count < PPROF_ROWS_MAX && pprof->functions.count < PPROF_ROWS_MAX &&
	    pprof->locations.count < PPROF_ROWS_MAX && pprof->strings.count < PPROF_ROWS_MAX)
		return true;
	loss_add(&pprof->named.import->model->losses, LOSS_MEMORY, 1);
	return false;
}

static int take_message(struct pprof *pprof, const struct wire_field *field)
{
	switch (field->number) {
	case PROFILE_SAMPLE_TYPE:
		return add_type(pprof, wire_message(field));
	case PROFILE_SAMPLE:
		return keep_sample(pprof, field);
	case PROFILE_MAPPING:
		return has_room(pprof) ? add_mapping(pprof, wire_message(field)) : 0;
	case PROFILE_LOCATION:
		return has_room(pprof) ? add_location(pprof, wire_message(field)) : 0;
	case PROFILE_FUNCTION:
		return has_room(pprof) ? add_function(pprof, wire_message(field)) : 0;
	case PROFILE_STRING:
		return has_room(pprof) ? add_string(pprof, field) : 0;
	case PROFILE_PERIOD_TYPE:
		pprof->period_type = read_type(wire_message(field));
		return 0;
	case PROFILE_COMMENT:
		return add_comments(pprof, field);
	default:
		return 0;
	}
}

static int take_field(struct pprof *pprof, const struct wire_field *field)
{
	if (field->bytes)
		return take_message(pprof, field);
	switch (field->number) {
	case PROFILE_TIME_NANOS:
		pprof->time_ns = field->value;
		return 0;
	case PROFILE_DURATION_NANOS:
		pprof->duration_ns = field->value;
		return 0;
	case PROFILE_PERIOD:
		pprof->period = field->value;
		return 0;
	case PROFILE_COMMENT:
		return add_comments(pprof, field);
	case PROFILE_DEFAULT_TYPE:
		pprof->default_type = field->value;
		return 0;
	default:
		return 0;
	}
}

/* ---- the file ---- */

/*
 * Returns the size of the field at the beginning of @bytes, including its tag. Returns 0 if no
 * valid field begins there.
 */
static uint64_t field_bytes(const uint8_t *bytes, size_t size_bytes)
{
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	uint64_t tag = byte_reader_uleb(&r), size;

	if ((tag & 7) != 2) {
		struct wire_field field;

		r = byte_reader_of(bytes, size_bytes);
		return wire_next(&r, &field) ? r.at : 0;
	}
	size = byte_reader_uleb(&r);
	return r.failed || size > UINT32_MAX ? 0 : r.at + size;
}

/*
 * Skips the rest of the file and counts the skipped bytes as lost. @rest_bytes is the minimum that
 * is counted: the number of bytes that are known to be unusable or missing.
 */
static int cut(struct pprof *pprof, uint64_t rest_bytes)
{
	uint64_t skipped;
	int rc = byte_source_skip(&pprof->named.import->source, UINT64_MAX, &skipped);

	loss_add(&pprof->named.import->model->losses, LOSS_FILE_CUT,
		 skipped > rest_bytes ? skipped : rest_bytes);
	return rc;
}

/* Skips a field that is larger than any field of a real profile. */
static int pass_over(struct pprof *pprof, uint64_t wanted_bytes)
{
	uint64_t skipped;
	int rc = byte_source_skip(&pprof->named.import->source, wanted_bytes, &skipped);

	malformed(pprof);
	return rc < 0 || skipped == wanted_bytes ? rc : cut(pprof, wanted_bytes - skipped);
}

static int read_fields(struct pprof *pprof)
{
	struct byte_source *source = &pprof->named.import->source;
	const uint8_t *bytes;
	int rc;

	for (;;) {
		struct wire_field field;
		struct byte_reader r;
		uint64_t wanted;
		size_t size;

		rc = byte_source_peek(source, HEADER_BYTES, &bytes, &size);
		if (rc < 0 || size == 0)
			return rc;
		wanted = field_bytes(bytes, size);
		if (wanted == 0)
			return cut(pprof, size);
		if (wanted > source->room_bytes) {
			rc = pass_over(pprof, wanted);
			if (rc < 0)
				return rc;
			continue;
		}
		rc = byte_source_peek(source, (size_t)wanted, &bytes, &size);
		if (rc < 0)
			return rc;
		if (size < wanted)
			return cut(pprof, size);
		r = byte_reader_of(bytes, size);
		if (wire_next(&r, &field)) {
			rc = take_field(pprof, &field);
			if (rc < 0)
				return rc;
		}
		byte_source_take(source, (size_t)wanted);
	}
}

static void free_pprof(struct import *import)
{
	struct pprof *pprof = import->reader;

	if (!pprof)
		return;
	for (size_t i = 0; i < pprof->files.count; i++)
		image_file_fini(&pprof->files.at[i].file);
	named_fini(&pprof->named);
	u64map_fini(&pprof->mapping_index);
	u64map_fini(&pprof->function_index);
	u64map_fini(&pprof->location_index);
	vec_free(&pprof->strings);
	vec_free(&pprof->types);
	vec_free(&pprof->mappings);
	vec_free(&pprof->functions);
	vec_free(&pprof->lines);
	vec_free(&pprof->locations);
	vec_free(&pprof->samples);
	vec_free(&pprof->comments);
	vec_free(&pprof->frames);
	vec_free(&pprof->files);
	free(pprof);
	import->reader = NULL;
}

static int read_pprof(struct import *import, struct err *err)
{
	struct pprof *pprof = calloc(1, sizeof(*pprof));
	int rc;

	if (!pprof)
		return -ENOMEM;
	import->reader = pprof;
	pprof->named.import = import;
	rc = vec_push(&pprof->mappings) ? read_fields(pprof) : -ENOMEM;
	if (rc < 0)
		return rc;
	return pprof_enter(pprof, err);
}

static const struct image_file *image_file(struct import *import, uint32_t image)
{
	const struct pprof *pprof = import->reader;

	for (size_t i = 0; pprof && i < pprof->files.count; i++)
		if (pprof->files.at[i].image == image)
			return &pprof->files.at[i].file;
	return NULL;
}

/* A type without a name and a unit is an empty message. */
static bool is_type(struct byte_reader r)
{
	struct wire_field field;

	while (wire_next(&r, &field))
		if (field.bytes || field.number < 1 || field.number > 2)
			return false;
	return !r.failed;
}

static bool is_ours(const struct wire_field *field)
{
	switch (field->number) {
	case PROFILE_SAMPLE_TYPE:
	case PROFILE_PERIOD_TYPE:
		return field->bytes && is_type(wire_message(field));
	case PROFILE_SAMPLE:
	case PROFILE_MAPPING:
	case PROFILE_LOCATION:
	case PROFILE_FUNCTION:
	case PROFILE_STRING:
		return field->bytes;
	default:
		return field->number <= PROFILE_FIELD_LAST;
	}
}

/*
 * Returns true if @head consists of valid fields of a profile, in any order, and one of them is a
 * sample type. The last field may be incomplete.
 */
static bool matches(const uint8_t *head, size_t size_bytes)
{
	struct byte_reader r = byte_reader_of(head, size_bytes);
	struct wire_field field;
	bool typed = false;

	while (wire_next(&r, &field)) {
		if (!is_ours(&field))
			return false;
		typed |= field.number == PROFILE_SAMPLE_TYPE;
	}
	return typed;
}

const struct import_format import_pprof = {
	.name = "pprof",
	.description = "profile.proto, as go tool pprof reads it",
	.matches = matches,
	.read = read_pprof,
	.image_file = image_file,
	.free = free_pprof,
};
