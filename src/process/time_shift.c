/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/time_shift.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/small_file.h"

#define TEXT_BYTES 256

static int64_t shift_of(const char *text, const char *clock)
{
	const char *line = strstr(text, clock);
	long long seconds, ns;

	if (!line || sscanf(line + strlen(clock), "%lld %lld", &seconds, &ns) != 2)
		return 0;
	return (int64_t)((uint64_t)seconds * NS_PER_SEC + (uint64_t)ns);
}

struct time_shift time_shift_parse(const char *text)
{
	return (struct time_shift){
		.monotonic_ns = shift_of(text, "monotonic "),
		.boot_ns = shift_of(text, "boottime "),
	};
}

/*
 * Returns true if our own time namespace is also the one that our future children will be in.
 * /proc/self/timens_offsets shows the offsets of the children's namespace, so it is usable only if
 * both are the same.
 */
static bool is_that_of_children(void)
{
	struct stat ours, theirs;

	return stat("/proc/self/ns/time", &ours) == 0 &&
	       stat("/proc/self/ns/time_for_children", &theirs) == 0 &&
	       ours.st_ino == theirs.st_ino;
}

struct time_shift time_shift_read(void)
{
	char text[TEXT_BYTES];

	if (!is_that_of_children() ||
	    small_file_read("/proc/self/timens_offsets", text, sizeof(text)) < 0)
		return (struct time_shift){ 0 };
	return time_shift_parse(text);
}

int time_shift_check(struct err *err)
{
	if (time_shift_read().monotonic_ns == 0)
		return 0;
	return err_set(
		err, -EOPNOTSUPP,
		"this time namespace shifts CLOCK_MONOTONIC, so the times of the kernel's "
		"records would be wrong; leave it with nsenter --time=/proc/PID/ns/time, where "
		"PID is a process outside it");
}
