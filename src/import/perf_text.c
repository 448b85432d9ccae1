/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_text.h"

#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"

#define ADDRESS_COLUMN 17	/* length of a tab and an address padded to 16 digits */

/* ---- words ---- */

struct cursor {
	const char *at, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool skip_blanks(struct cursor *c)
{
	const char *before = c->at;

	while (c->at < c->end && is_blank(*c->at))
		c->at++;
	return c->at > before;
}

static bool take_char(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

/*
 * Parses a decimal number. Returns false if there is no digit or if the number is greater than
 * @most.
 */
static bool take_number(struct cursor *c, uint64_t most, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *before = c->at;

	for (; c->at < c->end && is_digit(*c->at); c->at++) {
		uint64_t digit = (uint64_t)(*c->at - '0');

		if (value > (most - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*ret_value = value;
	return c->at > before;
}

static bool take_hex(struct cursor *c, uint64_t *ret_value)
{
	const char *before = c->at;
	uint64_t value = 0;

	for (; c->at < c->end && hex_digit(*c->at) >= 0 && c->at - before < 16; c->at++)
		value = value << 4 | (uint64_t)hex_digit(*c->at);
	*ret_value = value;
	return c->at > before && (c->at == c->end || is_blank(*c->at));
}

bool perf_word_is(struct perf_word word, const char *text)
{
	return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

bool perf_word_begins(struct perf_word word, const char *text)
{
	return word.length >= strlen(text) && memcmp(word.text, text, strlen(text)) == 0;
}

bool perf_word_ends(struct perf_word word, const char *text)
{
	size_t length = strlen(text);

	return word.length >= length && memcmp(word.text + word.length - length, text, length) == 0;
}

static struct perf_word trimmed(const char *begin, const char *end)
{
	while (begin < end && is_blank(*begin))
		begin++;
	while (end > begin && is_blank(end[-1]))
		end--;
	return (struct perf_word){ .text = begin, .length = (size_t)(end - begin) };
}

/* ---- samples ---- */

/* Parses a timestamp such as "12.345678:", with up to nine digits after the point. */
static bool take_time(struct cursor *c, uint64_t *ret_ns)
{
	uint64_t seconds, part = 0;
	const char *point;
	int digits;

	if (!take_number(c, UINT64_MAX / NS_PER_SEC - 1, &seconds) || !take_char(c, '.'))
		return false;
	point = c->at;
	if (!take_number(c, NS_PER_SEC - 1, &part) || c->at - point > 9)
		return false;
	for (digits = (int)(c->at - point); digits < 9; digits++)
		part *= 10;
	*ret_ns = seconds * NS_PER_SEC + part;
	return take_char(c, ':') && (c->at == c->end || is_blank(*c->at));
}

static bool take_ids(struct cursor *c, struct perf_text_sample *sample)
{
	uint64_t first, second;

	/* For a task that has already exited, perf prints -1 as the id. */
	if (take_char(c, '-') ? !take_number(c, 1, &first) : !take_number(c, INT32_MAX, &first))
		return false;
	sample->has_tgid = take_char(c, '/');
	if (sample->has_tgid && !take_number(c, INT32_MAX, &second))
		return false;
	sample->tgid = sample->has_tgid ? (uint32_t)first : 0;
	sample->tid = (uint32_t)(sample->has_tgid ? second : first);
	return skip_blanks(c);
}

static bool take_cpu(struct cursor *c, struct perf_text_sample *sample)
{
	struct cursor before = *c;
	uint64_t cpu;

	sample->has_cpu = take_char(c, '[') && take_number(c, UINT16_MAX, &cpu) &&
			  take_char(c, ']') && skip_blanks(c);
	if (sample->has_cpu)
		sample->cpu = (uint32_t)cpu;
	else
		*c = before;
	return true;
}

static void take_when(struct cursor *c, struct perf_text_sample *sample)
{
	struct cursor before = *c;

	sample->has_time = take_time(c, &sample->time_ns);
	if (!sample->has_time)
		*c = before;
	(void)skip_blanks(c);
}

static void take_period(struct cursor *c, struct perf_text_sample *sample)
{
	struct cursor before = *c;

	sample->has_period = take_number(c, UINT64_MAX, &sample->period) && skip_blanks(c);
	if (!sample->has_period)
		*c = before;
}

/* Parses the name of an event: one word that ends with a colon and does not begin with a digit. */
static bool take_event(struct cursor *c, struct perf_text_sample *sample)
{
	const char *begin = c->at;

	while (c->at < c->end && !is_blank(*c->at))
		c->at++;
	if (c->at - begin < 2 || c->at[-1] != ':' || is_digit(*begin))
		return false;
	sample->event = (struct perf_word){ begin, (size_t)(c->at - begin) - 1 };
	return true;
}

/*
 * Without a timestamp and a CPU, most words of a sample's first line can be anything. So the name
 * of the event begins with a letter, and only a frame may follow: an address in its column, or a
 * frame with an image.
 */
static bool is_bare_sample(const struct perf_text_sample *sample, size_t rest_columns)
{
	struct perf_text_frame frame;

	if (!isalpha((unsigned char)sample->event.text[0]))
		return false;
	return sample->rest.length == 0 ||
	       (perf_text_frame(sample->rest.text, sample->rest.length, &frame) && frame.has_addr &&
		(frame.image.length || (!frame.name.length && rest_columns >= ADDRESS_COLUMN)));
}

/* Parses all fields after the thread's name. */
static bool take_fields(struct cursor c, struct perf_text_sample *sample)
{
	if (!take_ids(&c, sample) || !take_cpu(&c, sample))
		return false;
	take_when(&c, sample);
	sample->is_bare = !sample->has_time && !sample->has_cpu;
	take_period(&c, sample);
	if (!take_event(&c, sample))
		return false;
	sample->rest = trimmed(c.at, c.end);
	return !sample->is_bare || is_bare_sample(sample, (size_t)(c.end - c.at));
}

/*
 * A thread's name may contain blanks and numbers, so its end is not obvious. The name ends before
 * the first word from which all other fields can be parsed.
 */
bool perf_text_sample(const char *text, size_t length, struct perf_text_sample *ret_sample)
{
	struct cursor c = { .at = text, .end = text + length };

	if (length == 0 || *text == '\t')
		return false;
	(void)skip_blanks(&c);
	for (const char *begin = c.at; c.at < c.end;) {
		*ret_sample = (struct perf_text_sample){ .comm = trimmed(begin, c.at) };
		if (ret_sample->comm.length && (is_digit(*c.at) || *c.at == '-') &&
		    take_fields(c, ret_sample))
			return true;
		while (c.at < c.end && !is_blank(*c.at))
			c.at++;
		(void)skip_blanks(&c);
	}
	return false;
}

/* ---- frames ---- */

/*
 * Extracts the text in parentheses at the end of the line. The text may itself contain parentheses.
 */
static bool take_image(struct cursor *c, struct perf_word *ret_image)
{
	const char *at = c->end;
	int depth = 0;

	if (at == c->at || at[-1] != ')')
		return false;
	do {
		at--;
		depth += *at == ')';
		depth -= *at == '(';
	} while (at > c->at && depth > 0);
	if (depth || (at > c->at && !is_blank(at[-1])))
		return false;
	*ret_image = trimmed(at + 1, c->end - 1);
	c->end = at;
	return true;
}

/*
 * Removes an offset such as "+0x10" from the end of a name and stores the offset. Returns false if
 * the name has no offset.
 */
static bool cut_offset(struct perf_word *name, uint64_t *ret_offset)
{
	const char *plus = name->length ? memrchr(name->text, '+', name->length) : NULL;
	struct cursor c;

	if (!plus || name->text + name->length - plus < 4 || plus[1] != '0' || plus[2] != 'x')
		return false;
	c = (struct cursor){ .at = plus + 3, .end = name->text + name->length };
	if (!take_hex(&c, ret_offset) || c.at != c.end)
		return false;
	name->length = (size_t)(plus - name->text);
	return true;
}

bool perf_text_frame(const char *text, size_t length, struct perf_text_frame *ret_frame)
{
	struct cursor c = { .at = text, .end = text + length };
	struct perf_text_frame frame = { 0 };
	const char *begin;
	uint64_t unused;

	(void)skip_blanks(&c);
	while (c.end > c.at && is_blank(c.end[-1]))
		c.end--;
	begin = c.at;
	frame.has_addr = take_hex(&c, &frame.addr);
	if (!take_image(&c, &frame.image) && !frame.has_addr)
		return false;
	frame.name = trimmed(c.at, c.end);
	if (frame.has_addr && frame.name.length == 0 && frame.image.length) {
		/*
		 * A name such as "add" can look like an address. A real address can be recognized
		 * by its padding, which makes it end at a fixed column.
		 */
		frame.has_addr = *text == '\t' && c.at - text >= ADDRESS_COLUMN;
		frame.name = frame.has_addr ? frame.name : trimmed(begin, c.at);
	}
	frame.has_offset = cut_offset(&frame.name, &frame.offset);
	(void)cut_offset(&frame.image, &unused);
	frame.is_inlined = perf_word_is(frame.image, "inlined");
	if (perf_word_is(frame.name, "[unknown]"))
		frame.name.length = 0;
	*ret_frame = frame;
	return frame.has_addr || frame.name.length;
}

bool perf_text_line(const char *text, size_t length, struct perf_text_line *ret_line)
{
	static const char mark[] = " (inlined)";
	struct perf_word word = { text, length };
	const char *colon;
	struct cursor c;
	uint64_t number;

	if (length < 4 || !is_blank(text[0]) || !is_blank(text[1]) || is_blank(text[2]))
		return false;
	*ret_line = (struct perf_text_line){ .is_inlined = perf_word_ends(word, mark) };
	if (ret_line->is_inlined)
		word.length -= strlen(mark);
	if (perf_word_ends(word, "]") && memchr(text, '[', word.length))
		return true;	/* "image[address]": perf does not know the source line */
	colon = memrchr(text, ':', word.length);
	if (!colon)
		return false;
	c = (struct cursor){ .at = colon + 1, .end = text + word.length };
	if (!take_number(&c, UINT32_MAX, &number) || c.at != c.end)
		return false;
	ret_line->file = trimmed(text, colon);
	if (perf_word_is(ret_line->file, "??"))
		ret_line->file.length = 0;
	ret_line->number = ret_line->file.length ? (uint32_t)number : 0;
	return true;
}

bool perf_text_header(const char *text, size_t length, struct perf_word *ret_key,
		      struct perf_word *ret_value)
{
	const char *colon = memchr(text, ':', length);

	if (length < 2 || text[0] != '#' || !colon)
		return false;
	*ret_key = trimmed(text + 1, colon);
	*ret_value = trimmed(colon + 1, text + length);
	return true;
}
