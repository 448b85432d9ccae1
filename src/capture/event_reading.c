/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/event_reading.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include "perf/record.h"

/*
 * A group has {number, [enabled], {count, [lost]}...}, a single event {count, [enabled], [lost]}.
 * See perf_event_open(2).
 */
bool event_read(int fd, uint64_t read_format, struct event_reading *ret_reading)
{
	uint64_t values[2 + 2 * (RECORD_COUNTERS_MAX + 1)] = { 0 };
	size_t enabled = read_format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0;
	size_t count = read_format & PERF_FORMAT_GROUP ? 1 + enabled : 0;
	size_t lost = read_format & PERF_FORMAT_GROUP ? count + 1 : 1 + enabled;

	*ret_reading = (struct event_reading){ 0 };
	if (read(fd, values, sizeof(values)) < (ssize_t)(count + 1) * (ssize_t)sizeof(values[0]))
		return false;
	ret_reading->count = values[count];
	ret_reading->enabled_ns = enabled ? values[1] : 0;
	ret_reading->lost = read_format & PERF_FORMAT_LOST ? values[lost] : 0;
	return true;
}
