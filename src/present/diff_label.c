/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the labels of the rows of a comparison. */
#include "present/diff.h"

#include "base/cleanup.h"
#include "present/escape.h"

#define NO_FRAMES "<no frame>"

const char *diff_verdict_name(enum diff_verdict verdict)
{
	return verdict == DIFF_SIGNIFICANT ? "significant" : "within noise";
}

const char *diff_unit_name(enum diff_unit unit)
{
	static const char *const names[] = {
		[DIFF_SHARE] = "share",
		[DIFF_CPUS] = "cpus",
		[DIFF_SECONDS] = "seconds",
		[DIFF_EVENTS] = "events",
		[DIFF_SECONDS_PER_EVENT] = "seconds_per_event",
		[DIFF_EVENTS_PER_EVENT] = "events_per_event",
	};

	return names[unit];
}

struct diff_format diff_format_of(enum diff_unit unit, double most)
{
	static const struct diff_format times[] = { { 1, " s", 3 },
						    { 1e3, " ms", 3 },
						    { 1e6, " us", 3 },
						    { 1e9, " ns", 3 },
						    { 0, NULL, 0 } };
	static const struct diff_format counts[] = { { 1e-9, " G", 3 },
						     { 1e-6, " M", 3 },
						     { 1e-3, " k", 3 },
						     { 1, "", 3 },
						     { 0, NULL, 0 } };
	bool is_time = unit == DIFF_SECONDS || unit == DIFF_SECONDS_PER_EVENT;
	const struct diff_format *format = is_time ? times : counts;
	struct diff_format found;

	if (!diff_unit_is_amount(unit))
		return (struct diff_format){ 100, "%", 2 };
	while (format[1].factor > 0 && most * format->factor < 0.1)
		format++;
	found = *format;
	/* five digits of the largest value are enough */
	for (double limit = 100; found.decimals > 0 && most * found.factor >= limit; limit *= 10)
		found.decimals--;
	return found;
}

struct diff_labels_shown diff_labels_shown(const struct diff_options *options)
{
	struct diff_labels_shown labels = { 0 };

	if (options->by_stack)
		labels.at[labels.count++] = (struct diff_label){ .title = "stack" };
	for (size_t i = 0; i < options->by_count; i++) {
		if (options->by[i] == BY_FUNCTION &&
		    !dimensions_have(options->by, options->by_count, BY_IMAGE))
			labels.at[labels.count++] = (struct diff_label){ "image", i, true };
		labels.at[labels.count++] = (struct diff_label){ dimension_name(options->by[i]), i,
								 false };
	}
	return labels;
}

uint32_t *diff_path_names(const struct diff *diff, uint32_t path, size_t *ret_count)
{
	size_t depth = 0, left;
	uint32_t *names;

	for (uint32_t at = path; at; at = diff->names.paths.at[at].caller)
		depth++;
	names = calloc(depth + 1, sizeof(*names));
	if (!names)
		return NULL;
	left = depth;
	for (uint32_t at = path; at; at = diff->names.paths.at[at].caller)
		names[--left] = diff->names.paths.at[at].name;
	*ret_count = depth;
	return names;
}

static char *path_text(const struct diff *diff, uint32_t path)
{
	size_t count = 0, size_bytes;
	_cleanup_free_ uint32_t *names = diff_path_names(diff, path, &count);
	char *text = NULL;
	FILE *out = names ? open_memstream(&text, &size_bytes) : NULL;

	if (!out)
		return NULL;
	if (!count)
		(void)fputs(NO_FRAMES, out);
	for (size_t i = 0; i < count; i++) {
		(void)fputs(i ? ";" : "", out);
		escape_joined(out, diff_name_text(&diff->names, names[i]));
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

char *diff_label_text(const struct diff *diff, const struct diff_row *row,
		      const struct diff_label *label)
{
	uint32_t key = row->key[label->key];

	if (diff->options.by_stack)
		return path_text(diff, key);
	return strdup(label->image ? diff_name_image(&diff->names, key)
				   : diff_name_text(&diff->names, key));
}
