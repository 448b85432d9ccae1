/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of the facts of merged recordings. A fact that all recordings agree on stays as it
 * is. The table below has the facts that are treated differently. Sums and lists can be merged
 * again with the same result. All other facts are dropped if the recordings differ, or if one of
 * them does not have the fact.
 */
#include <inttypes.h>
#include <stdio.h>

#include "model/merge-private.h"

#define LIST_SEPARATOR " + "

enum rule {
	RULE_AGREE,	/* keep it only if it is equal in all recordings */
	RULE_SUM,
	RULE_MOST,
	RULE_FIRST,	/* keep that of the first recording that has it */
	RULE_LIST,	/* keep all different texts */
	RULE_NOT_ON,	/* "on", or the first reason why something was not done */
	RULE_SKIP,	/* set elsewhere */
};

static const struct {
	enum fact_id id;
	enum rule rule;
} rules[] = {
	{ FACT_STATE, RULE_LIST },
	{ FACT_ASSAY_VERSION, RULE_LIST },
	{ FACT_HOST, RULE_LIST },
	{ FACT_KERNEL, RULE_LIST },
	{ FACT_ARCH, RULE_FIRST },
	{ FACT_COMMAND, RULE_LIST },
	{ FACT_TARGET, RULE_LIST },
	{ FACT_SCOPE, RULE_LIST },
	{ FACT_DESCRIBE, RULE_LIST },
	{ FACT_COLLECTOR, RULE_LIST },
	{ FACT_CALLGRAPH, RULE_LIST },
	{ FACT_CPUS, RULE_MOST },
	{ FACT_FLUSH_MS, RULE_MOST },
	{ FACT_START_NS, RULE_SKIP },
	{ FACT_END_NS, RULE_SKIP },
	{ FACT_START_REALTIME_NS, RULE_FIRST },
	{ FACT_SELF_TGID, RULE_SKIP },
	{ FACT_SELF_CPU_NS, RULE_SUM },
	{ FACT_SYMBOLIZE_CPU_NS, RULE_SUM },
	{ FACT_SELF_MAX_RSS_BYTES, RULE_MOST },
	{ FACT_RECORDING_BYTES, RULE_SUM },
	{ FACT_OFF_CPU_MIN_NS, RULE_MOST },
	{ FACT_TABLE_BYTES_MAX, RULE_MOST },
	{ FACT_TABLES_EVICTED, RULE_SUM },
	{ FACT_PROCESSES_EVICTED, RULE_SUM },
	{ FACT_PROCESSES_REFUSED, RULE_SUM },
	{ FACT_SAMPLER_TROUBLE, RULE_LIST },
	{ FACT_TICK_WATCH, RULE_NOT_ON },
	{ FACT_IRQ_TIME, RULE_NOT_ON },
	{ FACT_IRQ_TIME_PAIR_NS, RULE_MOST },
	{ FACT_WALKED_32BIT, RULE_SUM },
	{ FACT_INTERRUPT_COST_NS, RULE_FIRST },
	{ FACT_INTERRUPT_COST_LOW_NS, RULE_FIRST },
	{ FACT_INTERRUPT_COST_HIGH_NS, RULE_FIRST },
	{ FACT_INTERRUPT_COST_HOW, RULE_FIRST },
	{ FACT_VIRTUAL, RULE_MOST },
	{ FACT_LINES_IMAGES, RULE_MOST },
	{ FACT_JITDUMP_REFUSED, RULE_LIST },
	{ FACT_KERNEL_TEXT_START, RULE_FIRST },
	{ FACT_IMPORTED_FROM, RULE_LIST },
	{ FACT_IMPORTED_FORMAT, RULE_LIST },
	{ FACT_NOT_IN_FILE, RULE_LIST },
	{ FACT_NEGATIVE_VALUES, RULE_LIST },
	{ FACT_COMMAND_CPU_NS, RULE_SUM },
	{ FACT_MERGED, RULE_SKIP },
	{ FACT_LINES_IMAGE, RULE_SKIP },
	{ FACT_LINES_FILE, RULE_SKIP },
	{ FACT_TRUSTED_IMAGE, RULE_SKIP },
	{ FACT_RUN_END_NS, RULE_SKIP },
	{ FACT_RUN_SELF_TGID, RULE_SKIP },
};

static enum rule rule_of(enum fact_id id)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].id == id)
			return rules[i].rule;
	return RULE_AGREE;
}

/* ---- lists ---- */

/* Returns true if @item, which has @length bytes, is an element of @list. */
static bool is_in_list(const char *list, const char *item, size_t length)
{
	size_t step = strlen(LIST_SEPARATOR);

	for (;;) {
		const char *end = strstr(list, LIST_SEPARATOR);
		size_t size = end ? (size_t)(end - list) : strlen(list);

		if (size == length && memcmp(list, item, length) == 0)
			return true;
		if (!end)
			return false;
		list = end + step;
	}
}

/* Both texts can be lists already. */
static void add_to_list(struct model *into, enum fact_id id, const char *text)
{
	while (text) {
		const char *end = strstr(text, LIST_SEPARATOR), *have = model_fact(into, id);
		size_t size = end ? (size_t)(end - text) : strlen(text);

		if (!have)
			model_fact_set(into, id, "%.*s", (int)size, text);
		else if (!is_in_list(have, text, size))
			model_fact_set(into, id, "%s" LIST_SEPARATOR "%.*s", have, (int)size, text);
		text = end ? end + strlen(LIST_SEPARATOR) : NULL;
	}
}

/* ---- one fact ---- */

static void merge_number(struct model *into, const struct model *from, enum fact_id id,
			 enum rule rule)
{
	uint64_t have = model_fact_u64(into, id), add = model_fact_u64(from, id);

	if (rule == RULE_SUM)
		model_fact_set_u64(into, id, have + add);
	else if (!model_fact(into, id) || add > have)
		model_fact_set_u64(into, id, add);
}

static void merge_fact(struct model *into, const struct model *from, enum fact_id id)
{
	const char *have = model_fact(into, id), *text = model_fact(from, id);

	if (!text)
		return;
	switch (rule_of(id)) {
	case RULE_SUM:
	case RULE_MOST:
		merge_number(into, from, id, rule_of(id));
		break;
	case RULE_LIST:
		add_to_list(into, id, text);
		break;
	case RULE_FIRST:
		if (!have)
			model_fact_set(into, id, "%s", text);
		break;
	case RULE_NOT_ON:
		if (!have || strcmp(have, "on") == 0)
			model_fact_set(into, id, "%s", text);
		break;
	case RULE_AGREE:
	case RULE_SKIP:
		break;
	}
}

/* Facts of later versions, too, are kept if all recordings agree on them. */
static bool is_by_agreement(const char *key)
{
	int id = model_fact_of_key(key);

	return id < 0 ? !model_fact_is_numbered(key) : rule_of((enum fact_id)id) == RULE_AGREE;
}

/* All models are added before the first fact is written, so a fact can still be removed. */
static void merge_agreed(struct model *into, const struct model *from, bool is_first)
{
	size_t kept = 0;

	for (size_t i = 0; is_first && i < from->facts.count; i++) {
		const char *key = model_string(from, from->facts.at[i].key);

		if (is_by_agreement(key))
			(void)model_fact_load(into, key,
					      model_string(from, from->facts.at[i].value));
	}
	for (size_t i = 0; i < into->facts.count; i++) {
		const struct fact fact = into->facts.at[i];
		const char *key = model_string(into, fact.key);
		const char *value = model_fact_with_key(from, key);

		if (is_by_agreement(key) &&
		    (!value || strcmp(value, model_string(into, fact.value)) != 0))
			continue;
		into->facts.at[kept++] = fact;
	}
	into->facts.count = kept;
}

/* ---- facts of images and runs ---- */

static void merge_image_facts(struct model *into, const struct model *from,
			      const struct model_map *map)
{
	static const enum fact_id ids[] = { FACT_LINES_IMAGE, FACT_LINES_FILE, FACT_TRUSTED_IMAGE };

	for (uint32_t i = 1; i < from->images.count; i++)
		for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++) {
			const char *text = model_image_fact(from, ids[k], i);

			if (text && !model_image_fact(into, ids[k], map->images[i]))
				model_image_fact_set(into, ids[k], map->images[i], text);
		}
}

static void merge_runs(struct model_merge *merge, const struct model *from,
		       const struct model_map *map, uint32_t first_process)
{
	struct model *into = merge->into;
	uint32_t process;
	uint64_t value;

	if (!model_fact(from, FACT_MERGED)) {
		model_run_fact_set(into, FACT_RUN_END_NS, first_process, merge->next_ns);
		model_run_fact_set(into, FACT_RUN_SELF_TGID, first_process,
				   model_fact_u64(from, FACT_SELF_TGID));
		return;
	}
	for (size_t i = 0; i < from->facts.count; i++) {
		if (model_run_fact_at(from, i, FACT_RUN_END_NS, &process, &value))
			model_run_fact_set(into, FACT_RUN_END_NS, map->processes[process],
					   merge_time(map, value));
		if (model_run_fact_at(from, i, FACT_RUN_SELF_TGID, &process, &value))
			model_run_fact_set(into, FACT_RUN_SELF_TGID, map->processes[process],
					   value);
	}
}

void merge_facts(struct model_merge *merge, const struct model *from, const struct model_map *map,
		 uint32_t first_process)
{
	struct model *into = merge->into;
	uint64_t runs = model_fact(from, FACT_MERGED) ? model_fact_u64(from, FACT_MERGED) : 1;

	for (int id = 0; id < FACT_COUNT; id++)
		merge_fact(into, from, (enum fact_id)id);
	merge_agreed(into, from, merge->run_count == 0);
	merge_image_facts(into, from, map);
	merge_runs(merge, from, map, first_process);
	model_fact_set_u64(into, FACT_MERGED, model_fact_u64(into, FACT_MERGED) + runs);
}
