/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/name_fit.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define NOTE_COLUMNS_MIN 16	/* a shorter note says nothing */
#define NAME_COLUMNS_MIN 8	/* for less, what belongs to the name is shortened, too */
#define DEPTH_MAX 64		/* brackets that are nested more deeply are not shortened */
#define ROUNDS_MAX 64		/* maximum number of argument lists that are shortened */
#define MORE_COLUMNS 8		/* added, then doubled, until two names differ */
#define MORE_COLUMNS_MAX 65536

const struct name_style name_style_text = { escape_next, "...", 3 };

/* Advances *text past a character, or past dots. Returns the width of what was passed. */
static size_t step_of(const struct name_style *style, const char **text)
{
	char shown[ESCAPE_CHARACTER_MAX];
	size_t dots = strlen(style->dots);

	if (strncmp(*text, style->dots, dots) != 0)
		return style->next(text, shown);
	*text += dots;
	return style->dots_columns;
}

size_t name_width_of(const struct name_style *style, const char *text, size_t length)
{
	const char *end = text + length;
	size_t width = 0;

	while (text < end)
		width += step_of(style, &text);
	return width;
}

size_t name_width(const struct name_style *style, const char *text)
{
	return name_width_of(style, text, strlen(text));
}

/* ---- one name ---- */

struct shortening {
	const struct name_style *style;
	char *text;
	size_t length, width;
};

/* Returns the number of bytes at the beginning of @text that fit into @columns columns. */
static size_t head_bytes(const struct name_style *style, const char *text, size_t length,
			 size_t columns)
{
	const char *at = text, *next = text;

	while (next < text + length) {
		size_t step = step_of(style, &next);

		if (step > columns || next > text + length)
			break;
		columns -= step;
		at = next;
	}
	return (size_t)(at - text);
}

/* Returns the offset of the longest end of @text that fits into @columns columns. */
static size_t tail_at(const struct name_style *style, const char *text, size_t columns)
{
	size_t left = name_width(style, text);
	const char *at = text;

	while (left > columns)
		left -= step_of(style, &at);
	return (size_t)(at - text);
}

/*
 * Replaces the bytes [@from, @to) by dots, unless this does not make the name shorter. Returns
 * false in that case.
 */
static bool leave_out(struct shortening *s, size_t from, size_t to)
{
	size_t dots = strlen(s->style->dots);
	size_t width = name_width_of(s->style, s->text + from, to - from);

	if (width <= s->style->dots_columns)
		return false;
	memmove(s->text + from + dots, s->text + to, s->length + 1 - to);
	memcpy(s->text + from, s->style->dots, dots);
	s->length = s->length - (to - from) + dots;
	s->width -= width - s->style->dots_columns;
	return true;
}

/* The content of a pair of brackets. */
struct group {
	size_t from, to, width;
};

/* Returns true if the bracket at @at is part of an operator: operator<, operator<< or ->. */
static bool is_operator(const char *text, size_t at)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if (text[at] == '>' && at && text[at - 1] == '-')
		return true;
	if (at && text[at] == '<' && text[at - 1] == '<')
		at--;
	return at >= length && memcmp(text + at - length, word, length) == 0;
}

static bool is_cut(const struct shortening *s, size_t from, size_t to)
{
	size_t dots = strlen(s->style->dots);

	return to - from >= dots && memcmp(s->text + to - dots, s->style->dots, dots) == 0;
}

/* Returns true if dots in place of the group's content would make the name shorter. */
static bool is_worth(const struct shortening *s, const struct group *group)
{
	static const char unnamed[] = "anonymous namespace";
	size_t length = group->to - group->from;

	if (group->width <= s->style->dots_columns)
		return false;
	return length != strlen(unnamed) || memcmp(s->text + group->from, unnamed, length) != 0;
}

/*
 * Finds the widest content of brackets in which no other content can be left out. Returns false if
 * there is none.
 */
static bool find_group(const struct shortening *s, char open, char close, struct group *ret_group)
{
	struct {
		size_t from;
		bool has_inner;
	} around[DEPTH_MAX];
	size_t depth = 0;

	*ret_group = (struct group){ 0 };
	for (size_t i = 0; i < s->length; i++) {
		struct group group = { .to = i };

		if ((s->text[i] != open && s->text[i] != close) ||
		    (open == '<' && is_operator(s->text, i)))
			continue;
		if (s->text[i] == open) {
			if (depth == DEPTH_MAX)
				return ret_group->width > 0;
			around[depth].from = i + 1;
			around[depth++].has_inner = false;
			continue;
		}
		if (!depth)
			continue;
		group.from = around[--depth].from;
		group.width = name_width_of(s->style, s->text + group.from, i - group.from);
		if (is_cut(s, group.from, i) || !is_worth(s, &group))
			continue;
		if (depth)
			around[depth - 1].has_inner = true;
		if (!around[depth].has_inner && group.width > ret_group->width)
			*ret_group = group;
	}
	return ret_group->width > 0;
}

/* Returns @length without what looks odd in front of dots. */
static size_t without_rest(const char *text, size_t length)
{
	while (length && strchr(" .,:<(", text[length - 1]))
		length--;
	return length;
}

/* Leaves out arguments until the name fits. */
static void cut_groups(struct shortening *s, char open, char close, size_t columns)
{
	struct group group;

	for (int i = 0; i < ROUNDS_MAX && s->width > columns; i++) {
		size_t less = s->width - columns + s->style->dots_columns, keep = 0;

		if (!find_group(s, open, close, &group))
			return;
		if (group.width > less)
			keep = head_bytes(s->style, s->text + group.from, group.to - group.from,
					  group.width - less);
		keep = without_rest(s->text + group.from, keep);
		if (!leave_out(s, group.from + keep, group.to))
			return;
	}
}

static void cut_middle(struct shortening *s, size_t columns)
{
	size_t room, head, tail;

	if (s->width <= columns)
		return;
	if (columns <= s->style->dots_columns) {
		s->length = head_bytes(s->style, s->text, s->length, columns);
		s->text[s->length] = '\0';
		return;
	}
	room = columns - s->style->dots_columns;
	head = head_bytes(s->style, s->text, s->length, room - room / 2);
	tail = tail_at(s->style, s->text, room / 2);
	(void)leave_out(s, head, tail);
}

char *name_shorten(const struct name_style *style, const char *text, size_t columns)
{
	struct shortening s = { .style = style, .length = strlen(text) };

	/* Dots may have more bytes than what they replace, though fewer columns. */
	s.text = malloc(s.length + (2 * ROUNDS_MAX + 1) * strlen(style->dots) + 1);
	if (!s.text)
		return NULL;
	memcpy(s.text, text, s.length + 1);
	s.width = name_width(style, text);
	cut_groups(&s, '<', '>', columns);
	cut_groups(&s, '(', ')', columns);
	cut_middle(&s, columns);
	return s.text;
}

/* ---- a name with what belongs to it ---- */

static char *shorten_from_head(const char *text, size_t columns)
{
	const struct name_style *style = &name_style_text;
	char *shown = NULL;

	if (columns <= style->dots_columns)
		return name_shorten(style, text, columns);
	if (asprintf(&shown, "%s%s", style->dots,
		     text + tail_at(style, text, columns - style->dots_columns)) < 0)
		return NULL;
	return shown;
}

/* Returns all but the note if it has no room, and otherwise the note shortened. */
static char *shorten_note(const struct name_parts *parts, size_t used, size_t columns)
{
	size_t note_at = parts->head + parts->name + parts->mark;
	_cleanup_free_ char *note = NULL;
	char *shown = NULL;

	if (columns - used < NOTE_COLUMNS_MIN)
		return strndup(parts->text, note_at);
	note = name_shorten(&name_style_text, parts->text + note_at, columns - used);
	if (!note || asprintf(&shown, "%.*s%s", (int)note_at, parts->text, note) < 0)
		return NULL;
	return shown;
}

static char *shorten_parts(const struct name_parts *parts, size_t columns)
{
	const struct name_style *style = &name_style_text;
	const char *name_at = parts->text + parts->head, *mark_at = name_at + parts->name;
	size_t fixed = name_width_of(style, parts->text, parts->head) +
		       name_width_of(style, mark_at, parts->mark);
	size_t width = name_width_of(style, name_at, parts->name);
	_cleanup_free_ char *name = NULL, *shorter = NULL;
	char *shown = NULL;

	if (fixed + width <= columns)
		return shorten_note(parts, fixed + width, columns);
	if (fixed + NAME_COLUMNS_MIN > columns) {
		name = strndup(parts->text, parts->head + parts->name + parts->mark);
		return name ? name_shorten(style, name, columns) : NULL;
	}
	name = strndup(name_at, parts->name);
	shorter = name ? name_shorten(style, name, columns - fixed) : NULL;
	if (!shorter || asprintf(&shown, "%.*s%s%.*s", (int)parts->head, parts->text, shorter,
				 (int)parts->mark, mark_at) < 0)
		return NULL;
	return shown;
}

/* ---- the names of a list ---- */

static int fit(struct name_in_list *name, size_t columns, bool keep_end)
{
	char *shown;

	if (name_width(&name_style_text, name->parts.text) <= columns)
		shown = strdup(name->parts.text);
	else
		shown = keep_end ? shorten_from_head(name->parts.text, columns)
				 : shorten_parts(&name->parts, columns);
	if (!shown)
		return -ENOMEM;
	free(name->shown);
	name->shown = shown;
	return 0;
}

static int compare_shown(const void *a, const void *b)
{
	const struct name_in_list *left = a, *right = b;

	return strcmp(left->shown, right->shown);
}

/* Compares all but the notes. */
static bool same_name(const struct name_parts *a, const struct name_parts *b)
{
	size_t length = a->head + a->name + a->mark;

	return length == b->head + b->name + b->mark && memcmp(a->text, b->text, length) == 0;
}

/*
 * Fits the names from @first on that look like the first one to @columns columns, if one of them
 * has another name. Sets @ret_again to true in that case. Sets *ret_next to the name after them.
 */
static int fit_alike(struct name_in_list *names, size_t count, size_t columns, bool keep_end,
		     size_t *first, bool *ret_again)
{
	size_t begin = *first, end = begin + 1;
	bool differ = false;

	for (; end < count && strcmp(names[begin].shown, names[end].shown) == 0; end++)
		differ = differ || !same_name(&names[begin].parts, &names[end].parts);
	*first = end;
	*ret_again = *ret_again || differ;
	for (size_t i = begin; differ && i < end; i++)
		if (fit(&names[i], columns, keep_end) < 0)
			return -ENOMEM;
	return 0;
}

int names_fit(struct name_in_list *names, size_t count, size_t columns, bool keep_end)
{
	bool again = true;

	for (size_t i = 0; i < count; i++)
		if (fit(&names[i], columns, keep_end) < 0)
			return -ENOMEM;
	for (size_t more = MORE_COLUMNS; again && more <= MORE_COLUMNS_MAX; more *= 2) {
		again = false;
		qsort(names, count, sizeof(*names), compare_shown);
		for (size_t i = 0; i < count;)
			if (fit_alike(names, count, columns + more, keep_end, &i, &again) < 0)
				return -ENOMEM;
	}
	return 0;
}
