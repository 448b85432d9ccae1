/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_modifiers.h"

#include <errno.h>
#include <string.h>

#define PRECISE_MAX 3

bool event_modifiers_are_valid(const char *letters)
{
	return *letters && letters[strspn(letters, "ukhGHIpPDe")] == '\0';
}

static bool has(const char *letters, char letter)
{
	return strchr(letters, letter) != NULL;
}

int event_modifiers_apply(const char *letters, struct perf_event_attr *attr, struct err *err)
{
	unsigned int precise = 0;

	if (*letters && !event_modifiers_are_valid(letters))
		return err_set(err, -EINVAL,
			       "unknown modifier in ':%s' (known: u k h G H I p P D e)", letters);
	for (const char *at = letters; *at; at++)
		precise += *at == 'p';
	if (precise > PRECISE_MAX)
		return err_set(err, -EINVAL, "modifier ':%s' contains 'p' more than %d times",
			       letters, PRECISE_MAX);
	if (strpbrk(letters, "ukh")) {
		attr->exclude_user = !has(letters, 'u');
		attr->exclude_kernel = !has(letters, 'k');
		attr->exclude_hv = !has(letters, 'h');
	}
	if (strpbrk(letters, "GH")) {
		attr->exclude_guest = !has(letters, 'G');
		attr->exclude_host = !has(letters, 'H');
	}
	attr->exclude_idle = has(letters, 'I');
	attr->pinned = has(letters, 'D');
	attr->exclusive = has(letters, 'e');
	attr->precise_ip = has(letters, 'P') ? PRECISE_MAX : precise & 3;
	return 0;
}
