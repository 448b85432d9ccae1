/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/stopwatch-private.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stopwatch/usdt_arguments.h"

/* ---- which arguments are needed ---- */

static void need_values(const struct stopwatch *stopwatch, uint32_t key, bool *needed)
{
	for (uint32_t i = 0; key && i < SPAN_VALUES; i++) {
		const struct span_value *value = &stopwatch->keys.at[key - 1].values[i];

		if (value->kind == SPAN_VALUE_ARGUMENT)
			needed[value->at] = true;
	}
}

static int check_argument(const struct point *point, const struct usdt_probe *probe,
			  const struct span_place *place, uint32_t count, uint32_t i,
			  struct err *err)
{
	if (i >= count)
		return err_set(err, -ENOENT, "%s: %s:%s has no arg%u; its arguments are: %s",
			       point->text, probe->provider, probe->name, i,
			       count ? probe->arguments : "none");
	if (place->arguments[i].kind == SPAN_ARGUMENT_NONE)
		return err_set(err, -EOPNOTSUPP,
			       "%s: arg%u of %s:%s is where it cannot be read; its arguments are: "
			       "%s",
			       point->text, i, probe->provider, probe->name, probe->arguments);
	return 0;
}

/* Writes the number of the probe's place, or 0 if none of its arguments is needed. */
static int add_place(struct stopwatch *stopwatch, const struct point *point,
		     const struct watched_usdt *usdt, const struct usdt_probe *probe,
		     uint32_t *ret_number, struct err *err)
{
	const struct site *site = &usdt->site;
	bool needed[SPAN_ARGUMENTS] = { false }, needs_any = false;
	struct span_place place, *slot;
	uint32_t count = usdt_arguments_parse(probe->arguments, usdt->found.machine, &place);
	int rc = 0;

	need_values(stopwatch, site->begin, needed);
	need_values(stopwatch, site->end, needed);
	need_values(stopwatch, site->by, needed);
	for (uint32_t i = 0; i < SPAN_ARGUMENTS && rc == 0; i++) {
		needs_any |= needed[i];
		if (needed[i])
			rc = check_argument(point, probe, &place, count, i, err);
		else
			place.arguments[i] = (struct span_argument){ 0 };
	}
	*ret_number = 0;
	if (rc < 0 || !needs_any)
		return rc;
	if (!stopwatch->places.count) {		/* number 0 has no arguments */
		slot = vec_push(&stopwatch->places);
		if (!slot)
			return err_sys(err, -ENOMEM, "%s", point->text);
		*slot = (struct span_place){ 0 };
	}
	*ret_number = (uint32_t)stopwatch->places.count;
	slot = *ret_number < SPAN_PLACES_MAX ? vec_push(&stopwatch->places) : NULL;
	if (!slot)
		return err_set(err, -E2BIG, "%s: too many probes", point->text);
	*slot = place;
	return 0;
}

/* ---- points ---- */

static int open_probes(const struct stopwatch_options *options, const struct point *point,
		       struct watched_usdt *usdt, struct err *err)
{
	struct found_usdt *found = &usdt->found;
	int rc = stopwatch_open_image(options, point, &usdt->fd, &usdt->path, err);

	if (rc < 0)
		return rc;
	rc = usdt_find(options->readers, usdt->fd, point->name, found);
	if (rc == -ENOEXEC)
		return err_set(err, rc, "%s: is not a program or library", usdt->path);
	if (rc < 0)
		return err_sys(err, rc, "%s: cannot read its static probes", usdt->path);
	if (!found->all_count)
		return err_set(err, -ENOENT, "%s: has no static probes (USDT)", usdt->path);
	if (!found->list.count)
		return err_set(err, -ENOENT, "%s: none of its %u static probes matches %s",
			       usdt->path, found->all_count, point->name);
	if (found->machine != EM_X86_64 && found->machine != EM_AARCH64)
		return err_set(err, -EOPNOTSUPP, "%s: only 64-bit programs can be timed",
			       usdt->path);
	return 0;
}

int stopwatch_find_usdt(struct stopwatch *stopwatch, const struct point *point,
			const struct site *site, struct err *err)
{
	struct watched_usdt *usdt;
	int rc = stopwatch_add_hit(stopwatch, point, site, err);

	if (rc < 0)
		return rc;
	usdt = vec_push(&stopwatch->usdt);
	if (!usdt)
		return err_sys(err, -ENOMEM, "%s", point->text);
	*usdt = (struct watched_usdt){ .fd = -1, .site = *site };
	rc = open_probes(&stopwatch->options, point, usdt, err);
	if (rc == 0 && vec_reserve(&usdt->places, usdt->found.list.count) < 0)
		rc = err_sys(err, -ENOMEM, "%s", point->text);
	for (size_t i = 0; rc == 0 && i < usdt->found.list.count; i++)
		rc = add_place(stopwatch, point, usdt, &usdt->found.list.at[i],
			       &usdt->places.at[usdt->places.count++], err);
	return rc;
}

void watched_usdt_fini(struct watched_usdt *usdt)
{
	if (usdt->fd >= 0)
		(void)close(usdt->fd);
	free(usdt->path);
	found_usdt_fini(&usdt->found);
	vec_free(&usdt->places);
}

/* ---- lists ---- */

int stopwatch_list_usdt(const struct stopwatch_options *options, const struct point *point,
			stopwatch_usdt_fn see, void *context, struct err *err)
{
	struct watched_usdt usdt = { .fd = -1 };
	int rc = open_probes(options, point, &usdt, err);

	for (size_t i = 0; rc == 0 && i < usdt.found.list.count; i++) {
		const struct usdt_probe *probe = &usdt.found.list.at[i];

		if (!i || strcmp(probe->name, probe[-1].name) != 0 ||
		    strcmp(probe->provider, probe[-1].provider) != 0)
			see(context, probe->provider, probe->name);
	}
	watched_usdt_fini(&usdt);
	return rc;
}
