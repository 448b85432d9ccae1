/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/kernel_functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/pattern.h"
#include "perf/tracefs.h"

#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

/* ---- functions without probes ---- */

/* Code in which the kernel allows no probe. */
struct range {
	uint64_t start_addr, end_addr;
};

struct blacklist {
	VEC(struct range) ranges;
};

/* Each line is "0xSTART-0xEND\tNAME". If the file cannot be read, attaching may fail later. */
static int blacklist_read(struct blacklist *blacklist)
{
	_cleanup_fclose_ FILE *file = fopen(BLACKLIST, "re");
	_cleanup_free_ char *line = NULL;
	size_t size_bytes = 0;

	while (file && getline(&line, &size_bytes, file) > 0) {
		struct range range, *slot;

		if (sscanf(line, "0x%" SCNx64 "-0x%" SCNx64, &range.start_addr, &range.end_addr) !=
		    2)
			continue;
		slot = vec_push(&blacklist->ranges);
		if (!slot)
			return -ENOMEM;
		*slot = range;
	}
	return 0;
}

static bool is_blacklisted(const struct blacklist *blacklist, uint64_t addr)
{
	for (size_t i = 0; i < blacklist->ranges.count; i++)
		if (addr >= blacklist->ranges.at[i].start_addr &&
		    addr < blacklist->ranges.at[i].end_addr)
			return true;
	return false;
}

/* ---- functions that can be traced ---- */

struct traceable {
	VEC(char *) names;	/* sorted; owned */
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines are "NAME" or "NAME [MODULE]". Keeps the names that match, because there are very many. */
static int traceable_read(struct traceable *traceable, const struct pattern *pattern)
{
	_cleanup_fclose_ FILE *file = NULL;
	_cleanup_free_ char *line = NULL;
	const char *events_dir = tracefs_events_dir();
	char path[256];
	size_t size_bytes = 0;

	if (!events_dir)
		return 0;
	(void)snprintf(path, sizeof(path), "%s/../available_filter_functions", events_dir);
	file = fopen(path, "re");
	while (file && getline(&line, &size_bytes, file) > 0) {
		char **slot;

		line[strcspn(line, " \n")] = '\0';
		if (!pattern_matches(pattern, line))
			continue;
		slot = vec_push(&traceable->names);
		if (!slot)
			return -ENOMEM;
		*slot = strdup(line);
		if (!*slot) {
			traceable->names.count--;
			return -ENOMEM;
		}
	}
	if (traceable->names.count)
		qsort(traceable->names.at, traceable->names.count, sizeof(char *), compare_names);
	return 0;
}

static bool is_traceable(const struct traceable *traceable, const char *name)
{
	return traceable->names.count && bsearch(&name, traceable->names.at, traceable->names.count,
						 sizeof(char *), compare_names) != NULL;
}

static void traceable_fini(struct traceable *traceable)
{
	for (size_t i = 0; i < traceable->names.count; i++)
		free(traceable->names.at[i]);
	vec_free(&traceable->names);
}

/* ---- all ---- */

struct search {
	const struct kallsyms *kallsyms;
	const char *text;
	struct pattern pattern;
	struct blacklist blacklist;
	struct traceable traceable;
	size_t blacklisted, not_traceable;
	uint32_t last_not_traceable;	/* index of a symbol */
};

/* The code of BPF programs, padding in front of functions, and parts of functions. */
static bool is_no_function(const struct kallsyms *kallsyms, const struct kernel_symbol *symbol)
{
	const char *name = kallsyms_string(kallsyms, symbol->name);

	return strcmp(kallsyms_string(kallsyms, symbol->module), "bpf") == 0 ||
	       strncmp(name, "__pfx_", 6) == 0 || strstr(name, ".cold") != NULL;
}

static int collect(struct search *search, struct kernel_functions *functions)
{
	const struct kallsyms *kallsyms = search->kallsyms;
	uint64_t last_addr = 0;

	for (uint32_t i = 0; i < kallsyms->symbols.count; i++) {
		const struct kernel_symbol *symbol = &kallsyms->symbols.at[i];
		const char *name = kallsyms_string(kallsyms, symbol->name);
		uint32_t *slot;

		if (symbol->addr == last_addr || is_no_function(kallsyms, symbol) ||
		    !pattern_matches(&search->pattern, name))
			continue;
		last_addr = symbol->addr;
		if (is_blacklisted(&search->blacklist, symbol->addr)) {
			search->blacklisted++;
			continue;
		}
		if (!is_traceable(&search->traceable, name)) {
			search->not_traceable++;
			search->last_not_traceable = i;
			continue;
		}
		slot = vec_push(&functions->list);
		if (!slot)
			return -ENOMEM;
		*slot = i;
	}
	return 0;
}

/* A single function that cannot be traced may still take a probe of the slow kind. */
static int settle(const struct search *search, struct kernel_functions *functions, struct err *err)
{
	if (!functions->list.count && search->not_traceable == 1) {
		uint32_t *slot = vec_push(&functions->list);

		if (!slot)
			return err_sys(err, -ENOMEM, "kernel:%s", search->text);
		*slot = search->last_not_traceable;
		return 0;
	}
	functions->left_out = search->blacklisted + search->not_traceable;
	if (functions->list.count)
		return 0;
	if (search->not_traceable)
		return err_set(err, -EOPNOTSUPP,
			       "kernel:%s: none of these %zu functions can be traced "
			       "(available_filter_functions in tracefs lists those that can)",
			       search->text, search->not_traceable);
	if (search->blacklisted)
		return err_set(err, -EOPNOTSUPP,
			       "kernel:%s: the kernel allows no probe there (it is in " BLACKLIST
			       ")",
			       search->text);
	return err_set(err, -ENOENT,
		       "kernel:%s: the kernel has no such function; it may have been inlined",
		       search->text);
}

int kernel_functions_find(const struct kallsyms *kallsyms, const char *pattern,
			  struct kernel_functions *ret_functions, struct err *err)
{
	struct search search = { .kallsyms = kallsyms, .text = pattern };
	int rc = pattern_compile(pattern, PATTERN_NAME, &search.pattern, err);

	*ret_functions = (struct kernel_functions){ 0 };
	if (rc < 0)
		return rc;
	if (!kallsyms_addr(kallsyms, "register_kprobe")) {
		pattern_fini(&search.pattern);
		return err_set(err, -EOPNOTSUPP,
			       "kernel:%s: this kernel was built without probes in its own code "
			       "(CONFIG_KPROBES)",
			       pattern);
	}
	rc = blacklist_read(&search.blacklist);
	if (rc == 0)
		rc = traceable_read(&search.traceable, &search.pattern);
	if (rc == 0)
		rc = collect(&search, ret_functions);
	rc = rc < 0 ? err_sys(err, rc, "kernel:%s", pattern) : settle(&search, ret_functions, err);
	vec_free(&search.blacklist.ranges);
	traceable_fini(&search.traceable);
	pattern_fini(&search.pattern);
	return rc;
}

void kernel_functions_fini(struct kernel_functions *functions)
{
	vec_free(&functions->list);
}
