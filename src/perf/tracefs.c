/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/tracefs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf/event_sysfs.h"
#include "base/small_file.h"

static const char *const events_dirs[] = {
	"/sys/kernel/tracing/events",
	"/sys/kernel/debug/tracing/events",
};

#define EVENTS_DIR_COUNT (sizeof(events_dirs) / sizeof(events_dirs[0]))

const char *tracefs_events_dir(void)
{
	for (size_t i = 0; i < EVENTS_DIR_COUNT; i++)
		if (access(events_dirs[i], R_OK | X_OK) == 0)
			return events_dirs[i];
	return NULL;
}

bool tracefs_is_readable(void)
{
	const char *dir = tracefs_events_dir();
	char path[PATH_MAX];
	int64_t id;

	if (!dir)
		return false;
	(void)snprintf(path, sizeof(path), "%s/sched/sched_switch/id", dir);
	return small_file_number(path, &id) == 0;
}

int tracefs_explain(struct err *err)
{
	for (size_t i = 0; i < EVENTS_DIR_COUNT; i++)
		if (access(events_dirs[i], R_OK | X_OK) < 0 && errno == EACCES)
			return err_set(err, -EACCES,
				       "this user may not read %s (run as root, or: mount -o "
				       "remount,mode=755 /sys/kernel/tracing)",
				       events_dirs[i]);
	return err_set(err, -ENOENT,
		       "tracefs is not mounted (mount -t tracefs nodev /sys/kernel/tracing)");
}

int tracefs_event_id(const char *group, const char *name, uint64_t *ret_id, struct err *err)
{
	const char *dir = tracefs_events_dir();
	char path[PATH_MAX];
	int64_t id;
	int code;

	if (!pmu_name_is_plain(group) || !pmu_name_is_plain(name))
		return err_set(err, -EINVAL, "no such event, and not a valid tracepoint name");
	if (!dir)
		return tracefs_explain(err);
	if (snprintf(path, sizeof(path), "%s/%s/%s/id", dir, group, name) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the tracepoint name is too long");
	code = small_file_number(path, &id);
	if (code == -ENOENT)
		return err_set(err, code,
			       "no such event or tracepoint on this machine (%s does not exist)",
			       path);
	if (code == -EACCES || code == -EPERM)
		return err_set(err, code,
			       "%s may not be read: this user lacks the permission (run as "
			       "root), or the kernel is locked down",
			       path);
	if (code < 0)
		return err_sys(err, code, "cannot read %s", path);
	*ret_id = (uint64_t)id;
	return 0;
}
