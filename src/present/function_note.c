/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/function_note.h"

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "present/escape.h"

/* Return the names of the neighbours; "": there is no such neighbour, or the name is certain. */
static const char *before_of(const struct profile *profile, uint64_t frame)
{
	return string_of(profile->model,
			 function_of(profile->model, call_frame_function(profile, frame))->before);
}

static const char *after_of(const struct profile *profile, uint64_t frame)
{
	return string_of(profile->model,
			 function_of(profile->model, call_frame_function(profile, frame))->after);
}

static bool has_bounds_only(const struct profile *profile, uint64_t frame)
{
	uint32_t function = call_frame_function(profile, frame);

	return function && function_of(profile->model, function)->quality == QUALITY_BOUNDS;
}

char *function_note(const struct profile *profile, uint64_t frame)
{
	const char *before = before_of(profile, frame), *after = after_of(profile, frame);
	char *text = NULL;

	if (!*before && !*after)
		return strdup(has_bounds_only(profile, frame) ? "no symbols" : "");
	if (asprintf(&text, "%s%s%s%s",
		     !*after   ? "after "
		     : *before ? "between "
			       : "before ",
		     before, *before && *after ? " and " : "", after) < 0)
		return NULL;
	return text;
}

void function_cell(struct table *table, const struct profile *profile, uint64_t frame,
		   const char *head, const char *name, const char *mark)
{
	_cleanup_free_ char *note = function_note(profile, frame), *whole = NULL;

	if (!note || asprintf(&whole, " (%s)", note) < 0) {
		table->failed = true;
		return;
	}
	table_parts(table, head, name, mark, *note ? whole : "");
}

void put_function_note(FILE *out, const struct profile *profile, uint64_t frame)
{
	_cleanup_free_ char *note = function_note(profile, frame);

	if (!note || !*note)
		return;
	(void)fputs(" (", out);
	escape_text(out, note);
	(void)fputc(')', out);
}

void json_quality(struct json *json, const struct profile *profile, uint64_t frame)
{
	const char *before = before_of(profile, frame), *after = after_of(profile, frame);

	if (!call_frame_is_function(frame))
		return;
	json_string(json, "quality", call_frame_quality(profile, frame));
	if (*before)
		json_string(json, "before", before);
	if (*after)
		json_string(json, "after", after);
}

void csv_quality(FILE *out, const struct profile *profile, uint64_t frame)
{
	(void)fprintf(out, ",%s,", call_frame_quality(profile, frame));
	escape_csv(out, before_of(profile, frame));
	(void)fputc(',', out);
	escape_csv(out, after_of(profile, frame));
}

void csv_quality_titles(FILE *out, const char *prefix)
{
	(void)fprintf(out, ",%squality,%sbefore,%safter", prefix, prefix, prefix);
}
