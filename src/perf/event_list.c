/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "perf/event_names.h"
#include "perf/event_spec.h"
#include "perf/event_sysfs.h"
#include "perf/perf_open.h"
#include "perf/tracefs.h"

#define PROBE_PERIOD 1000000

struct listing {
	event_visit_fn visit;
	void *context;
};

struct dir_list {
	struct dirent **entries;
	int count;
};

static void dir_list_fini(struct dir_list *list)
{
	for (int i = 0; i < list->count; i++)
		free(list->entries[i]);
	free(list->entries);
}

static int is_shown(const struct dirent *entry)
{
	return pmu_name_is_plain(entry->d_name) && !strchr(entry->d_name, '.');
}

/*
 * Returns the entries of directory @path in alphabetical order. Leaves out names that contain a dot
 * or other unusual characters. The list is empty if @path cannot be read.
 */
static struct dir_list dir_list_of(const char *path)
{
	struct dir_list list = { 0 };

	list.count = scandir(path, &list.entries, is_shown, alphasort);
	if (list.count < 0)
		list = (struct dir_list){ 0 };
	return list;
}

/*
 * Tries to open the event with as few privileges as possible: first for the calling thread, and if
 * that is not permitted, for the calling thread in user mode only. Returns 0 or a negative errno.
 */
static int try_open(struct perf_event_attr attr)
{
	struct perf_features features = { 0 };
	struct perf_place own = { .pid = 0, .cpu = -1, .group_fd = -1 };
	struct perf_place first_cpu = { .pid = -1, .cpu = 0, .group_fd = -1 };
	int fd;

	attr.disabled = 1;
	fd = perf_open(&attr, &own, &features);
	if (fd == -EACCES || fd == -EPERM) {
		attr.exclude_kernel = 1;
		fd = perf_open(&attr, &own, &features);
	}
	/*
	 * Counters of a package or a memory controller can be opened only for a CPU, not for a
	 * task.
	 */
	if (fd == -EINVAL)
		fd = perf_open(&attr, &first_cpu, &features);
	if (fd < 0)
		return fd;
	(void)close(fd);
	return 0;
}

/*
 * Finds out how the event can be used. Some counters cannot raise an interrupt. They cannot be
 * sampled, but they can be counted and read with other samples.
 */
static enum event_use use_of(struct perf_event_attr attr)
{
	attr.sample_period = PROBE_PERIOD;
	if (try_open(attr) == 0)
		return EVENT_SAMPLES;
	attr.sample_period = 0;
	return try_open(attr) == 0 ? EVENT_COUNTS : EVENT_UNUSABLE;
}

static const char *kind_name(uint32_t type)
{
	switch (type) {
	case PERF_TYPE_SOFTWARE:
		return "software";
	case PERF_TYPE_HARDWARE:
		return "hardware";
	default:
		return "cache";
	}
}

static void visit_generic(void *context, const char *name, struct event_code code)
{
	const struct listing *listing = context;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = code.type,
		.config = code.config,
	};

	listing->visit(listing->context, name, kind_name(code.type), use_of(attr));
}

static void visit_pmu(const struct listing *listing, const char *pmu)
{
	_cleanup_(dir_list_fini) struct dir_list events = { 0 };
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), PMU_DEVICES_DIR "/%s/events", pmu);
	events = dir_list_of(path);
	for (int i = 0; i < events.count; i++) {
		char name[2 * NAME_MAX + 3];
		struct perf_event_attr attr = { .size = sizeof(attr) };
		const char *event = events.entries[i]->d_name;
		int code;

		if (pmu_event_is_note(event))
			continue;
		code = pmu_event_parse(PMU_DEVICES_DIR, pmu, event, &attr, NULL, NULL);
		(void)snprintf(name, sizeof(name), "%s/%s/", pmu, event);
		listing->visit(listing->context, name, "pmu",
			       code == 0 ? use_of(attr) : EVENT_UNUSABLE);
	}
}

static void visit_tracepoints(const struct listing *listing, const char *events_dir,
			      const char *group)
{
	_cleanup_(dir_list_fini) struct dir_list events = { 0 };
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", events_dir, group);
	events = dir_list_of(path);
	for (int i = 0; i < events.count; i++) {
		char name[2 * NAME_MAX + 2];

		if (events.entries[i]->d_type != DT_DIR)
			continue;
		(void)snprintf(name, sizeof(name), "%s:%s", group, events.entries[i]->d_name);
		listing->visit(listing->context, name, "tracepoint", EVENT_UNTRIED);
	}
}

int events_each(event_visit_fn visit, void *context, struct err *err)
{
	struct listing listing = { visit, context };
	_cleanup_(dir_list_fini) struct dir_list pmus = dir_list_of(PMU_DEVICES_DIR);
	_cleanup_(dir_list_fini) struct dir_list groups = { 0 };
	const char *events_dir = tracefs_events_dir();

	event_names_each(visit_generic, &listing);
	for (int i = 0; i < pmus.count; i++)
		visit_pmu(&listing, pmus.entries[i]->d_name);
	if (!events_dir)
		return tracefs_explain(err);
	groups = dir_list_of(events_dir);
	for (int i = 0; i < groups.count; i++)
		if (groups.entries[i]->d_type == DT_DIR)
			visit_tracepoints(&listing, events_dir, groups.entries[i]->d_name);
	return 0;
}
