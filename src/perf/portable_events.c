/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/portable_events.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf/event_names.h"
#include "perf/event_sysfs.h"
#include "perf/perf_open.h"
#include "perf/pfm_event.h"

#define NATIVES_MAX 6
#define ZEN_L2 "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:"

struct portable_event {
	const char *name;
	/* name in event_names.h; NULL: the kernel has no generic event */
	const char *generic;
	/*
	 * names of CPU makers' events: names in libpfm4, or (lower case) names that a PMU lists
	 * under events/ in sysfs
	 */
	const char *natives[NATIVES_MAX];
	const char *meaning;
};

/*
 * Sources: the events of libpfm4 4.13 (Intel SDM volume 3, chapter 20; AMD's processor programming
 * references); for names in sysfs, drivers/perf/arm_pmuv3.c of Linux 6.18.
 */
static const struct portable_event portable_events[] = {
	{ "total-cycles", "cycles", { 0 }, "clock cycles while the CPU is not halted" },
	{ "reference-cycles",
	  "ref-cycles",
	  { 0 },
	  "cycles at a fixed reference frequency while the CPU is not halted" },
	{ "total-instructions", "instructions", { 0 }, "instructions completed" },
	{ "stalled-frontend",
	  "stalled-cycles-frontend",
	  { "stall_frontend" },
	  "cycles in which the frontend delivered no instruction" },
	{ "stalled-backend",
	  "stalled-cycles-backend",
	  { "stall_backend" },
	  "cycles in which the backend could accept no instruction" },
	{ "stalled-resources",
	  NULL,
	  { "RESOURCE_STALLS:ANY" },
	  "cycles stalled because buffers were full" },
	{ "operations-retired",
	  NULL,
	  { "UOPS_RETIRED:RETIRE_SLOTS", "UOPS_RETIRED:SLOTS", "RETIRED_OPS", "RETIRED_UOPS",
	    "op_retired" },
	  "micro-operations completed" },
	{ "branch-instructions", "branch-instructions", { 0 }, "branches completed" },
	{ "branch-misses", "branch-misses", { 0 }, "mispredicted branches" },
	{ "branches-taken",
	  NULL,
	  { "BR_INST_RETIRED:NEAR_TAKEN", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS" },
	  "branches that were taken" },
	{ "branches-conditional",
	  NULL,
	  { "BR_INST_RETIRED:COND", "BR_INST_RETIRED:CONDITIONAL",
	    "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS" },
	  "conditional branches" },
	{ "l1d-accesses", "L1-dcache-loads", { "l1d_cache" }, "reads of the L1 data cache" },
	{ "l1d-misses",
	  "L1-dcache-load-misses",
	  { "l1d_cache_refill" },
	  "reads that missed the L1 data cache" },
	{ "l1i-misses",
	  "L1-icache-load-misses",
	  { "l1i_cache_refill" },
	  "fetches that missed the L1 instruction cache" },
	{ "l2-demand-accesses",
	  NULL,
	  { "L2_RQSTS:ALL_DEMAND_REFERENCES",
	    ZEN_L2 "LS_RD_BLK_C_S:LS_RD_BLK_L_HIT_X:LS_RD_BLK_L_HIT_S:LS_RD_BLK_X:LS_RD_BLK_C"
		   ":IC_FILL_HIT_X:IC_FILL_HIT_S:IC_FILL_MISS",
	    "l2d_cache" },
	  "requests to the L2 cache, without prefetches" },
	{ "l2-demand-misses",
	  NULL,
	  { "L2_RQSTS:ALL_DEMAND_MISS", ZEN_L2 "LS_RD_BLK_C:IC_FILL_MISS", "l2d_cache_refill" },
	  "requests that missed the L2 cache, without prefetches" },
	{ "llc-accesses", "LLC-loads", { 0 }, "reads of the last-level cache" },
	{ "llc-misses", "LLC-load-misses", { 0 }, "reads that missed the last-level cache" },
	{ "tlb-data-misses",
	  "dTLB-load-misses",
	  { "l1d_tlb_refill" },
	  "reads whose address missed the data TLB" },
	{ "tlb-instruction-misses",
	  "iTLB-load-misses",
	  { "l1i_tlb_refill" },
	  "fetches whose address missed the instruction TLB" },
	{ "memory-loads",
	  NULL,
	  { "MEM_INST_RETIRED:ALL_LOADS", "MEM_UOPS_RETIRED:ALL_LOADS", "LS_DISPATCH:LD_DISPATCH",
	    "ld_retired" },
	  "load instructions" },
	{ "memory-stores",
	  NULL,
	  { "MEM_INST_RETIRED:ALL_STORES", "MEM_UOPS_RETIRED:ALL_STORES",
	    "LS_DISPATCH:STORE_DISPATCH", "st_retired" },
	  "store instructions" },
};

#define PORTABLE_COUNT (sizeof(portable_events) / sizeof(portable_events[0]))

static void use_native(const struct pfm_event *event, struct perf_event_attr *attr)
{
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->config2 = event->config2;
	attr->exclude_user = event->no_user;
	attr->exclude_kernel = event->no_kernel;
	attr->exclude_hv = event->no_hypervisor;
	attr->exclude_guest = event->type != PERF_TYPE_SOFTWARE;
}

int native_event_find(const char *text, struct perf_event_attr *attr, struct err *err)
{
	struct pfm_event event;
	int code = pfm_event_find(text, &event, err);

	if (code < 0)
		return code;
	use_native(&event, attr);
	return 0;
}

/* Looks up a name in libpfm4, then among the events that PMU drivers list in sysfs. */
static bool use_any(const char *name, struct perf_event_attr *attr)
{
	char pmu[PMU_NAME_MAX];

	if (native_event_find(name, attr, NULL) == 0)
		return true;
	return pmu_event_find(PMU_DEVICES_DIR, name, pmu) &&
	       pmu_event_parse(PMU_DEVICES_DIR, pmu, name, attr, NULL, NULL) == 0;
}

static bool use_generic(const char *name, struct perf_event_attr *attr)
{
	struct event_code code;

	if (!name || !event_name_find(name, &code))
		return false;
	attr->type = code.type;
	attr->config = code.config;
	attr->exclude_guest = 1;
	return true;
}

/*
 * Tries to open the event for user code of our own thread, because this needs the fewest
 * privileges.
 */
static int try_open(struct perf_event_attr attr)
{
	struct perf_features features = { 0 };
	const struct perf_place own = { .pid = 0, .cpu = -1, .group_fd = -1 };
	int fd;

	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = perf_open(&attr, &own, &features);
	if (fd < 0)
		return fd;
	(void)close(fd);
	return 0;
}

/*
 * Finds the first event in the list of a portable name that can be opened on this machine. Copies
 * it to *attr and returns its name. If none can be opened, returns NULL and sets *ret_code to the
 * error of opening the kernel's generic event, or to -ENOENT if the list has no generic event.
 */
static const char *choose(const struct portable_event *event, struct perf_event_attr *attr,
			  int *ret_code)
{
	struct perf_event_attr tried = *attr;

	*ret_code = -ENOENT;
	if (use_generic(event->generic, &tried)) {
		*ret_code = try_open(tried);
		if (*ret_code == 0) {
			*attr = tried;
			return event->generic;
		}
	}
	for (size_t i = 0; i < NATIVES_MAX && event->natives[i]; i++) {
		tried = *attr;
		if (use_any(event->natives[i], &tried) && try_open(tried) == 0) {
			*attr = tried;
			return event->natives[i];
		}
	}
	return NULL;
}

static bool has_hardware_counters(void)
{
	struct perf_event_attr cycles = { .size = sizeof(cycles) };
	int code;

	(void)use_generic("cycles", &cycles);
	code = try_open(cycles);
	return code != -ENOENT && code != -EOPNOTSUPP && code != -ENODEV;
}

int portable_event_find(const char *name, struct perf_event_attr *attr, struct err *err)
{
	const struct portable_event *event = portable_events;
	int code;

	while (event < portable_events + PORTABLE_COUNT && strcmp(event->name, name) != 0)
		event++;
	if (event == portable_events + PORTABLE_COUNT)
		return -ENOENT;
	if (choose(event, attr, &code))
		return 0;
	if (!has_hardware_counters())
		return err_set(err, -EOPNOTSUPP,
			       "this machine has no hardware counters, or its hypervisor does "
			       "not expose them");
	/*
	 * The event may exist, but we are not permitted to open it here. Return success: when the
	 * caller opens the event, the error message will name the permission that is missing.
	 */
	if ((code == -EACCES || code == -EPERM) && use_generic(event->generic, attr))
		return 0;
	return err_set(err, -EOPNOTSUPP,
		       "this machine's CPU has no event for %s, or assay does not know "
		       "the event",
		       event->meaning);
}

const char *portable_event_native(const char *name, size_t index)
{
	for (size_t i = 0; i < PORTABLE_COUNT; i++)
		if (strcmp(portable_events[i].name, name) == 0)
			return index < NATIVES_MAX ? portable_events[i].natives[index] : NULL;
	return NULL;
}

void portable_events_each(portable_visit_fn visit, void *context)
{
	for (size_t i = 0; i < PORTABLE_COUNT; i++) {
		struct perf_event_attr attr = { .size = sizeof(attr) };
		int code;

		visit(context, portable_events[i].name, choose(&portable_events[i], &attr, &code),
		      portable_events[i].meaning);
	}
}
