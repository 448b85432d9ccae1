/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes folded stacks, the input format of flamegraph.pl and similar tools. Each line contains the
 * thread's name and the functions, outermost first, separated by semicolons, then a space and the
 * number of samples. If shares of the event go by weight (count.h), the number is the weight: for
 * waits, nanoseconds. The weight of a clock is in units of its first period, so that the number is
 * about that of the samples. A line can contain only one number, so only one event is written: the
 * first event, which is also the event that reports show first.
 */
#include <inttypes.h>

#include "analyze/group.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "export/export-private.h"

struct folded_line {
	uint32_t comm, path;
	uint64_t amount;		/* number of samples, or their weight */
};

struct folded {
	VEC(struct folded_line) lines;
	struct path_frames frames;
	VEC(char *) names;		/* escaped names, indexed by frame number */
	uint64_t unit;			/* amounts are divided by this before they are written */
};

static void folded_fini(struct folded *folded)
{
	for (size_t i = 0; i < folded->names.count; i++)
		free(folded->names.at[i]);
	vec_free(&folded->names);
	vec_free(&folded->frames.list);
	vec_free(&folded->lines);
}

static int compare_lines(const void *a, const void *b)
{
	const struct folded_line *left = a, *right = b;

	if (left->comm != right->comm)
		return left->comm < right->comm ? -1 : 1;
	return (left->path > right->path) - (left->path < right->path);
}

static uint64_t unit_of(const struct model *model, uint8_t event)
{
	const struct event *at = event < model->events.count ? &model->events.at[event] : NULL;

	return at && at->is_time && at->period ? at->period : 1;
}

static int make_lines(struct export *export, const struct profile *profile, struct folded *folded)
{
	uint8_t event = export_only_event(export, profile);
	bool by_weight = group_goes_by_weight(profile, event);

	folded->unit = by_weight ? unit_of(export->model, event) : 1;
	export->samples = profile->total_samples[event];
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];
		struct folded_line *line;
		uint32_t path;

		if (hit->event != event)
			continue;
		line = vec_push(&folded->lines);
		if (!line || paths_of_stack(&export->paths, hit->stack_class, &path) < 0)
			return -ENOMEM;
		*line = (struct folded_line){
			.comm = export->model->threads.at[hit->thread].comm,
			.path = path,
			.amount = count_rank(&hit->count, by_weight),
		};
	}
	if (folded->lines.count)
		qsort(folded->lines.at, folded->lines.count, sizeof(*folded->lines.at),
		      compare_lines);
	return 0;
}

/* Returns true if @text consists of a number, as the amount at the end of a line does. */
static bool is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (digits && text[digits] == '.')
		digits += 1 + strspn(text + digits + 1, "0123456789");
	return digits && !text[digits];
}

/*
 * Besides semicolons, these are escaped: spaces at the ends or before a number that would look like
 * the amount, a "#" that would begin a comment, and the mark of kernel functions.
 */
static bool folded_needs(const char *name, const char *at)
{
	switch (*at) {
	case ';':
		return true;
	case ' ':
		return at == name || !at[1] || is_number(at + 1);
	case '#':
		return at == name;
	case '[':
		return at > name && strcmp(at - 1, "_[k]") == 0;
	default:
		return false;
	}
}

static int make_names(struct export *export, struct folded *folded)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	for (uint32_t i = 0; i < export->paths.frames.count; i++) {
		char **name = vec_push(&folded->names);

		if (!name)
			return -ENOMEM;
		*name = export_escaped(paths_name(&export->paths, &export->profile, i, scratch),
				       folded_needs);
		if (!*name)
			return -ENOMEM;
	}
	return 0;
}

static int write_line(struct export *export, struct folded *folded, const struct folded_line *line,
		      uint64_t amount)
{
	_cleanup_free_ char *comm = export_escaped(string_of(export->model, line->comm),
						   folded_needs);

	if (!comm || paths_frames(&export->paths, line->path, &folded->frames) < 0)
		return -ENOMEM;
	(void)fputs(comm, export->out);
	for (size_t i = folded->frames.list.count; i-- > 0;) {
		(void)fputc(';', export->out);
		(void)fputs(folded->names.at[folded->frames.list.at[i]], export->out);
	}
	/* rounded, but no line gets lost */
	amount = amount / folded->unit + (amount % folded->unit > (folded->unit - 1) / 2);
	(void)fprintf(export->out, " %" PRIu64 "\n", amount ? amount : 1);
	return 0;
}

static int write_lines(struct export *export, struct folded *folded)
{
	uint64_t amount = 0;

	for (size_t i = 0; i < folded->lines.count; i++) {
		const struct folded_line *line = &folded->lines.at[i];
		int rc;

		amount += line->amount;
		if (i + 1 < folded->lines.count && compare_lines(line, line + 1) == 0)
			continue;
		rc = write_line(export, folded, line, amount);
		if (rc < 0)
			return rc;
		amount = 0;
	}
	return 0;
}

static int folded_write(struct export *export)
{
	_cleanup_(profile_fini) struct profile profile;
	_cleanup_(folded_fini) struct folded folded = { 0 };
	int rc = export_read_stacks(export, &profile);

	if (rc < 0)
		return rc;
	rc = make_lines(export, &profile, &folded);
	if (rc < 0)
		return rc;
	rc = make_names(export, &folded);
	if (rc < 0)
		return rc;
	return write_lines(export, &folded);
}

const struct export_format export_folded = {
	.name = "folded",
	.has_one_event = true,
	.description = "folded stacks, for flamegraph.pl and similar tools",
	.write = folded_write,
};
