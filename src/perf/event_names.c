/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CACHE_ALIASES_MAX 5

struct plain_event {
	const char *name;
	const char *alias;
	struct event_code code;
};

#define SOFTWARE(which) \
	{ \
		PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##which \
	}
#define HARDWARE(which) \
	{ \
		PERF_TYPE_HARDWARE, PERF_COUNT_HW_##which \
	}

static const struct plain_event plain_events[] = {
	{ "cpu-clock", NULL, SOFTWARE(CPU_CLOCK) },
	{ "task-clock", NULL, SOFTWARE(TASK_CLOCK) },
	{ "page-faults", "faults", SOFTWARE(PAGE_FAULTS) },
	{ "minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN) },
	{ "major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ) },
	{ "context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES) },
	{ "cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS) },
	{ "cgroup-switches", NULL, SOFTWARE(CGROUP_SWITCHES) },
	{ "alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS) },
	{ "emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS) },
	{ "bpf-output", NULL, SOFTWARE(BPF_OUTPUT) },
	{ "dummy", NULL, SOFTWARE(DUMMY) },
	{ "cpu-cycles", "cycles", HARDWARE(CPU_CYCLES) },
	{ "instructions", NULL, HARDWARE(INSTRUCTIONS) },
	{ "cache-references", NULL, HARDWARE(CACHE_REFERENCES) },
	{ "cache-misses", NULL, HARDWARE(CACHE_MISSES) },
	{ "branch-instructions", "branches", HARDWARE(BRANCH_INSTRUCTIONS) },
	{ "branch-misses", NULL, HARDWARE(BRANCH_MISSES) },
	{ "bus-cycles", NULL, HARDWARE(BUS_CYCLES) },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND) },
	{ "stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND) },
	{ "ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES) },
};

#define CAN_LOAD (1u << PERF_COUNT_HW_CACHE_OP_READ)
#define CAN_STORE (1u << PERF_COUNT_HW_CACHE_OP_WRITE)
#define CAN_PREFETCH (1u << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* Indexed by enum perf_hw_cache_id. The user is shown the first alias. */
static const struct {
	const char *aliases[CACHE_ALIASES_MAX];
	unsigned int operations;
} caches[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = { { "L1-dcache", "l1-d", "l1d", "L1-data" },
				      CAN_LOAD | CAN_STORE | CAN_PREFETCH },
	[PERF_COUNT_HW_CACHE_L1I] = { { "L1-icache", "l1-i", "l1i", "L1-instruction" },
				      CAN_LOAD | CAN_PREFETCH },
	[PERF_COUNT_HW_CACHE_LL] = { { "LLC", "L2" },
				     CAN_LOAD | CAN_STORE | CAN_PREFETCH },
	[PERF_COUNT_HW_CACHE_DTLB] = { { "dTLB", "d-tlb", "Data-TLB" },
				       CAN_LOAD | CAN_STORE | CAN_PREFETCH },
	[PERF_COUNT_HW_CACHE_ITLB] = { { "iTLB", "i-tlb", "Instruction-TLB" },
				       CAN_LOAD },
	[PERF_COUNT_HW_CACHE_BPU] = { { "branch", "branches", "bpu", "btb", "bpc" },
				      CAN_LOAD },
	[PERF_COUNT_HW_CACHE_NODE] = { { "node" },
				       CAN_LOAD | CAN_STORE | CAN_PREFETCH },
};

/*
 * Listed names use the first alias if a result follows ("load-misses"), and the second alias if no
 * result follows ("loads").
 */
static const char *const operations[PERF_COUNT_HW_CACHE_OP_MAX][CACHE_ALIASES_MAX] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches",
					      "speculative-read", "speculative-load" },
};

static const char *const results[PERF_COUNT_HW_CACHE_RESULT_MAX][CACHE_ALIASES_MAX] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

/* If one of the aliases is the next whole word at *@text, moves *@text past it and returns true. */
static bool take_word(const char **text, const char *const aliases[CACHE_ALIASES_MAX])
{
	for (size_t i = 0; i < CACHE_ALIASES_MAX && aliases[i]; i++) {
		size_t length = strlen(aliases[i]);

		if (strncasecmp(*text, aliases[i], length) != 0)
			continue;
		if ((*text)[length] != '\0' && (*text)[length] != '-')
			continue;
		*text += length + ((*text)[length] == '-');
		return true;
	}
	return false;
}

/*
 * If a word of @table is the next whole word at *@text, moves *@text past it and returns the index
 * of its row. Otherwise returns @otherwise.
 */
static unsigned int take_row(const char **text, const char *const table[][CACHE_ALIASES_MAX],
			     unsigned int row_count, unsigned int otherwise)
{
	for (unsigned int row = 0; row < row_count; row++)
		if (take_word(text, table[row]))
			return row;
	return otherwise;
}

static struct event_code cache_code(unsigned int cache, unsigned int operation, unsigned int result)
{
	return (struct event_code){ PERF_TYPE_HW_CACHE, cache | operation << 8 | result << 16 };
}

static bool find_cache(const char *name, struct event_code *ret_code)
{
	for (unsigned int cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++) {
		const char *rest = name;
		unsigned int operation, result;

		if (!take_word(&rest, caches[cache].aliases))
			continue;
		operation = take_row(&rest, operations, PERF_COUNT_HW_CACHE_OP_MAX,
				     PERF_COUNT_HW_CACHE_OP_READ);
		result = take_row(&rest, results, PERF_COUNT_HW_CACHE_RESULT_MAX,
				  PERF_COUNT_HW_CACHE_RESULT_ACCESS);
		if (*rest || name[strlen(name) - 1] == '-')
			return false;
		*ret_code = cache_code(cache, operation, result);
		return true;
	}
	return false;
}

bool event_name_find(const char *name, struct event_code *ret_code)
{
	for (size_t i = 0; i < COUNT(plain_events); i++) {
		const struct plain_event *event = &plain_events[i];

		if (strcmp(name, event->name) == 0 ||
		    (event->alias && strcmp(name, event->alias) == 0)) {
			*ret_code = event->code;
			return true;
		}
	}
	return find_cache(name, ret_code);
}

static void visit_cache(event_name_fn visit, void *context, unsigned int cache,
			unsigned int operation)
{
	const char *cache_name = caches[cache].aliases[0];
	char name[64];

	if (!(caches[cache].operations & (1u << operation)))
		return;
	(void)snprintf(name, sizeof(name), "%s-%s", cache_name, operations[operation][1]);
	visit(context, name, cache_code(cache, operation, PERF_COUNT_HW_CACHE_RESULT_ACCESS));
	(void)snprintf(name, sizeof(name), "%s-%s-misses", cache_name, operations[operation][0]);
	visit(context, name, cache_code(cache, operation, PERF_COUNT_HW_CACHE_RESULT_MISS));
}

void event_names_each(event_name_fn visit, void *context)
{
	for (size_t i = 0; i < COUNT(plain_events); i++)
		visit(context, plain_events[i].name, plain_events[i].code);
	for (unsigned int cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++)
		for (unsigned int op = 0; op < PERF_COUNT_HW_CACHE_OP_MAX; op++)
			visit_cache(visit, context, cache, op);
}
