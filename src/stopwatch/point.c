/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/span.h"

static const struct {
	const char *name;
	enum point_kind kind;
	const char *missing;	/* why points of this kind cannot be measured; NULL: they can */
} kinds[] = {
	{ "syscall", POINT_CALL, NULL },
	{ "kernel", POINT_KERNEL, NULL },
	{ "tracepoint", POINT_TRACEPOINT, NULL },
	{ "usdt", POINT_USDT, NULL },
	{ "mark", POINT_FUNCTION, "marks cannot be timed yet" },
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

static const char return_suffix[] = "%return";

/* Cuts the suffix. Returns true if there was one. */
static bool take_return(char *name)
{
	size_t length = strlen(name), suffix = sizeof(return_suffix) - 1;

	if (length <= suffix || strcmp(name + length - suffix, return_suffix) != 0)
		return false;
	name[length - suffix] = '\0';
	return true;
}

/* @name is what follows the first ':', which is @length bytes behind the beginning of @text. */
static int set(struct point *point, enum point_kind kind, const char *text, size_t length,
	       const char *name)
{
	*point = (struct point){ .kind = kind, .text = strdup(text), .name = strdup(name) };
	if (kind == POINT_FUNCTION)
		point->image = strndup(text, length);
	if (!point->text || !point->name || (kind == POINT_FUNCTION && !point->image)) {
		point_fini(point);
		return -ENOMEM;
	}
	if (kind != POINT_TRACEPOINT && kind != POINT_USDT)
		point->at_return = take_return(point->name);
	return 0;
}

/* The name is GROUP:NAME, or of a static probe, IMAGE:NAME. */
static int split_name(struct point *point, struct err *err)
{
	char *colon = strchr(point->name, ':');
	char *name;

	if (!colon || colon == point->name || colon[1] == '\0') {
		(void)err_set(err, -EINVAL, "'%s' is not a %s", point->text,
			      point->kind == POINT_USDT
				      ? "static probe: write usdt:IMAGE:NAME"
				      : "tracepoint: write tracepoint:GROUP:NAME");
		point_fini(point);
		return -EINVAL;
	}
	name = strdup(colon + 1);
	if (!name) {
		(void)err_sys(err, -ENOMEM, "%s", point->text);
		point_fini(point);
		return -ENOMEM;
	}
	*colon = '\0';
	point->image = point->name;
	point->name = name;
	return 0;
}

int point_parse(const char *text, struct point *ret_point, struct err *err)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0, i = 0;
	enum point_kind kind;
	int rc;

	if (!colon || length == 0 || colon[1] == '\0')
		return err_set(err, -EINVAL,
			       "'%s' is not a point: write IMAGE:FUNCTION, kernel:FUNCTION, "
			       "syscall:NAME, tracepoint:GROUP:NAME or usdt:IMAGE:NAME",
			       text);
	while (i < KIND_COUNT &&
	       (strlen(kinds[i].name) != length || strncmp(kinds[i].name, text, length) != 0))
		i++;
	if (i < KIND_COUNT && kinds[i].missing)
		return err_set(err, -EOPNOTSUPP, "%s: %s", text, kinds[i].missing);
	kind = i < KIND_COUNT ? kinds[i].kind : POINT_FUNCTION;
	rc = set(ret_point, kind, text, length, colon + 1);
	if (rc < 0)
		return err_sys(err, rc, "%s", text);
	return kind == POINT_TRACEPOINT || kind == POINT_USDT ? split_name(ret_point, err) : 0;
}

bool point_argument(const char *name, uint32_t *ret_number)
{
	if (strncmp(name, "arg", 3) != 0 || name[3] < '0' ||
	    name[3] >= (char)('0' + SPAN_ARGUMENTS) || name[4] != '\0')
		return false;
	*ret_number = (uint32_t)(name[3] - '0');
	return true;
}

void point_fini(struct point *point)
{
	free(point->text);
	free(point->image);
	free(point->name);
	*point = (struct point){ 0 };
}

/* ---- several points ---- */

static bool have(const struct point *points, size_t count, enum point_kind kind)
{
	for (size_t i = 0; i < count; i++)
		if (points[i].kind == kind)
			return true;
	return false;
}

bool span_points_have_calls(const struct span_points *points, enum point_kind kind)
{
	return have(points->points, points->point_count, kind);
}

bool span_points_need_kernel(const struct span_points *points)
{
	bool need = span_points_have_calls(points, POINT_KERNEL);

	for (size_t i = 0; i < points->join_count; i++) {
		const struct span_join *join = &points->joins[i];

		need |= have(join->from, join->from_count, POINT_KERNEL) ||
			have(join->to, join->to_count, POINT_KERNEL);
	}
	return need;
}
