/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/tracefs_fields.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "perf/tracefs.h"

/* Reads the number after @key, such as "offset:". */
static bool number_after(const char *line, const char *key, uint32_t *ret_number)
{
	const char *at = strstr(line, key);
	unsigned long number;
	char *end;

	if (!at)
		return false;
	at += strlen(key);
	errno = 0;
	number = strtoul(at, &end, 10);
	if (end == at || *end != ';' || errno || number > UINT16_MAX)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

/* A declaration is like "unsigned int nr", "char comm[16]" or "__data_loc char[] name". */
static bool parse_declaration(const char *text, size_t length, struct tracefs_field *field)
{
	const char *bracket = memchr(text, '[', length);
	size_t end = length, start;

	if (end && text[end - 1] == ']') {
		while (end && text[end - 1] != '[')
			end--;
		end -= end > 0;
	}
	start = end;
	while (start && text[start - 1] != ' ' && text[start - 1] != '*')
		start--;
	if (start == end || end - start >= sizeof(field->name))
		return false;
	memcpy(field->name, text + start, end - start);
	field->name[end - start] = '\0';
	field->is_number = !bracket && !memmem(text, length, "_loc ", 5);
	return true;
}

bool tracefs_field_parse(const char *line, struct tracefs_field *ret_field)
{
	static const char begin[] = "\tfield:";
	const char *text = line + sizeof(begin) - 1, *end;
	uint32_t is_signed;

	*ret_field = (struct tracefs_field){ 0 };
	if (strncmp(line, begin, sizeof(begin) - 1) != 0)
		return false;
	end = strchr(text, ';');
	if (!end || !parse_declaration(text, (size_t)(end - text), ret_field) ||
	    !number_after(end, "offset:", &ret_field->offset) ||
	    !number_after(end, "size:", &ret_field->size_bytes) ||
	    !number_after(end, "signed:", &is_signed))
		return false;
	ret_field->is_signed = is_signed;
	ret_field->is_number &= ret_field->size_bytes == 1 || ret_field->size_bytes == 2 ||
				ret_field->size_bytes == 4 || ret_field->size_bytes == 8;
	return true;
}

int tracefs_fields_read(const char *group, const char *name, struct tracefs_fields *ret_fields,
			struct err *err)
{
	_cleanup_fclose_ FILE *file = NULL;
	_cleanup_free_ char *line = NULL;
	char path[PATH_MAX];
	size_t size_bytes = 0;
	uint64_t id;
	int rc = tracefs_event_id(group, name, &id, err);

	*ret_fields = (struct tracefs_fields){ 0 };
	if (rc < 0)
		return rc;
	(void)snprintf(path, sizeof(path), "%s/%s/%s/format", tracefs_events_dir(), group, name);
	file = fopen(path, "re");
	if (!file)
		return err_sys(err, -errno, "cannot read %s", path);
	while (ret_fields->count < TRACEFS_FIELDS_MAX && getline(&line, &size_bytes, file) > 0) {
		struct tracefs_field *field = &ret_fields->at[ret_fields->count];

		if (tracefs_field_parse(line, field) && strncmp(field->name, "common_", 7) != 0)
			ret_fields->count++;
	}
	return ferror(file) ? err_set(err, -EIO, "cannot read %s", path) : 0;
}
