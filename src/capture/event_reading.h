/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_reading.h - what read(2) says of a perf event */
#ifndef ASSAY_CAPTURE_EVENT_READING_H
#define ASSAY_CAPTURE_EVENT_READING_H

#include <stdbool.h>
#include <stdint.h>

struct event_reading {
	uint64_t count;
	uint64_t enabled_ns;	/* 0 without PERF_FORMAT_TOTAL_TIME_ENABLED */
	uint64_t lost;		/* records that found no room; 0 without PERF_FORMAT_LOST */
};

/*
 * Reads an event that was opened with @read_format. Of a group, reads the leader. Returns false,
 * and sets *@ret_reading to zeros, if the event cannot be read.
 */
bool event_read(int fd, uint64_t read_format, struct event_reading *ret_reading);

#endif
