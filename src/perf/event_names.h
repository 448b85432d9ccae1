/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_names.h - the kernel's generic events, by the names that perf uses
 *
 * Software and hardware events have a name and perhaps an alias ("cycles" for "cpu-cycles"). The
 * name of a cache event is composed of a cache, an operation and a result, as in
 * "L1-dcache-load-misses" or "LLC-stores". If the operation is missing, loads are counted; if the
 * result is missing, all accesses are counted.
 *
 * Source: include/uapi/linux/perf_event.h, enum perf_hw_id, perf_sw_ids, perf_hw_cache_*.
 */
#ifndef ASSAY_PERF_EVENT_NAMES_H
#define ASSAY_PERF_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct event_code {
	uint32_t type;		/* PERF_TYPE_SOFTWARE, _HARDWARE or _HW_CACHE */
	uint64_t config;
};

bool event_name_find(const char *name, struct event_code *ret_code);

/*
 * Calls @visit for each name. Leaves out aliases, and cache operations that cannot occur, such as
 * stores to the instruction cache.
 */
typedef void (*event_name_fn)(void *context, const char *name, struct event_code code);
void event_names_each(event_name_fn visit, void *context);

#endif
