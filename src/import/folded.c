/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: a line for each stack, frames from the outermost in, then how often it was seen.
 *
 *	main;parse;read_[k] 42
 *
 * "_[k]" behind a name marks the kernel's.  There is no place in the code, no time and no process:
 * each name is a location of its own, in one image for the kernel and one for all else, and a
 * stack seen 42 times is 42 samples.  Past FOLDED_SAMPLES_MAX a line is one sample that stands for
 * all of them.
 * Source: stackcollapse-perf.pl and flamegraph.pl of FlameGraph, which define the format.
 */
#include <ctype.h>
#include <errno.h>

#include "import/import-private.h"

#define FRAMES_MAX 4096u
#define FOLDED_SAMPLES_MAX (UINT64_C(64) << 20)
#define LINE_SAMPLES_MAX (UINT64_C(1) << 20)
#define LOCATIONS_MAX (1u << 20)
#define NODES_MAX (1u << 24)
#define KERNEL_MARK "_[k]"

struct folded {
	struct import *import;
	uint32_t images[2];		/* of the user's names and the kernel's; 0 until needed */
	uint32_t thread;
	uint64_t sample_count;
	bool in_long_line;
};

struct line {
	const char *text;		/* not terminated */
	size_t stack_length;		/* of the part before the count */
	uint64_t count;
};

/* ---- lines ---- */

/* Where the digits at the end of the text begin; @length: there are none, with a space before. */
static size_t find_count(const char *text, size_t length)
{
	size_t at = length;

	while (at > 0 && isdigit((unsigned char)text[at - 1]))
		at--;
	return at > 1 && text[at - 1] == ' ' ? at : length;
}

/* One count at its end: two are a comparison, and a part of a sample is none. */
static bool parse_line(const char *text, size_t length, struct line *ret_line)
{
	uint64_t count = 0;
	size_t at;

	if (length > 0 && text[length - 1] == '\r')
		length--;
	at = find_count(text, length);
	if (at == length || find_count(text, at - 1) < at - 1 || memchr(text, '\0', length))
		return false;
	for (size_t i = at; i < length; i++) {
		if (count > UINT64_MAX / 10 - 1)
			return false;
		count = count * 10 + (uint64_t)(text[i] - '0');
	}
	*ret_line = (struct line){ .text = text, .stack_length = at - 1, .count = count };
	return true;
}

/* The first line says it, comments aside: text, a space, a number. */
static bool matches(const uint8_t *head, size_t size_bytes)
{
	const char *text = (const char *)head, *end = text + size_bytes;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);
		struct line line;

		if (length > 0 && text[0] != '#')
			return parse_line(text, length, &line) ||
			       (!newline && size_bytes == IMPORT_HEAD_BYTES &&
				memchr(text, ';', length) && !memchr(text, '\0', length));
		text += length + 1;
	}
	return false;
}

/* ---- the model ---- */

static uint32_t image_of(struct folded *folded, bool kernel)
{
	struct model *model = folded->import->model;
	struct image image = {
		.kind = kernel ? IMAGE_KERNEL : IMAGE_UNKNOWN,
		.path = model_intern(model, kernel ? "[kernel]" : "[folded]"),
	};

	if (!folded->images[kernel])
		folded->images[kernel] = model_image_id(model, &image);
	return folded->images[kernel];
}

static uint32_t new_location(struct folded *folded, uint32_t image, uint32_t name)
{
	struct model *model = folded->import->model;
	bool is_known = strcmp(model_string(model, name), "[unknown]") != 0;
	struct function function = {
		.name = name,
		.image = image,
		.quality = is_known ? QUALITY_SYMTAB : QUALITY_NONE,
		.vaddr = name,
	};
	uint32_t location;

	if (model->locations.count > LOCATIONS_MAX) {
		loss_add(&model->losses, LOSS_LOCATION_BUDGET, 1);
		return 0;
	}
	location = model_location_id(model, image, name);
	if (location)
		model->locations.at[location].function = model_function_id(model, &function);
	return location;
}

static uint32_t location_of(struct folded *folded, const char *text, size_t length,
			    bool *ret_kernel)
{
	const size_t mark = strlen(KERNEL_MARK);
	struct model *model = folded->import->model;
	uint32_t name, image, location;

	*ret_kernel = length > mark && memcmp(text + length - mark, KERNEL_MARK, mark) == 0;
	if (*ret_kernel)
		length -= mark;
	if (length > STRPOOL_MAX) {
		loss_add(&model->losses, LOSS_STRING_CUT, 1);
		length = STRPOOL_MAX;
	}
	if (strpool_intern(&model->strings, text, length, &name) < 0) {
		loss_add(&model->losses, LOSS_MEMORY, 1);
		return 0;
	}
	image = image_of(folded, *ret_kernel);
	location = model_location_find(model, image, name);
	return location ? location : new_location(folded, image, name);
}

/* The next frame at *at or behind it, which moves on; false: there is none. */
static bool next_frame(const struct line *line, size_t *at, const char **ret_text,
		       size_t *ret_length)
{
	const char *end;

	while (*at < line->stack_length && line->text[*at] == ';')
		++*at;
	if (*at == line->stack_length)
		return false;
	*ret_text = line->text + *at;
	end = memchr(*ret_text, ';', line->stack_length - *at);
	*ret_length = end ? (size_t)(end - *ret_text) : line->stack_length - *at;
	*at += *ret_length;
	return true;
}

static size_t count_frames(const struct line *line)
{
	const char *text;
	size_t at = 0, length, count = 0;

	while (next_frame(line, &at, &text, &length))
		count++;
	return count;
}

/*
 * Of too many frames the innermost are kept, and of stacks past all budget the function itself: it
 * is what flat tables count.  A root where there is nothing at all.
 */
static uint32_t stack_of(struct folded *folded, const struct line *line, bool *ret_kernel)
{
	struct model *model = folded->import->model;
	size_t at = 0, length, count = count_frames(line);
	size_t limit = model->stacks.count > NODES_MAX ? 1 : FRAMES_MAX;
	uint32_t stack = count > limit ? STACK_ROOT_TRUNCATED : STACK_ROOT_END;
	const char *text;

	if (count > limit)
		loss_add(&model->losses, limit == 1 ? LOSS_STACK_BUDGET : LOSS_STACK_TRUNCATED, 1);
	for (; next_frame(line, &at, &text, &length); count--) {
		uint32_t location;

		if (count > limit)
			continue;
		location = location_of(folded, text, length, ret_kernel);
		if (location)
			stack = model_stack_id(model, stack, location);
	}
	return stack;
}

/* There is one process, called as the format is. */
static int begin(struct folded *folded)
{
	struct import *import = folded->import;
	struct model *model = import->model;
	struct event *event = vec_push(&model->events);
	struct process process = { .instance = 1, .uid = UINT32_MAX };
	static const enum import_lack lacks[] = {
		LACK_TIME, LACK_CPU, LACK_DATE, LACK_LATENESS, LACK_LEDGER, LACK_TASKS, LACK_PLACES,
	};

	if (!event)
		return -ENOMEM;
	event->name = model_intern(model, "samples");
	event->period = 1;
	process.application = model_application_id(model, model_intern(model, "[folded]"));
	if (!process.application)
		return -ENOMEM;
	model->applications.at[process.application].instance_count = 1;
	folded->thread = model_thread_add(
		model, &(struct thread){ .process = model_process_add(model, &process) });
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		import_lacks(import, lacks[i]);
	return folded->thread ? 0 : -ENOMEM;
}

static int add_samples(struct folded *folded, const struct line *line, struct err *err)
{
	struct import *import = folded->import;
	uint64_t count = line->count < LINE_SAMPLES_MAX ? line->count : LINE_SAMPLES_MAX;
	bool kernel = false;
	struct sample sample = {
		.thread = folded->thread,
		.late_ns = LATE_UNKNOWN,
		.stack = stack_of(folded, line, &kernel),
	};
	int rc = 0;

	if (sample.stack < STACK_ROOT_COUNT) {	/* no frame at all */
		loss_add(&import->model->losses, LOSS_LINE_MALFORMED, 1);
		return 0;
	}
	if (folded->sample_count > FOLDED_SAMPLES_MAX)
		count = 1;
	sample.context = kernel ? CONTEXT_KERNEL : CONTEXT_USER;
	for (uint64_t i = 0; rc == 0 && i < count; i++) {
		struct sample *slot = vec_push(&import->batch.samples);

		if (!slot)
			return -ENOMEM;
		*slot = sample;
		slot->weight = line->count / count + (i < line->count % count);
		rc = import_maybe_flush(import, err);
	}
	folded->sample_count += count;
	return rc;
}

/* ---- reading ---- */

static int take_line(struct folded *folded, const char *text, size_t length, struct err *err)
{
	struct losses *losses = &folded->import->model->losses;
	struct line line;

	if (length == 0 || text[0] == '#' || text[0] == '\r')
		return 0;
	if (!parse_line(text, length, &line)) {
		loss_add(losses, LOSS_LINE_MALFORMED, 1);
		return 0;
	}
	return line.count ? add_samples(folded, &line, err) : 0;
}

/* The lines that are whole; @last: also what stands behind the last newline. */
static int take_lines(struct folded *folded, const char *text, size_t size_bytes, bool last,
		      size_t *ret_taken, struct err *err)
{
	size_t at = 0;
	int rc = 0;

	while (rc == 0 && at < size_bytes) {
		const char *newline = memchr(text + at, '\n', size_bytes - at);
		size_t length = newline ? (size_t)(newline - text) - at : size_bytes - at;

		if (!newline && !last)
			break;
		if (!folded->in_long_line)
			rc = take_line(folded, text + at, length, err);
		folded->in_long_line = false;
		at += length + (newline != NULL);
	}
	*ret_taken = at;
	return rc;
}

/* A line that does not fit is passed over, in pieces. */
static void pass_over(struct folded *folded)
{
	if (!folded->in_long_line)
		loss_add(&folded->import->model->losses, LOSS_LINE_MALFORMED, 1);
	folded->in_long_line = true;
}

static int read_lines(struct folded *folded, struct err *err)
{
	struct byte_source *source = &folded->import->source;
	const uint8_t *bytes;
	size_t size, taken;
	int rc;

	for (;;) {
		rc = byte_source_peek(source, BYTE_SOURCE_BUFFER, &bytes, &size);
		if (rc < 0 || size == 0)
			return rc;
		rc = take_lines(folded, (const char *)bytes, size, size < BYTE_SOURCE_BUFFER,
				&taken, err);
		if (rc < 0)
			return rc;
		if (taken == 0) {
			pass_over(folded);
			taken = size;
		}
		byte_source_take(source, taken);
	}
}

static int read_folded(struct import *import, struct err *err)
{
	struct folded folded = { .import = import };
	int rc = begin(&folded);

	if (rc == 0)
		rc = read_lines(&folded, err);
	if (rc < 0 && !(err && err->code))
		return err_sys(err, rc, "%s", import->path);
	model_fact_set(import->model, "describe", "folded stacks");
	return rc;
}

static const struct image_file *no_file(struct import *import, uint32_t image)
{
	return NULL;
}

static void nothing_to_free(struct import *import)
{
}

const struct import_format import_folded = {
	.name = "folded",
	.matches = matches,
	.read = read_folded,
	.image_file = no_file,
	.free = nothing_to_free,
};
