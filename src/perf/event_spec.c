/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_spec.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/event_modifiers.h"
#include "perf/event_names.h"
#include "perf/event_sysfs.h"
#include "perf/portable_events.h"
#include "perf/tracefs.h"

#define HEX_DIGITS "0123456789abcdefABCDEF"

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/*
 * Sets type and config. Also sets exclude_guest for all events except software events, because code
 * addresses in guests cannot be symbolized. Software events do not distinguish guests from the
 * host, so they do not get the flag.
 */
static void use_code(struct event_spec *spec, struct event_code code)
{
	spec->attr.type = code.type;
	spec->attr.config = code.config;
	spec->attr.exclude_guest = code.type != PERF_TYPE_SOFTWARE;
	spec->is_time = code.type == PERF_TYPE_SOFTWARE &&
			(code.config == PERF_COUNT_SW_CPU_CLOCK ||
			 code.config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Returns true for raw event codes like "r1a8". */
static bool is_raw(const char *name)
{
	size_t digits = name[0] == 'r' ? strspn(name + 1, HEX_DIGITS) : 0;

	return digits > 0 && digits <= 16 && name[digits + 1] == '\0';
}

/*
 * Parses an event that has no colon and no slash. Returns false if there is no event called @name.
 */
static bool parse_word(const char *name, struct event_spec *spec)
{
	struct event_code code;
	char pmu[PMU_NAME_MAX];

	if (event_name_find(name, &code)) {
		use_code(spec, code);
		return true;
	}
	if (is_raw(name)) {
		use_code(spec, (struct event_code){ PERF_TYPE_RAW, strtoull(name + 1, NULL, 16) });
		return true;
	}
	return pmu_event_find(PMU_DEVICES_DIR, name, pmu) &&
	       pmu_event_parse(PMU_DEVICES_DIR, pmu, name, &spec->attr, &spec->unit, NULL) == 0;
}

/* Parses "pmu/terms/modifiers" or "pmu/terms/:modifiers". Modifies @text. */
static int parse_pmu(char *text, struct event_spec *spec, struct err *err)
{
	char *terms = strchr(text, '/') + 1;
	char *modifiers = strrchr(terms, '/');
	int code;

	terms[-1] = '\0';
	*modifiers++ = '\0';
	modifiers += *modifiers == ':';
	code = pmu_event_parse(PMU_DEVICES_DIR, text, terms, &spec->attr, &spec->unit, err);
	if (code < 0)
		return code;
	spec->attr.exclude_guest = spec->attr.type == PERF_TYPE_RAW;
	return event_modifiers_apply(modifiers, &spec->attr, err);
}

static unsigned int breakpoint_type(const char *access)
{
	return (strchr(access, 'r') ? HW_BREAKPOINT_R : 0u) |
	       (strchr(access, 'w') ? HW_BREAKPOINT_W : 0u) |
	       (strchr(access, 'x') ? HW_BREAKPOINT_X : 0u);
}

/* Parses "ADDR[/LEN][:ACCESS][:MODIFIERS]", the part of a breakpoint after "mem:". */
static int parse_breakpoint(char *text, struct event_spec *spec, struct err *err)
{
	char *part = text;
	const char *place = strsep(&part, ":");
	bool has_access = part && *part && strspn(part, "rwx") == strcspn(part, ":");
	unsigned int type = has_access ? breakpoint_type(strsep(&part, ":")) : HW_BREAKPOINT_RW;
	uint64_t size_bytes = type & HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	char *end;

	errno = 0;
	spec->attr.type = PERF_TYPE_BREAKPOINT;
	spec->attr.bp_type = type;
	spec->attr.bp_addr = strtoull(place, &end, 0);
	if (end != place && *end == '/')
		size_bytes = strtoull(end + 1, &end, 0);
	spec->attr.bp_len = size_bytes;
	if (end == place || *end || errno)
		return err_set(err, -EINVAL,
			       "'%s' is not a valid breakpoint address (mem:ADDR[/LEN][:rwx])",
			       place);
	if (size_bytes == 0 || size_bytes > 8 || size_bytes & (size_bytes - 1))
		return err_set(err, -EINVAL, "a breakpoint covers 1, 2, 4 or 8 bytes, not %s",
			       place);
	return event_modifiers_apply(part ? part : "", &spec->attr, err);
}

/* Parses "name", "name:modifiers", "group:tracepoint" or "group:tracepoint:modifiers". */
static int parse_colons(char *text, struct event_spec *spec, struct err *err)
{
	char *rest = text;
	const char *first = strsep(&rest, ":");
	const char *second;
	uint64_t id;
	int code;

	if (parse_word(first, spec))
		return event_modifiers_apply(rest ? rest : "", &spec->attr, err);
	code = portable_event_find(first, &spec->attr, err);
	if (code == 0)
		return event_modifiers_apply(rest ? rest : "", &spec->attr, err);
	if (code != -ENOENT)
		return code;
	if (!rest)
		return err_set(err, -ENOENT,
			       "no such event on this machine (see: assay list events)");
	second = strsep(&rest, ":");
	code = tracefs_event_id(first, second, &id, err);
	if (code < 0)
		return code;
	spec->attr.type = PERF_TYPE_TRACEPOINT;
	spec->attr.config = id;
	return event_modifiers_apply(rest ? rest : "", &spec->attr, err);
}

/* Parses one event of @length bytes at @text. */
static int parse_one(const char *text, size_t length, struct event_spec *spec, struct err *err)
{
	char copy[EVENT_NAME_MAX];
	int code;

	*spec = (struct event_spec){ .attr.size = sizeof(spec->attr) };
	if (length == 0)
		return err_set(err, -EINVAL, "empty event name");
	if (length >= sizeof(copy))
		return err_set(err, -ENAMETOOLONG, "event '%.40s...' is longer than %d bytes", text,
			       EVENT_NAME_MAX - 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	memcpy(spec->name, copy, sizeof(copy));
	if (starts_with(copy, "mem:"))
		code = parse_breakpoint(copy + strlen("mem:"), spec, err);
	else if (strstr(copy, "::"))
		code = native_event_find(copy, &spec->attr, err);
	else if (strchr(copy, '/'))
		code = parse_pmu(copy, spec, err);
	else
		code = parse_colons(copy, spec, err);
	spec->not_idle = spec->attr.exclude_idle;
	return code < 0 && err ? err_prefix(err, "event '%s'", spec->name) : code;
}

/*
 * Returns the length of the event at the start of @text, up to a comma or the end. Returns SIZE_MAX
 * if a slash is not closed.
 */
static size_t event_length(const char *text)
{
	bool is_address = starts_with(text, "mem:");
	bool in_terms = false;
	size_t length;

	for (length = 0; text[length] && (in_terms || text[length] != ','); length++)
		if (text[length] == '/' && !is_address)
			in_terms = !in_terms;
	return in_terms ? SIZE_MAX : length;
}

int event_specs_parse(const char *text, struct event_spec *specs, size_t max, struct err *err)
{
	const char *at = text;
	size_t count = 0;

	for (;;) {
		size_t length = event_length(at);
		int code;

		if (strchr(at, '{'))
			return err_set(err, -EINVAL,
				       "groups in braces cannot be sampled ('%s'): read their "
				       "events as counters instead",
				       text);
		if (length == SIZE_MAX)
			return err_set(err, -EINVAL, "event '%s': the '/' is not closed", at);
		if (count == max)
			return err_set(err, -E2BIG, "more than %zu events in '%s'", max, text);
		code = parse_one(at, length, &specs[count], err);
		if (code < 0)
			return code;
		count++;
		if (at[length] == '\0')
			return (int)count;
		at += length + 1;
	}
}
