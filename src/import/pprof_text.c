/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the text formats of pprof's profiles, which are older than its protobuf format. Go programs
 * still print them with debug=1.
 *
 *	heap profile: 101: 6554016 [102: 6555552] @ heap/8192
 *	100: 6553600 [100: 6553600] @ 0x4b4191 0x4b4334
 *	#	0x4b4190	main.keep+0x50	/src/main.go:5
 *
 *	--- contention:				or --- mutex:
 *	cycles/second=2099997339
 *	sampling period=1
 *	387293010 24 @ 0x4b4296 0x4b4275
 *
 *	goroutine profile: total 8		or another name
 *	7 @ 0x4378b6 0x40619b
 *
 * A record is a line of values and of addresses after calls, innermost first. Go adds comments with
 * the names of most frames; the addresses in comments are one less. Values are scaled in the same
 * way as by go tool pprof. Memory maps after the records are not read. Source: profile/
 * legacy_profile.go of github.com/google/pprof, runtime/pprof/pprof.go of Go 1.19.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hex.h"
#include "import/import-private.h"
#include "import/named.h"
#include "import/text_lines.h"

#define VALUES_MAX 4u

enum kind { KIND_NONE, KIND_HEAP, KIND_CONTENTION, KIND_COUNT };

/* A frame that a comment names. */
struct remark {
	uint64_t addr, offset;
	struct named_line line;
	bool has_offset;
};

struct pprof_text {
	struct named named;
	enum kind kind;
	/* heap: bytes per sample, 0: values need no scaling; contention: events per sample */
	uint64_t period;
	uint64_t cycles_hz;	/* 0: delays are in nanoseconds */
	uint32_t image, thread;
	size_t event_count;
	bool is_over;		/* the rest of the file has no records */
	/* the current record, which ends at the next one */
	bool has_record;
	uint64_t values[VALUES_MAX];	/* by event */
	VEC(uint64_t) addrs;
	VEC(struct remark) remarks;
	VEC(uint32_t) locations;
};

/* The rest of a line. */
struct rest {
	const char *at, *end;
};

static void malformed(struct pprof_text *text)
{
	loss_add(&text->named.import->model->losses, LOSS_LINE_MALFORMED, 1);
}

/* ---- words ---- */

static bool take_text(struct rest *rest, const char *wanted)
{
	size_t length = strlen(wanted);

	if ((size_t)(rest->end - rest->at) < length || memcmp(rest->at, wanted, length) != 0)
		return false;
	rest->at += length;
	return true;
}

static void skip_blanks(struct rest *rest)
{
	while (rest->at < rest->end && (*rest->at == ' ' || *rest->at == '\t'))
		rest->at++;
}

/* Takes a number of at most INT64_MAX, and the blanks around it. */
static bool take_number(struct rest *rest, uint64_t *ret_number)
{
	uint64_t number = 0;
	const char *begin;

	skip_blanks(rest);
	for (begin = rest->at; rest->at < rest->end && isdigit((unsigned char)*rest->at);
	     rest->at++) {
		uint64_t digit = (uint64_t)(*rest->at - '0');

		if (number > (INT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*ret_number = number;
	if (rest->at == begin)
		return false;
	skip_blanks(rest);
	return true;
}

static bool take_hex(struct rest *rest, uint64_t *ret_number)
{
	const char *after;

	skip_blanks(rest);
	(void)take_text(rest, "0x");
	after = hex_parse(rest->at, rest->end, ret_number);
	rest->at = after ? after : rest->at;
	return after != NULL;
}

/* ---- the first line ---- */

struct header {
	enum kind kind;
	struct rest name;	/* of a count */
	uint64_t period;
	bool has_alloc;		/* the heap profile also has all allocations since the start */
};

/* Takes the text "objects: bytes [all objects: all bytes] @". A number may follow a minus sign. */
static bool take_heap(struct rest *rest, uint64_t values[static VALUES_MAX], bool *ret_is_negative)
{
	static const char *const marks[VALUES_MAX] = { ":", "[", ":", "]" };

	*ret_is_negative = false;
	for (size_t i = 0; i < VALUES_MAX; i++) {
		skip_blanks(rest);
		*ret_is_negative |= take_text(rest, "-");
		if (!take_number(rest, &values[i]) || !take_text(rest, marks[i]))
			return false;
	}
	skip_blanks(rest);
	return take_text(rest, "@");
}

static bool parse_heap(struct rest rest, struct header *ret_header)
{
	uint64_t sums[VALUES_MAX];
	bool is_negative, is_half;

	if (!take_text(&rest, "heap profile:") || !take_heap(&rest, sums, &is_negative))
		return false;
	skip_blanks(&rest);
	*ret_header = (struct header){
		.kind = KIND_HEAP,
		.has_alloc = (sums[2] && sums[2] != sums[0]) || (sums[3] && sums[3] != sums[1]),
	};
	if (take_text(&rest, "heapprofile"))
		return true;
	is_half = !take_text(&rest, "heapz_v2") && !take_text(&rest, "heap_v2");
	if (is_half && !take_text(&rest, "heap"))
		return false;
	if (take_text(&rest, "/") && !take_number(&rest, &ret_header->period))
		return false;
	ret_header->period /= is_half ? 2 : 1;
	return true;
}

static bool parse_header(const char *line, size_t length, struct header *ret_header)
{
	static const char mark[] = " profile: total ";
	struct rest rest = { line, line + length };
	const char *name_end = memmem(line, length, mark, strlen(mark));
	uint64_t total;

	*ret_header = (struct header){ .kind = KIND_CONTENTION, .period = 1 };
	if (take_text(&rest, "--- contentionz ") || take_text(&rest, "--- contention:") ||
	    take_text(&rest, "--- mutex:"))
		return true;
	if (parse_heap(rest, ret_header))
		return true;
	if (!name_end || name_end == line)
		return false;
	for (const char *at = line; at < name_end; at++)
		if (isspace((unsigned char)*at) || !isprint((unsigned char)*at))
			return false;
	rest.at = name_end + strlen(mark);
	*ret_header = (struct header){ .kind = KIND_COUNT, .name = { line, name_end } };
	return take_number(&rest, &total) && rest.at == rest.end;
}

static bool matches(const uint8_t *head, size_t size_bytes)
{
	const char *text = (const char *)head;
	const char *newline = size_bytes ? memchr(text, '\n', size_bytes) : NULL;
	struct header header;
	size_t length = newline ? (size_t)(newline - text) : size_bytes;

	if (length > 0 && text[length - 1] == '\r')
		length--;
	return length > 0 && parse_header(text, length, &header);
}

static int add_event(struct pprof_text *text, const char *name, size_t length, bool is_time)
{
	struct named *named = &text->named;
	int event = named_event(named, named_string(named, name, length), is_time);

	text->event_count++;
	return event < 0 ? event : 0;
}

/* The first event is the one that go tool pprof shows if it is not told another. */
static int begin(struct pprof_text *text, const struct header *header)
{
	static const char *const heap[] = { "inuse_space", "inuse_objects", "alloc_space",
					    "alloc_objects" };
	static const char *const live[] = { "space", "objects" };
	const char *const *names = header->has_alloc ? heap : live;
	struct named *named = &text->named;
	int rc = 0;

	text->kind = header->kind;
	text->period = header->period;
	text->image = named_image(named, named_string(named, "[pprof]", strlen("[pprof]")),
				  IMAGE_UNKNOWN);
	text->thread = named_thread(named, named_string(named, "[pprof]", strlen("[pprof]")), 0, 0);
	if (text->kind == KIND_COUNT) {
		rc = add_event(text, header->name.at, (size_t)(header->name.end - header->name.at),
			       false);
		if (rc == 0)
			named_counted(&named->import->model->events.at[0], 1);
	} else if (text->kind == KIND_CONTENTION) {
		rc = add_event(text, "delay", strlen("delay"), true);
		rc = rc < 0 ? rc : add_event(text, "contentions", strlen("contentions"), false);
	}
	for (size_t i = 0; text->kind == KIND_HEAP && rc == 0 && i < (header->has_alloc ? 4 : 2);
	     i++)
		rc = add_event(text, names[i], strlen(names[i]), false);
	return rc < 0 || !text->thread ? -ENOMEM : 0;
}

/* ---- values ---- */

static uint64_t whole(double value)
{
	return value < (double)INT64_MAX ? (uint64_t)value : UINT64_MAX;
}

/*
 * A heap profile has one sample per @period bytes on average. Estimates how many objects and bytes
 * the sampled ones stand for.
 */
static void scale_heap(uint64_t period, uint64_t *count, uint64_t *size_bytes)
{
	double factor;

	if (*count == 0 || *size_bytes == 0) {
		*count = *size_bytes = 0;
	} else if (period > 1) {
		factor = 1 / (1 - exp(-((double)*size_bytes / (double)*count) / (double)period));
		*count = whole((double)*count * factor);
		*size_bytes = whole((double)*size_bytes * factor);
	}
}

static bool take_heap_values(struct pprof_text *text, struct rest *rest)
{
	uint64_t found[VALUES_MAX], *values = text->values;
	bool is_negative;

	if (!take_heap(rest, found, &is_negative))
		return false;
	if (is_negative) {
		loss_add(&text->named.import->model->losses, LOSS_VALUE_NEGATIVE,
			 UINT64_C(0) + (found[0] != 0) + (found[1] != 0));
		found[0] = found[1] = 0;
	}
	for (size_t i = 0; i < VALUES_MAX; i += 2) {
		scale_heap(text->period, &found[i], &found[i + 1]);
		values[i] = found[i + 1];
		values[i + 1] = found[i];
	}
	return true;
}

static bool take_contention_values(struct pprof_text *text, struct rest *rest)
{
	uint64_t *values = text->values;

	if (!take_number(rest, &values[0]) || !take_number(rest, &values[1]))
		return false;
	if (text->period && text->cycles_hz)
		values[0] = whole((double)values[0] * (double)text->period /
				  ((double)text->cycles_hz / NS_PER_SEC));
	if (text->period && __builtin_mul_overflow(values[1], text->period, &values[1]))
		values[1] = UINT64_MAX;
	return take_text(rest, "@");
}

/* Takes the values of a record, and the "@" after them. */
static bool take_values(struct pprof_text *text, struct rest *rest)
{
	switch (text->kind) {
	case KIND_HEAP:
		return take_heap_values(text, rest);
	case KIND_CONTENTION:
		return take_contention_values(text, rest);
	default:
		return take_number(rest, &text->values[0]) && take_text(rest, "@");
	}
}

/* ---- records ---- */

/*
 * Returns the location of the frame at @addr. *next is the first remark that was not used yet. The
 * frames of one address have one remark each, innermost first.
 */
static uint32_t location_of(struct pprof_text *text, uint64_t addr, size_t *next)
{
	struct named_line lines[NAMED_LINES_MAX];
	struct named_place place = {
		.image = text->image,
		.has_addr = true,
		.addr = addr,
		.lines = lines,
	};
	size_t at = *next;

	while (at < text->remarks.count && text->remarks.at[at].addr != addr)
		at++;
	if (at == text->remarks.count)
		return named_location(&text->named, &place);
	for (; at < text->remarks.count && text->remarks.at[at].addr == addr &&
	       place.line_count < NAMED_LINES_MAX;
	     at++)
		lines[place.line_count++] = text->remarks.at[at].line;
	place.has_offset = place.line_count == 1 && text->remarks.at[at - 1].has_offset;
	place.offset = text->remarks.at[at - 1].offset;
	*next = at;
	return named_location(&text->named, &place);
}

static int add_values(struct pprof_text *text, struct sample *sample, struct err *err)
{
	for (size_t i = 0; i < text->event_count; i++) {
		uint64_t count = text->kind == KIND_COUNT ? text->values[i] : 1;
		int rc;

		if (text->values[i] == 0)
			continue;
		sample->event = (uint8_t)i;
		sample->weight = text->values[i];
		rc = named_add(&text->named, sample, count, err);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Adds the samples of the current record, if there is one. */
static int end_record(struct pprof_text *text, struct err *err)
{
	struct sample sample = {
		.thread = text->thread,
		.late_ns = LATE_UNKNOWN,
		.context = CONTEXT_USER,
	};
	size_t next = 0;

	if (!text->has_record)
		return 0;
	text->has_record = false;
	vec_clear(&text->locations);
	for (size_t i = 0; i < text->addrs.count; i++) {
		uint32_t *location = vec_push(&text->locations);

		if (!location)
			return -ENOMEM;
		*location = location_of(text, text->addrs.at[i], &next);
	}
	sample.stack = named_stack(&text->named, text->locations.at, text->locations.count,
				   STACK_ROOT_END);
	return add_values(text, &sample, err);
}

static int take_record(struct pprof_text *text, struct rest rest)
{
	uint64_t addr;

	vec_clear(&text->addrs);
	vec_clear(&text->remarks);
	memset(text->values, 0, sizeof(text->values));
	if (!take_values(text, &rest)) {
		malformed(text);
		return 0;
	}
	while (text->addrs.count <= NAMED_FRAMES_MAX && take_hex(&rest, &addr)) {
		uint64_t *slot = vec_push(&text->addrs);

		if (!slot)
			return -ENOMEM;
		*slot = addr - 1;
	}
	text->has_record = true;
	return 0;
}

/* ---- other lines ---- */

static struct rest take_column(struct rest *rest)
{
	struct rest column;

	while (rest->at < rest->end && *rest->at == '\t')
		rest->at++;
	column.at = rest->at;
	while (rest->at < rest->end && *rest->at != '\t')
		rest->at++;
	column.end = rest->at;
	return column;
}

/* Splits the text at the last @mark. Returns false if there is none. */
static bool split(struct rest *text, char mark, struct rest *ret_after)
{
	const char *at = memrchr(text->at, mark, (size_t)(text->end - text->at));

	if (!at)
		return false;
	*ret_after = (struct rest){ at + 1, text->end };
	text->end = at;
	return true;
}

/* Keeps a comment that names a frame: address, name with offset, and file with line. */
static int take_remark(struct pprof_text *text, struct rest rest)
{
	struct rest addr = take_column(&rest), name = take_column(&rest), file = take_column(&rest);
	struct named *named = &text->named;
	struct remark *remark, found = { 0 };
	uint64_t line;
	struct rest after;

	if (!take_hex(&addr, &found.addr) || addr.at != addr.end || name.at == name.end ||
	    text->remarks.count >= NAMED_FRAMES_MAX)
		return 0;
	found.has_offset = split(&name, '+', &after) && take_hex(&after, &found.offset);
	found.line.name = named_string(named, name.at, (size_t)(name.end - name.at));
	if (split(&file, ':', &after) && take_number(&after, &line) && line <= UINT32_MAX) {
		found.line.file = named_string(named, file.at, (size_t)(file.end - file.at));
		found.line.line = (uint32_t)line;
	}
	remark = vec_push(&text->remarks);
	if (!remark)
		return -ENOMEM;
	*remark = found;
	return 0;
}

/* Takes a line "name = value" that precedes the records of a contention profile. */
static bool take_attribute(struct pprof_text *text, struct rest rest)
{
	struct rest value = rest;
	uint64_t number;

	if (text->kind != KIND_CONTENTION || !split(&rest, '=', &value))
		return false;
	if (!take_number(&value, &number))
		return false;
	if (take_text(&rest, "cycles/second"))
		text->cycles_hz = number;
	else if (take_text(&rest, "sampling period"))
		text->period = number;
	else if (take_text(&rest, "ms since reset") && number < INT64_MAX / NS_PER_MSEC)
		text->named.import->last_ns = number * NS_PER_MSEC;
	return true;
}

static int take_line(void *context, const char *line, size_t length, struct err *err)
{
	struct pprof_text *text = context;
	struct rest rest = { line, line + length };
	struct header header;
	int rc;

	skip_blanks(&rest);
	if (rest.at == rest.end || text->is_over)
		return 0;
	if (take_text(&rest, "#"))
		return text->has_record ? take_remark(text, rest) : 0;
	if (text->kind == KIND_NONE) {
		if (parse_header(line, length, &header))
			return begin(text, &header);
		return err_set(err, -EINVAL, "%s: not a text profile of pprof",
			       text->named.import->path);
	}
	rc = end_record(text, err);
	if (rc != 0)
		return rc;
	text->is_over = take_text(&rest, "---") || take_text(&rest, "MAPPED_LIBRARIES:");
	if (text->is_over || take_attribute(text, rest))
		return 0;
	return take_record(text, rest);
}

/* ---- the file ---- */

static void pprof_text_fini(struct pprof_text *text)
{
	named_fini(&text->named);
	vec_free(&text->addrs);
	vec_free(&text->remarks);
	vec_free(&text->locations);
}

static int read_pprof_text(struct import *import, struct err *err)
{
	static const enum import_lack lacks[] = {
		LACK_TIME,     LACK_CPU,    LACK_DATE, LACK_OWNERS,
		LACK_LATENESS, LACK_LEDGER, LACK_HOST, LACK_TASKS,
	};
	_cleanup_(pprof_text_fini) struct pprof_text text = { .named.import = import };
	const struct text_reader reader = { .take = take_line, .context = &text };
	int rc = text_lines_read(&import->source, &import->model->losses, &reader, err);

	if (rc == 0)
		rc = end_record(&text, err);
	if (rc < 0)
		return err && err->code ? rc : err_sys(err, rc, "%s", import->path);
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		import_lacks(import, lacks[i]);
	model_fact_set(import->model, FACT_DESCRIBE, "pprof");
	return rc;
}

const struct import_format import_pprof_text = {
	.name = "pprof-text",
	.description = "pprof's older text profiles, as Go prints them with debug=1",
	.matches = matches,
	.has_comments = true,
	.read = read_pprof_text,
};
