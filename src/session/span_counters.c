/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/span_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Parses the events as one group, which the hardware must count all the time. */
static int parse(struct span_counters *counters, const char *text, struct err *err)
{
	_cleanup_free_ char *group = NULL;
	struct event_groups *groups = &counters->groups;
	int rc;

	if (asprintf(&group, "{%s}", text) < 0)
		return err_sys(err, -ENOMEM, "counters");
	rc = event_groups_parse(group, groups, err);
	if (rc < 0)
		return rc;
	if (groups->spec_count > SPAN_EVENTS)
		return err_set(err, -E2BIG, "at most %u events can be counted in calls, not %zu",
			       SPAN_EVENTS, groups->spec_count);
	groups->specs[0].attr.pinned = 1;
	for (size_t i = 0; i < groups->spec_count; i++) {
		counters->kinds[i] = counter_kind_of(&groups->specs[i]);
		counters->names[i] = groups->specs[i].name;
	}
	return 0;
}

/* A group that the hardware does not count all the time cannot be read. */
int span_counters_check(const struct span_counters *counters, struct err *err)
{
	size_t count = counters->groups.spec_count * counters->cpus.count;
	_cleanup_free_ struct counter_reading *readings = calloc(count, sizeof(*readings));

	if (!readings)
		return err_sys(err, -ENOMEM, "counters");
	counters_read(&counters->counters, readings);
	for (size_t i = 0; i < count; i++)
		if (readings[i].failed || readings[i].absent)
			return err_set(
				err, -EBUSY,
				"event '%s' is not counted all the time on CPU %d: there are "
				"more events than counters, others use them, or the event "
				"belongs to no CPU",
				counters->names[i % counters->groups.spec_count],
				counters->cpus.at[i / counters->groups.spec_count]);
	return 0;
}

int span_counters_open(struct span_counters *counters, const char *text, struct err *err)
{
	struct counters_options options = { .groups = &counters->groups, .cpus = &counters->cpus };
	int rc = parse(counters, text, err);

	if (rc == 0)
		rc = cpus_online(&counters->cpus, err);
	if (rc == 0)
		rc = counters_open(&counters->counters, &options, err);
	if (rc < 0)
		return rc;
	counters_enable(&counters->counters);
	counters->open = (struct stopwatch_counters){
		.count = counters->groups.spec_count,
		.cpus = counters->cpus.at,
		.cpu_count = counters->cpus.count,
		.fds = counters->counters.fds.at,
	};
	return span_counters_check(counters, err);
}

void span_counters_close(struct span_counters *counters)
{
	counters_fini(&counters->counters);
	cpus_fini(&counters->cpus);
}
