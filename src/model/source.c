/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/source.h"

#define TAB_COLUMNS 8

int source_index(struct source_text *text)
{
	size_t at = 0;

	while (at < text->size_bytes) {
		const char *end = memchr(text->bytes + at, '\n', text->size_bytes - at);
		uint32_t *start = vec_push(&text->starts);

		if (!start)
			return -ENOMEM;
		*start = (uint32_t)at;
		at = end ? (size_t)(end - text->bytes) + 1 : text->size_bytes;
	}
	return 0;
}

void source_text_fini(struct source_text *text)
{
	free(text->bytes);
	text->bytes = NULL;
	vec_free(&text->starts);
}

void source_list_fini(struct source_list *sources)
{
	for (size_t i = 0; i < sources->list.count; i++)
		source_text_fini(&sources->list.at[i]);
	vec_free(&sources->list);
}

const struct source_text *source_of(const struct source_list *sources, uint32_t file)
{
	for (size_t i = 0; sources && i < sources->list.count; i++)
		if (sources->list.at[i].file == file)
			return &sources->list.at[i];
	return NULL;
}

/*
 * Returns the length of line number @line without its line end. *@ret_bytes receives a pointer to
 * the line.
 */
static size_t raw_line(const struct source_text *text, uint32_t line, const char **ret_bytes)
{
	size_t start = text->starts.at[line - 1];
	size_t end = line < text->starts.count ? text->starts.at[line] : text->size_bytes;

	while (end > start && (text->bytes[end - 1] == '\n' || text->bytes[end - 1] == '\r'))
		end--;
	*ret_bytes = text->bytes + start;
	return end - start;
}

bool source_line(const struct source_text *text, uint32_t line, char ret_line[SOURCE_LINE_MAX])
{
	const char *bytes;
	size_t count, used = 0;

	ret_line[0] = '\0';
	if (!text || !text->bytes || line == 0 || line > text->starts.count)
		return false;
	count = raw_line(text, line, &bytes);
	for (size_t i = 0; i < count && used < SOURCE_LINE_MAX - 1 - TAB_COLUMNS; i++) {
		if (bytes[i] != '\t') {
			ret_line[used++] = bytes[i] ? bytes[i] : ' ';
			continue;
		}
		do
			ret_line[used++] = ' ';
		while (used % TAB_COLUMNS);
	}
	ret_line[used] = '\0';
	return true;
}

bool source_path_is(const char *path, const char *wanted)
{
	size_t length = strlen(path), wanted_length = strlen(wanted);
	const char *tail;

	if (wanted_length == 0 || wanted_length > length)
		return false;
	tail = path + (length - wanted_length);
	return strcmp(tail, wanted) == 0 && (tail == path || tail[-1] == '/');
}
