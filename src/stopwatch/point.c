/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *missing;	/* why points of this kind cannot be measured; NULL: they can */
} kinds[] = {
	{ "syscall", NULL },
	{ "kernel", "functions of the kernel cannot be timed yet" },
	{ "tracepoint", "tracepoints cannot be timed yet" },
	{ "usdt", "USDT probes cannot be timed yet" },
	{ "mark", "marks cannot be timed yet" },
};

static int set(struct point *point, enum point_kind kind, const char *image, size_t image_length,
	       const char *name)
{
	*point = (struct point){ .kind = kind, .name = strdup(name) };
	if (image)
		point->image = strndup(image, image_length);
	if (point->name && (!image || point->image))
		return 0;
	point_fini(point);
	return -ENOMEM;
}

int point_parse(const char *text, struct point *ret_point, struct err *err)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0;
	int rc;

	if (!colon || length == 0 || colon[1] == '\0')
		return err_set(err, -EINVAL,
			       "'%s' is not a point: write IMAGE:FUNCTION or syscall:NAME", text);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].name) != length || strncmp(kinds[i].name, text, length) != 0)
			continue;
		if (kinds[i].missing)
			return err_set(err, -EOPNOTSUPP, "%s: %s", text, kinds[i].missing);
		rc = set(ret_point, POINT_CALL, NULL, 0, colon + 1);
		return rc < 0 ? err_sys(err, rc, "%s", text) : 0;
	}
	rc = set(ret_point, POINT_FUNCTION, text, length, colon + 1);
	return rc < 0 ? err_sys(err, rc, "%s", text) : 0;
}

void point_fini(struct point *point)
{
	free(point->image);
	free(point->name);
	*point = (struct point){ 0 };
}
