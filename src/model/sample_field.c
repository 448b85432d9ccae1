/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/sample_field.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

#define LEVELS                                                                                    \
	(PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB | PERF_MEM_LVL_L2 | PERF_MEM_LVL_L3 |                 \
	 PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2 |                   \
	 PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2 | PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC)

int sample_field_add(struct model *model, enum sample_field field)
{
	static const char *const names[FIELD_COUNT] = {
		[FIELD_DATA_ADDRESS] = "data-address",
		[FIELD_DATA_SOURCE] = "data-source",
		[FIELD_LATENCY] = "latency",
	};
	struct event *event = vec_push(&model->events);

	if (!event)
		return -ENOMEM;
	*event = (struct event){
		.name = model_intern(model, names[field]),
		.type = EVENT_TYPE_FIELD,
		.config = field,
		.is_counter = true,
	};
	return 0;
}

size_t sample_field_column(const struct model *model, enum sample_field field)
{
	size_t column = 0;

	for (size_t i = 0; i < model->events.count; i++) {
		const struct event *event = &model->events.at[i];

		if (event_is_field(event) && event->config == field)
			return column;
		column += event->is_counter;
	}
	return FIELD_NO_COLUMN;
}

/* ---- the source of the data ---- */

/*
 * Older kernels tell the level as a bit of mem_lvl, newer ones also or only as mem_lvl_num. The bit
 * tells more, because it says which memory was remote.
 */
uint64_t data_source_shown(uint64_t source)
{
	union perf_mem_data_src from = { .val = source }, shown = { 0 };

	shown.mem_op = from.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE | PERF_MEM_OP_PFETCH |
				      PERF_MEM_OP_EXEC);
	shown.mem_lvl = from.mem_lvl & (LEVELS | PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS);
	shown.mem_snoop = from.mem_snoop & PERF_MEM_SNOOP_HITM;
	shown.mem_lock = from.mem_lock & PERF_MEM_LOCK_LOCKED;
	shown.mem_dtlb = from.mem_dtlb & PERF_MEM_TLB_MISS;
	if (from.mem_lvl & LEVELS || from.mem_lvl_num == PERF_MEM_LVLNUM_NA)
		return shown.val;
	shown.mem_lvl_num = from.mem_lvl_num;
	shown.mem_remote = from.mem_remote;
	return shown.val;
}

static const char *operation_of(union perf_mem_data_src source)
{
	if (source.mem_op & PERF_MEM_OP_STORE)
		return source.mem_op & PERF_MEM_OP_LOAD ? "load and store" : "store";
	if (source.mem_op & PERF_MEM_OP_LOAD)
		return "load";
	if (source.mem_op & PERF_MEM_OP_PFETCH)
		return "prefetch";
	return source.mem_op & PERF_MEM_OP_EXEC ? "exec" : "access";
}

/* If there are several levels, the data came from the one farthest from the processor. */
static const char *level_of_bits(uint64_t level)
{
	static const struct {
		uint64_t bits;
		const char *name;
	} levels[] = {
		{ PERF_MEM_LVL_IO, " I/O" },
		{ PERF_MEM_LVL_UNC, " uncached" },
		{ PERF_MEM_LVL_REM_RAM2, " remote RAM, 2 hops" },
		{ PERF_MEM_LVL_REM_RAM1, " remote RAM" },
		{ PERF_MEM_LVL_REM_CCE2, " remote cache, 2 hops" },
		{ PERF_MEM_LVL_REM_CCE1, " remote cache" },
		{ PERF_MEM_LVL_LOC_RAM, " RAM" },
		{ PERF_MEM_LVL_L3, " L3" },
		{ PERF_MEM_LVL_L2, " L2" },
		{ PERF_MEM_LVL_LFB, " fill buffer" },
		{ PERF_MEM_LVL_L1, " L1" },
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (level & levels[i].bits)
			return levels[i].name;
	return NULL;
}

static const char *level_of(union perf_mem_data_src source)
{
	static const char *const numbers[16] = {
		[PERF_MEM_LVLNUM_L1] = " L1",
		[PERF_MEM_LVLNUM_L2] = " L2",
		[PERF_MEM_LVLNUM_L3] = " L3",
		[PERF_MEM_LVLNUM_L4] = " L4",
		[PERF_MEM_LVLNUM_ANY_CACHE] = " a cache",
		[PERF_MEM_LVLNUM_LFB] = " fill buffer",
		[PERF_MEM_LVLNUM_RAM] = " RAM",
		[PERF_MEM_LVLNUM_PMEM] = " pmem",
	};
	const char *level = level_of_bits(source.mem_lvl);

	if (!level)
		level = numbers[source.mem_lvl_num];
	return level ? level : "";
}

static const char *outcome_of(union perf_mem_data_src source)
{
	if (source.mem_lvl & PERF_MEM_LVL_MISS)
		return " miss";
	return source.mem_lvl & PERF_MEM_LVL_HIT ? " hit" : "";
}

static void source_text(uint64_t value, char ret_text[static FIELD_TEXT_MAX])
{
	const union perf_mem_data_src source = { .val = data_source_shown(value) };

	if (!source.val) {
		(void)snprintf(ret_text, FIELD_TEXT_MAX, "[none]");
		return;
	}
	(void)snprintf(ret_text, FIELD_TEXT_MAX, "%s%s%s%s%s%s%s", operation_of(source),
		       source.mem_remote ? " remote" : "", level_of(source), outcome_of(source),
		       source.mem_snoop ? ", modified elsewhere" : "",
		       source.mem_dtlb ? ", TLB miss" : "", source.mem_lock ? ", locked" : "");
}

const char *sample_field_text(enum sample_field field, uint64_t value,
			      char ret_text[static FIELD_TEXT_MAX])
{
	if (field == FIELD_DATA_SOURCE)
		source_text(value, ret_text);
	else if (!value)
		(void)snprintf(ret_text, FIELD_TEXT_MAX, "[none]");
	else if (field == FIELD_DATA_ADDRESS)
		(void)snprintf(ret_text, FIELD_TEXT_MAX, "0x%" PRIx64, value);
	else
		(void)snprintf(ret_text, FIELD_TEXT_MAX, "%" PRIu64, value);
	return ret_text;
}
