/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/small_file.h"

#define TERMS_MAX 512 /* size of the buffer for a list of terms, including the NUL */

struct pmu_event {
	const char *devices_dir;
	const char *pmu;
	struct perf_event_attr attr;
	struct counter_unit unit;
	struct err *err;
};

bool pmu_name_is_plain(const char *name)
{
	if (name[0] == '\0' || name[0] == '.')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_-.", *name))
			return false;
	return true;
}

/* Reads the file DEVICES/PMU/@folder/@name into @ret_text. */
static int read_entry(const struct pmu_event *event, const char *folder, const char *name,
		      char ret_text[TERMS_MAX])
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/%s/%s%s", event->devices_dir, event->pmu,
			      folder, name);

	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	return small_file_read(path, ret_text, TERMS_MAX);
}

/*
 * @format is the content of a format file, such as "config1:0-7". Returns a pointer to the member
 * of @attr that @format names (here config1), or NULL if the name is unknown. Sets *ret_ranges to
 * the text after the colon.
 */
static uint64_t *format_target(struct perf_event_attr *attr, const char *format,
			       const char **ret_ranges)
{
	size_t length = strcspn(format, ":");
	uint64_t *target = NULL;

	if (length == 6 && strncmp(format, "config", length) == 0)
		target = (uint64_t *)&attr->config;
	else if (length == 7 && strncmp(format, "config1", length) == 0)
		target = (uint64_t *)&attr->config1;
	else if (length == 7 && strncmp(format, "config2", length) == 0)
		target = (uint64_t *)&attr->config2;
	*ret_ranges = format[length] ? format + length + 1 : "";
	return target;
}

static bool take_bit(const char **text, unsigned int *ret_bit)
{
	char *end;
	unsigned long bit;

	if (!isdigit((unsigned char)**text))
		return false;
	bit = strtoul(*text, &end, 10);
	*text = end;
	*ret_bit = (unsigned int)bit;
	return bit < 64;
}

/* Parses a range such as "0-7" or "23" at *@ranges, and moves *@ranges past it and its comma. */
static bool take_bit_range(const char **ranges, unsigned int *ret_low, unsigned int *ret_high)
{
	if (!take_bit(ranges, ret_low))
		return false;
	*ret_high = *ret_low;
	if (**ranges == '-') {
		++*ranges;
		if (!take_bit(ranges, ret_high) || *ret_high < *ret_low)
			return false;
	}
	if (**ranges == ',')
		++*ranges;
	else if (**ranges)
		return false;
	return true;
}

/*
 * Writes the bits of @value, lowest first, to the bit positions in *@target that @ranges lists.
 * Returns -ERANGE if @value has more bits than @ranges, or -EINVAL if @ranges is malformed.
 */
static int fill_bits(uint64_t *target, const char *ranges, uint64_t value)
{
	do {
		unsigned int low, high;

		if (!take_bit_range(&ranges, &low, &high))
			return -EINVAL;
		for (unsigned int bit = low; bit <= high; bit++, value >>= 1) {
			*target &= ~(UINT64_C(1) << bit);
			*target |= (value & 1) << bit;
		}
	} while (*ranges);
	return value ? -ERANGE : 0;
}

/* Lists the terms that the PMU knows, for the error message about an unknown term. */
static void list_terms(const struct pmu_event *event, char *ret_text, size_t text_bytes)
{
	_cleanup_closedir_ DIR *dir = NULL;
	char path[PATH_MAX];
	struct dirent *entry;
	size_t used = 0;

	(void)snprintf(path, sizeof(path), "%s/%s/format", event->devices_dir, event->pmu);
	dir = opendir(path);
	ret_text[0] = '\0';
	while (dir && (entry = readdir(dir)) != NULL && used < text_bytes) {
		int added;

		if (entry->d_name[0] == '.')
			continue;
		added = snprintf(ret_text + used, text_bytes - used, ", %s", entry->d_name);
		used += added > 0 ? (size_t)added : 0;
	}
}

static int unknown_term(const struct pmu_event *event, const char *term)
{
	char known[256];

	list_terms(event, known, sizeof(known));
	return err_set(event->err, -EINVAL, "PMU '%s' has no event or term '%s'; terms: config%s",
		       event->pmu, term, known);
}

static int set_term(struct pmu_event *event, const char *term, uint64_t value)
{
	char format[TERMS_MAX];
	const char *ranges = "0-63";
	uint64_t *target = format_target(&event->attr, term, &ranges);
	int code;

	if (target) {
		*target = value;
		return 0;
	}
	if (read_entry(event, "format/", term, format) < 0)
		return unknown_term(event, term);
	target = format_target(&event->attr, format, &ranges);
	if (!target)
		return err_set(event->err, -ENOTSUP, "PMU '%s': unknown format '%s' of term '%s'",
			       event->pmu, format, term);
	code = fill_bits(target, ranges, value);
	if (code == -ERANGE)
		return err_set(event->err, code,
			       "PMU '%s': %#" PRIx64 " is too large for '%s' (%s)", event->pmu,
			       value, term, format);
	if (code < 0)
		return err_set(event->err, code, "PMU '%s': invalid format '%s' of term '%s'",
			       event->pmu, format, term);
	return 0;
}

static int parse_value(const struct pmu_event *event, const char *term, const char *text,
		       uint64_t *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || errno || *end)
		return err_set(event->err, -EINVAL, "PMU '%s': '%s' is not a valid value for '%s'",
			       event->pmu, text, term);
	return 0;
}

/* Applies a term of the form "name" or "name=value". Modifies @term. */
static int apply_term(struct pmu_event *event, char *term)
{
	char *text = strchr(term, '=');
	uint64_t value = 1;
	int code = 0;

	if (text)
		*text++ = '\0';
	if (!pmu_name_is_plain(term))
		return unknown_term(event, term);
	if (text)
		code = parse_value(event, term, text, &value);
	return code < 0 ? code : set_term(event, term, value);
}

/*
 * @terms is the content of the file of an event in events/. Applies these terms. In this list, a
 * term cannot be the name of another event.
 */
static int apply_named_event(struct pmu_event *event, char *terms)
{
	char *term;

	while ((term = strsep(&terms, ",")) != NULL) {
		int code = apply_term(event, term);

		if (code < 0)
			return code;
	}
	return 0;
}

bool pmu_event_is_note(const char *name)
{
	static const char *const endings[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
			return true;
	}
	return false;
}

static bool is_word(const char *text)
{
	for (const char *at = text; *at; at++)
		if (!isgraph((unsigned char)*at))
			return false;
	return text[0] != '\0';
}

/*
 * Reads the event's scale and unit. An invalid scale is ignored, so counts are not scaled. An
 * invalid unit is ignored, so counts are shown without a unit.
 */
static void read_unit(struct pmu_event *event, const char *name)
{
	char entry[TERMS_MAX + 8], text[TERMS_MAX], *end;
	double scale;

	(void)snprintf(entry, sizeof(entry), "%s.scale", name);
	if (read_entry(event, "events/", entry, text) == 0) {
		scale = strtod(text, &end);
		if (isfinite(scale) && scale > 0 && !*end)
			event->unit.scale = scale;
	}
	(void)snprintf(entry, sizeof(entry), "%s.unit", name);
	if (read_entry(event, "events/", entry, text) == 0 && strlen(text) < COUNTER_UNIT_MAX &&
	    is_word(text))
		(void)snprintf(event->unit.name, sizeof(event->unit.name), "%.*s",
			       COUNTER_UNIT_MAX - 1, text);
}

/*
 * Applies a term, which is either the name of an event or one setting of an event's configuration.
 */
static int take_term(struct pmu_event *event, char *term)
{
	char named[TERMS_MAX];

	if (!pmu_name_is_plain(term) || pmu_event_is_note(term) ||
	    read_entry(event, "events/", term, named) < 0)
		return apply_term(event, term);
	read_unit(event, term);
	return apply_named_event(event, named);
}

int pmu_event_parse(const char *devices_dir, const char *pmu, const char *terms,
		    struct perf_event_attr *ret_attr, struct counter_unit *ret_unit,
		    struct err *err)
{
	struct pmu_event event = {
		.devices_dir = devices_dir,
		.pmu = pmu,
		.attr = *ret_attr,
		.err = err,
	};
	char copy[TERMS_MAX];
	char *rest = copy;
	char *term;

	if (!pmu_name_is_plain(pmu) || read_entry(&event, "", "type", copy) < 0)
		return err_set(err, -ENODEV, "this machine has no PMU '%s' (see %s)", pmu,
			       devices_dir);
	event.attr.type = (uint32_t)strtoul(copy, NULL, 10);
	if ((size_t)snprintf(copy, sizeof(copy), "%s", terms) >= sizeof(copy))
		return err_set(err, -ENAMETOOLONG, "PMU '%s': too many terms", pmu);
	while ((term = strsep(&rest, ",")) != NULL) {
		int code;

		if (*term == '\0' && term == copy && !rest)
			break;
		code = take_term(&event, term);
		if (code < 0)
			return code;
	}
	*ret_attr = event.attr;
	if (ret_unit)
		*ret_unit = event.unit;
	return 0;
}

bool pmu_event_find(const char *devices_dir, const char *name, char ret_pmu[PMU_NAME_MAX])
{
	_cleanup_closedir_ DIR *dir = opendir(devices_dir);
	struct dirent *entry;

	if (!pmu_name_is_plain(name) || pmu_event_is_note(name))
		return false;
	while (dir && (entry = readdir(dir)) != NULL) {
		char path[PATH_MAX];
		int length = snprintf(path, sizeof(path), "%s/%s/events/%s", devices_dir,
				      entry->d_name, name);

		if (!pmu_name_is_plain(entry->d_name) || strlen(entry->d_name) >= PMU_NAME_MAX)
			continue;
		if (length < 0 || (size_t)length >= sizeof(path) || access(path, R_OK) < 0)
			continue;
		(void)snprintf(ret_pmu, PMU_NAME_MAX, "%s", entry->d_name);
		return true;
	}
	return false;
}
