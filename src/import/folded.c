/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads folded stacks. Each line contains one stack, with the frames from outermost to innermost,
 * and then the number of samples with that stack.
 *
 *	main;parse;read_[k] 42
 *
 * A name that ends with "_[k]" belongs to the kernel. The format has no addresses, no timestamps
 * and no processes. So each name becomes a location of its own. All kernel names are in one image,
 * and all other names are in another. A stack with the number 42 is 42 samples. Their event is
 * counted (sample.h), so a large number needs only one struct sample. Source: stackcollapse-perf.pl
 * and flamegraph.pl of FlameGraph, which define the format.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/name_text.h"
#include "import/import-private.h"
#include "import/named.h"
#include "import/text_lines.h"

#define KERNEL_MARK "_[k]"

struct folded {
	struct named named;
	/* the image for user names, then the image for kernel names; 0: not created yet */
	uint32_t images[2];
	uint32_t thread;
	VEC(uint32_t) outermost_first;	/* locations of the current line */
	VEC(uint32_t) locations;	/* the same locations, innermost first */
	uint64_t lines, stacks;		/* number of lines, and of those that are stacks */
};

struct line {
	const char *text;		/* not NUL-terminated */
	/* length of the text that precedes the space and the count */
	size_t stack_length;
	uint64_t count;
};

/* ---- lines ---- */

/*
 * Returns the index at which the number at the end of the text begins. Returns @length if the text
 * does not end with a space and digits.
 */
static size_t find_count(const char *text, size_t length)
{
	size_t at = length;

	while (at > 0 && isdigit((unsigned char)text[at - 1]))
		at--;
	return at > 1 && text[at - 1] == ' ' ? at : length;
}

/*
 * A valid line ends with exactly one whole number, the count, of at most INT64_MAX. A line with two
 * counts compares two profiles, and a fractional count is not a number of samples, so both are
 * rejected.
 */
static bool parse_line(const char *text, size_t length, struct line *ret_line)
{
	uint64_t count = 0;
	size_t at;

	at = find_count(text, length);
	if (at == length || find_count(text, at - 1) < at - 1 || memchr(text, '\0', length))
		return false;
	for (size_t i = at; i < length; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');

		if (count > (INT64_MAX - digit) / 10)
			return false;
		count = count * 10 + digit;
	}
	*ret_line = (struct line){ .text = text, .stack_length = at - 1, .count = count };
	return true;
}

/*
 * Returns true if a valid line is a stack. Lines of numbers alone, such as the costs in callgrind's
 * files, have the same form, but a stack without a letter has no name of a function.
 */
static bool has_letter(const struct line *line)
{
	for (size_t i = 0; i < line->stack_length; i++)
		if (isalpha((unsigned char)line->text[i]) || (line->text[i] & 0x80))
			return true;
	return false;
}

/* Returns true if the line is a comment, or consists only of spaces and tabs. */
static bool is_comment(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at == length || text[0] == '#';
}

static bool is_stack(const char *text, size_t length)
{
	struct line line;

	return parse_line(text, length, &line) && has_letter(&line);
}

size_t folded_count_lines(const uint8_t *head, size_t size_bytes, size_t *ret_lines)
{
	const char *text = (const char *)head, *end = text + size_bytes;
	size_t lines = 0, stacks = 0;

	for (const char *newline; text < end; text = newline ? newline + 1 : end) {
		size_t length;

		newline = memchr(text, '\n', (size_t)(end - text));
		length = (size_t)((newline ? newline : end) - text);
		if (length > 0 && text[length - 1] == '\r')
			length--;
		if (is_comment(text, length))
			continue;
		if (!newline && size_bytes == IMPORT_HEAD_BYTES &&
		    (lines > 0 || (memchr(text, ';', length) && !memchr(text, '\0', length))))
			stacks += lines == 0;	/* the rest of the line is not in @head */
		else
			stacks += is_stack(text, length);
		lines += newline || size_bytes < IMPORT_HEAD_BYTES || lines == 0;
	}
	*ret_lines = lines;
	return stacks;
}

/* At least half of the lines must be stacks. In other formats, a few lines look like stacks. */
static bool matches(const uint8_t *head, size_t size_bytes)
{
	size_t lines, stacks = folded_count_lines(head, size_bytes, &lines);

	return stacks > 0 && stacks >= lines - stacks;
}

/* ---- the model ---- */

static uint32_t image_of(struct folded *folded, bool kernel)
{
	struct named *named = &folded->named;
	const char *path = kernel ? "[kernel]" : "[folded]";

	if (!folded->images[kernel])
		folded->images[kernel] = named_image(named, named_string(named, path, strlen(path)),
						     kernel ? IMAGE_KERNEL : IMAGE_UNKNOWN);
	return folded->images[kernel];
}

static uint32_t location_of(struct folded *folded, const char *text, size_t length,
			    bool *ret_kernel)
{
	const size_t mark = strlen(KERNEL_MARK);
	struct named_line line = { 0 };
	struct named_place place = { .lines = &line, .line_count = 1 };

	*ret_kernel = length > mark && memcmp(text + length - mark, KERNEL_MARK, mark) == 0;
	length -= *ret_kernel ? mark : 0;
	line.name = named_text(&folded->named, text, length);
	place.image = image_of(folded, *ret_kernel);
	if (length == strlen(NAME_TEXT_EMPTY) && memcmp(text, NAME_TEXT_EMPTY, length) == 0)
		place.line_count = 0;
	else if (!line.name)
		return 0;
	return named_location(&folded->named, &place);
}

/*
 * Finds the next frame at or after *at, and moves *at behind it. Returns false if there are no more
 * frames.
 */
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

/*
 * Stores the stack of the line in *ret_stack. *ret_kernel is true if the innermost frame belongs to
 * the kernel. Returns 0 or -ENOMEM.
 */
static int stack_of(struct folded *folded, const struct line *line, bool *ret_kernel,
		    uint32_t *ret_stack)
{
	size_t at = 0, length;
	const char *text;

	vec_clear(&folded->outermost_first);
	vec_clear(&folded->locations);
	while (next_frame(line, &at, &text, &length)) {
		uint32_t *location = vec_push(&folded->outermost_first);

		if (!location || !vec_push(&folded->locations))
			return -ENOMEM;
		*location = location_of(folded, text, length, ret_kernel);
	}
	for (size_t i = 0, last = folded->locations.count; i < last; i++)
		folded->locations.at[i] = folded->outermost_first.at[last - 1 - i];
	*ret_stack = named_stack(&folded->named, folded->locations.at, folded->locations.count,
				 STACK_ROOT_END);
	return 0;
}

/* Creates the only thread of the model, which is named "[folded]", and the only event. */
static int begin(struct folded *folded)
{
	struct named *named = &folded->named;
	static const enum import_lack lacks[] = {
		LACK_TIME,   LACK_CPU,	LACK_DATE,  LACK_LATENESS,
		LACK_LEDGER, LACK_HOST, LACK_TASKS, LACK_PLACES,
	};
	int event;

	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		import_lacks(named->import, lacks[i]);
	folded->thread = named_thread(named, named_string(named, "[folded]", strlen("[folded]")), 0,
				      0);
	event = named_event(named, named_string(named, "samples", strlen("samples")), false);
	if (!folded->thread || event < 0)
		return -ENOMEM;
	named_counted(&named->import->model->events.at[event], 1);
	return 0;
}

static int take_line(void *context, const char *text, size_t length, struct err *err)
{
	struct folded *folded = context;
	struct losses *losses = &folded->named.import->model->losses;
	struct sample sample = { .thread = folded->thread, .late_ns = LATE_UNKNOWN };
	struct line line;
	bool kernel = false;

	if (is_comment(text, length))
		return 0;
	folded->lines++;
	if (!parse_line(text, length, &line)) {
		loss_add(losses, LOSS_LINE_MALFORMED, 1);
		return 0;
	}
	folded->stacks += has_letter(&line);
	if (line.count == 0)
		return 0;
	if (stack_of(folded, &line, &kernel, &sample.stack) < 0)
		return -ENOMEM;
	if (folded->locations.count == 0) {
		loss_add(losses, LOSS_LINE_MALFORMED, 1);
		return 0;
	}
	sample.weight = line.count;
	sample.context = kernel ? CONTEXT_KERNEL : CONTEXT_USER;
	return named_add(&folded->named, &sample, line.count, err);
}

static void folded_fini(struct folded *folded)
{
	named_fini(&folded->named);
	vec_free(&folded->outermost_first);
	vec_free(&folded->locations);
}

static int read_folded(struct import *import, struct err *err)
{
	_cleanup_(folded_fini) struct folded folded = { .named.import = import };
	const struct text_reader reader = { .take = take_line, .context = &folded };
	int rc = begin(&folded);

	if (rc == 0)
		rc = text_lines_read(&import->source, &import->model->losses, &reader, err);
	if (rc < 0 && !(err && err->code))
		return err_sys(err, rc, "%s", import->path);
	if (rc == 0 && !import->options.format && folded.lines &&
	    folded.stacks < folded.lines - folded.stacks)
		return err_set(err, -EINVAL,
			       "%s: unknown file format; it begins like folded stacks, but only "
			       "%" PRIu64 " of %" PRIu64 " lines are stacks",
			       import->path, folded.stacks, folded.lines);
	model_fact_set(import->model, FACT_DESCRIBE, "folded stacks");
	return rc;
}

const struct import_format import_folded = {
	.name = "folded",
	.description = "folded stacks, as stackcollapse-perf.pl and others print them",
	.matches = matches,
	.has_comments = true,
	.read = read_folded,
};
