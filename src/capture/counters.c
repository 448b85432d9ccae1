/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "perf/event_sysfs.h"
#include "perf/perf_open.h"
#include "base/small_file.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* State while a set of counters is being opened. */
struct opening {
	const struct counters_options *options;
	struct counters *counters;
	/* indexed by event: CPUs on which the event is counted; unused if threads are counted */
	struct cpus cpus[COUNTED_EVENTS_MAX];
	struct perf_features features;
	struct err *err;
};

struct counter_kind counter_kind_of(const struct event_spec *spec)
{
	return (struct counter_kind){
		.type = spec->attr.type,
		.config = spec->attr.config,
		.no_user = spec->attr.exclude_user,
		.no_kernel = spec->attr.exclude_kernel,
		.is_time = spec->is_time,
		.unit = spec->unit,
	};
}

/* ---- opening ---- */

static bool is_refusal(int code)
{
	return code == -EACCES || code == -EPERM;
}

static struct perf_event_attr attr_of(const struct opening *opening,
				      const struct event_group *group, size_t index, bool leads)
{
	const struct counters_options *options = opening->options;
	struct perf_event_attr attr = options->groups->specs[index].attr;

	attr.read_format = TIMES;
	if (leads && opening->counters->grouped_read && group->count > 1)
		attr.read_format |= PERF_FORMAT_GROUP;
	attr.inherit = options->inherit;
	attr.disabled = leads;
	attr.enable_on_exec = leads && options->enable_on_exec;
	attr.precise_ip = 0;
	if (!leads) {
		attr.pinned = 0;
		attr.exclusive = 0;
	}
	return attr;
}

/*
 * A place is one of the threads or CPUs to count; @place is its index. Sets *ret_place to the
 * arguments of perf_event_open() for event @index at this place. Returns false if the event is not
 * counted there.
 */
static bool place_of(const struct opening *opening, size_t place, size_t index,
		     struct perf_place *ret_place)
{
	const struct counters_options *options = opening->options;

	*ret_place = (struct perf_place){ .pid = -1, .cpu = -1, .group_fd = -1 };
	if (options->tids) {
		ret_place->pid = (pid_t)options->tids[place];
		return true;
	}
	ret_place->cpu = options->cpus->at[place];
	return cpus_has(&opening->cpus[index], ret_place->cpu);
}

/*
 * Opens the events of one group for one place (a thread or a CPU). Returns -ENODEV if the CPU is
 * offline, and -ESRCH if the thread has ended.
 */
static int open_group(struct opening *opening, size_t place, const struct event_group *group)
{
	const struct event_groups *groups = opening->options->groups;
	int *fds = opening->counters->fds.at + place * groups->spec_count;
	int leader_fd = -1;

	for (size_t i = group->first; i < group->first + group->count; i++) {
		struct perf_event_attr attr = attr_of(opening, group, i, leader_fd < 0);
		struct perf_place where;
		int fd;

		if (!place_of(opening, place, i, &where))
			continue;
		where.group_fd = leader_fd;
		fd = perf_open(&attr, &where, &opening->features);
		if (fd == -EINVAL && where.group_fd >= 0)
			return err_set(
				opening->err, fd,
				"event '%s' does not fit into the group of '%s': the group has "
				"more events than the CPU has counters, or events of different "
				"PMUs (with {...}:W assay counts the events of such a group "
				"separately)",
				groups->specs[i].name, groups->specs[group->first].name);
		if (fd < 0)
			return perf_explain(opening->err, fd, &groups->specs[i],
					    !opening->options->tids);
		fds[i] = fd;
		if (leader_fd < 0)
			leader_fd = fd;
	}
	return 0;
}

static void close_fds(int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			(void)close(fds[i]);
		fds[i] = -1;
	}
}

/* Splits a group into groups of one event each. */
static void take_apart(struct event_groups *groups, size_t index)
{
	const struct event_group group = groups->groups[index];

	memmove(&groups->groups[index + group.count], &groups->groups[index + 1],
		(groups->group_count - index - 1) * sizeof(group));
	for (size_t i = 0; i < group.count; i++)
		groups->groups[index + i] = (struct event_group){ .first = group.first + i,
								  .count = 1 };
	groups->group_count += group.count - 1;
}

/*
 * Opens all groups for one place (a thread or a CPU). If a weak group (:W) does not fit into the
 * PMU, splits the group for all places and returns -EAGAIN.
 */
static int open_place(struct opening *opening, size_t place)
{
	struct event_groups *groups = opening->options->groups;

	for (size_t i = 0; i < groups->group_count; i++) {
		int rc = open_group(opening, place, &groups->groups[i]);

		if (rc == -EINVAL && groups->groups[i].weak && groups->groups[i].count > 1) {
			take_apart(groups, i);
			return -EAGAIN;
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Opens the events for all places (threads or CPUs). Whenever a weak group had to be split, starts
 * again with the first place. Each restart leaves one group fewer to split, so the loop ends.
 */
static int open_places(struct opening *opening)
{
	struct counters *counters = opening->counters;
	size_t spec_count = opening->options->groups->spec_count, place = 0;

	counters->absent = 0;
	while (place < counters->place_count) {
		int rc = open_place(opening, place);

		if (rc < 0)
			close_fds(counters->fds.at + place * spec_count, spec_count);
		if (rc == -EAGAIN) {
			close_fds(counters->fds.at, place * spec_count);
			counters->absent = 0;
			place = 0;
			continue;
		}
		if (rc < 0 && !(rc == -ESRCH && opening->options->tids))
			return rc;
		counters->absent += rc < 0;
		place++;
	}
	if (counters->absent && counters->absent == counters->place_count)
		return err_set(opening->err, -ESRCH, "none of the threads exists any more");
	return 0;
}

/*
 * Excludes kernel code from all events. Returns false without any change if one of the events
 * counts only kernel code, because that event would then count nothing.
 */
static bool leave_kernel_out(struct event_groups *groups)
{
	for (size_t i = 0; i < groups->spec_count; i++)
		if (groups->specs[i].attr.exclude_user)
			return false;
	for (size_t i = 0; i < groups->spec_count; i++) {
		if (!groups->specs[i].attr.exclude_kernel)
			event_spec_note(&groups->specs[i], "u");
		groups->specs[i].attr.exclude_kernel = 1;
		groups->specs[i].attr.exclude_hv = 1;
	}
	groups->user_only = true;
	return true;
}

/* ---- choosing CPUs ---- */

static int read_device_file(const char *devices_dir, const char *pmu, const char *file,
			    char ret_text[static 256])
{
	char path[512];
	int length = snprintf(path, sizeof(path), "%s/%s/%s", devices_dir, pmu, file);

	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	return small_file_read(path, ret_text, 256);
}

static int keep_listed(const char *devices_dir, const char *pmu, struct cpus *cpus, struct err *err)
{
	_cleanup_(cpus_fini) struct cpus listed = VEC_INIT;
	char text[256];
	int rc;

	if (read_device_file(devices_dir, pmu, "cpumask", text) < 0 &&
	    read_device_file(devices_dir, pmu, "cpus", text) < 0)
		return 0;
	if (text[0] == '\0')
		return 0;
	rc = cpus_parse(text, &listed, err);
	if (rc < 0)
		return rc;
	cpus_intersect(cpus, &listed);
	return 0;
}

int counters_cpus(const char *devices_dir, uint32_t type, struct cpus *cpus, struct err *err)
{
	_cleanup_closedir_ DIR *dir = opendir(devices_dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		char text[256];

		if (!pmu_name_is_plain(entry->d_name) ||
		    read_device_file(devices_dir, entry->d_name, "type", text) < 0)
			continue;
		if (strtoul(text, NULL, 10) == type)
			return keep_listed(devices_dir, entry->d_name, cpus, err);
	}
	return 0;
}

static int choose_cpus(struct opening *opening)
{
	const struct event_groups *groups = opening->options->groups;
	const struct cpus *all = opening->options->cpus;

	for (size_t i = 0; i < groups->spec_count; i++) {
		struct cpus *cpus = &opening->cpus[i];
		int rc = 0;

		if (vec_reserve(cpus, all->count) < 0)
			return err_set(opening->err, -ENOMEM, "out of memory");
		memcpy(cpus->at, all->at, all->count * sizeof(*all->at));
		cpus->count = all->count;
		if (groups->specs[i].attr.type >= PERF_TYPE_MAX)
			rc = counters_cpus(PMU_DEVICES_DIR, groups->specs[i].attr.type, cpus,
					   opening->err);
		if (rc < 0)
			return rc;
		if (!cpus->count)
			return err_set(opening->err, -ENODEV,
				       "event '%s' cannot be counted on any of these CPUs",
				       groups->specs[i].name);
	}
	return 0;
}

static void opening_fini(struct opening *opening)
{
	for (size_t i = 0; i < COUNTED_EVENTS_MAX; i++)
		cpus_fini(&opening->cpus[i]);
}

static int open_chosen(struct opening *opening)
{
	const struct counters_options *options = opening->options;
	struct counters *counters = opening->counters;
	int rc;

	if (!options->tids) {
		rc = choose_cpus(opening);
		if (rc < 0)
			return rc;
	}
	rc = open_places(opening);
	if (is_refusal(rc) && options->tids && leave_kernel_out(options->groups)) {
		close_fds(counters->fds.at, counters->fds.count);
		return open_places(opening);
	}
	return rc;
}

int counters_open(struct counters *counters, const struct counters_options *options,
		  struct err *err)
{
	_cleanup_(opening_fini) struct opening opening = {
		.options = options,
		.counters = counters,
		.err = err,
	};
	size_t fd_count;
	int rc;

	*counters = (struct counters){
		.groups = options->groups,
		.place_count = options->tids ? options->tid_count : options->cpus->count,
		.grouped_read = !options->inherit,
	};
	fd_count = counters->place_count * options->groups->spec_count;
	if (vec_reserve(&counters->fds, fd_count) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	memset(counters->fds.at, 0xff, fd_count * sizeof(*counters->fds.at));
	counters->fds.count = fd_count;
	rc = open_chosen(&opening);
	if (rc < 0)
		counters_fini(counters);
	return rc;
}

void counters_fini(struct counters *counters)
{
	close_fds(counters->fds.at, counters->fds.count);
	vec_free(&counters->fds);
}

/* ---- counting ---- */

static void control(const struct counters *counters, unsigned long request)
{
	for (size_t i = 0; i < counters->fds.count; i++)
		if (counters->fds.at[i] >= 0)
			(void)ioctl(counters->fds.at[i], request, 0);
}

void counters_enable(const struct counters *counters)
{
	control(counters, PERF_EVENT_IOC_ENABLE);
}

void counters_disable(const struct counters *counters)
{
	control(counters, PERF_EVENT_IOC_DISABLE);
}

static void read_one(int fd, struct counter_reading *ret_reading)
{
	struct {
		uint64_t value, enabled_ns, running_ns;
	} said;

	*ret_reading = (struct counter_reading){ .failed = fd >= 0, .absent = fd < 0 };
	if (fd >= 0 && read(fd, &said, sizeof(said)) == (ssize_t)sizeof(said))
		*ret_reading = (struct counter_reading){ .value = said.value,
							 .enabled_ns = said.enabled_ns,
							 .running_ns = said.running_ns };
}

/*
 * Reads all open events of one group for one place (a thread or a CPU). One read of the group
 * leader, which is the first open event, returns the values of all. Returns false if the group has
 * only one event; the caller must then read the event by itself.
 */
static bool read_together(const int *fds, size_t count, struct counter_reading *ret_readings)
{
	struct {
		uint64_t count, enabled_ns, running_ns;
		uint64_t values[COUNTED_EVENTS_MAX];
	} said;
	size_t bytes, open_count = 0;
	int leader_fd = -1;

	if (count < 2)
		return false;
	for (size_t i = 0; i < count; i++) {
		ret_readings[i] = (struct counter_reading){ .failed = fds[i] >= 0,
							    .absent = fds[i] < 0 };
		open_count += fds[i] >= 0;
		if (leader_fd < 0)
			leader_fd = fds[i];
	}
	bytes = offsetof(__typeof__(said), values) + open_count * sizeof(said.values[0]);
	if (leader_fd < 0 || read(leader_fd, &said, sizeof(said)) != (ssize_t)bytes ||
	    said.count != open_count)
		return true;
	for (size_t i = 0, next = 0; i < count; i++)
		if (fds[i] >= 0)
			ret_readings[i] = (struct counter_reading){ .value = said.values[next++],
								    .enabled_ns = said.enabled_ns,
								    .running_ns = said.running_ns };
	return true;
}

void counters_read(const struct counters *counters, struct counter_reading *ret_readings)
{
	const struct event_groups *groups = counters->groups;

	for (size_t place = 0; place < counters->place_count; place++) {
		const int *fds = counters->fds.at + place * groups->spec_count;
		struct counter_reading *readings = ret_readings + place * groups->spec_count;

		for (size_t i = 0; i < groups->group_count; i++) {
			const struct event_group *group = &groups->groups[i];

			if (counters->grouped_read &&
			    read_together(fds + group->first, group->count,
					  readings + group->first))
				continue;
			for (size_t j = group->first; j < group->first + group->count; j++)
				read_one(fds[j], &readings[j]);
		}
	}
}
