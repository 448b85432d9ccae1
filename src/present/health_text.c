/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints losses by cause, the completeness of stacks and names, and the CPU time and memory that
 * the profiler itself used.
 */
#include "present/text.h"

#include <inttypes.h>
#include <string.h>

#define UNRESOLVED_ROWS 5	/* maximum number of rows in a brief report */
/* in seconds; in a shorter run, most of the cost is that of starting and stopping */
#define SHARE_WALL_S 1

void text_losses(struct text *text)
{
	static const struct table_column columns[] = {
		LEFT("lost"),
		LEFT("cause"),
		PROSE("which means"),
	};
	const struct model *model = text->overview->profile->model;
	const struct losses *losses = &model->losses;
	struct table table = { .columns = columns, .column_count = 3 };

	text_title(text, "Losses");
	/* set the width so that the meanings, which are sentences, are wrapped */
	table.width = text_columns(text);
	for (int i = 0; i < LOSS_COUNT; i++) {
		enum loss reason = (enum loss)i;

		if (!losses->count[i])
			continue;
		table_cell(&table, "%" PRIu64 " %s", losses->count[i], loss_unit(reason));
		table_cell(&table, "%s", loss_name(reason));
		table_cell(&table, "%s", loss_meaning(reason));
	}
	if (table.cells.count)
		text_table(text, &table);
	else
		text_line(text, "none");
	if (model_fact(model, FACT_NEGATIVE_VALUES))
		text_fact(text, "negative", model_fact(model, FACT_NEGATIVE_VALUES));
}

static void print_stacks(struct text *text)
{
	static const struct table_column columns[] = {
		RIGHT("hits"),
		RIGHT("share"),
		LEFT("stacks"),
		PROSE("which means"),
	};
	const struct health *health = &text->overview->health;
	struct table table = { .columns = columns, .column_count = 4 };

	for (int i = 0; i < STACK_END_COUNT; i++) {
		enum stack_end end = (enum stack_end)i;

		if (!health->stack_ends[i])
			continue;
		table_cell(&table, "%" PRIu64, health->stack_ends[i]);
		table_cell(&table, "%.2f%%", percent_of(health->stack_ends[i], health->samples));
		table_cell(&table, "%s", stack_end_name(end));
		table_cell(&table, "%s", stack_end_meaning(end));
	}
	text_table(text, &table);
}

static void print_names(struct text *text)
{
	static const char *const meanings[QUALITY_COUNT] = {
		[QUALITY_SYMTAB] = "from the full symbol table",
		[QUALITY_DYNSYM] = "inside an exported symbol's bounds",
		[QUALITY_JIT] = "named by the program that generated the code",
		[QUALITY_PLT] = "code that jumps to another image",
		[QUALITY_BRACKET] = "fn_ADDRESS: in no symbol, but near others",
		[QUALITY_BOUNDS] = "fn_ADDRESS: the image has no symbols",
		[QUALITY_NONE] = "[image]: only the address is known",
	};
	static const struct table_column columns[] = {
		RIGHT("hits"),
		RIGHT("share"),
		LEFT("names"),
		PROSE("which means"),
	};
	const struct health *health = &text->overview->health;
	struct table table = { .columns = columns, .column_count = 4 };

	for (int i = 0; i < QUALITY_COUNT; i++) {
		if (!health->qualities[i])
			continue;
		table_cell(&table, "%" PRIu64, health->qualities[i]);
		table_cell(&table, "%.2f%%", percent_of(health->qualities[i], health->samples));
		table_cell(&table, "%s", quality_name((enum quality)i));
		table_cell(&table, "%s", meanings[i]);
	}
	(void)fputc('\n', text->out);
	text_table(text, &table);
}

static void print_unresolved(struct text *text)
{
	static const struct table_column columns[] = {
		RIGHT("hits"),
		RIGHT("share"),
		PATH("without names, by image", 0),
	};
	const struct overview *o = text->overview;
	const struct group_table *unresolved = &o->health.unresolved;
	struct table table = { .columns = columns, .column_count = 3 };
	size_t shown = text_limit(text, unresolved->rows.count, UNRESOLVED_ROWS);
	uint64_t rest = unresolved->total.samples;

	if (!unresolved->rows.count)
		return;
	for (size_t i = 0; i < shown; i++) {
		const struct group_row *row = &unresolved->rows.at[i];

		table_cell(&table, "%" PRIu64, row->count.samples);
		table_cell(&table, "%.2f%%", percent_of(row->count.samples, o->health.samples));
		cell_label(&table, o->profile, BY_IMAGE, row->key[0]);
		rest -= row->count.samples;
	}
	(void)fputc('\n', text->out);
	text_table(text, &table);
	text_rest(text, shown, unresolved->rows.count, rest);
}

static void print_cost(struct text *text)
{
	const struct model *model = text->overview->profile->model;
	struct own_cost cost = health_own_cost(model);
	char share[64] = "";

	if (!cost.known)
		return;
	if (cost.wall_s >= SHARE_WALL_S)
		(void)snprintf(share, sizeof(share), " (%.2f%% of one CPU)", cost.percent);
	(void)fputc('\n', text->out);
	text_line(text,
		  "assay itself used %.3f s of CPU to record%s and %.3f s for names, %.1f MiB of "
		  "memory and %.1f KiB of disk",
		  cost.record_s, share, cost.names_s,
		  (double)model_fact_u64(model, FACT_SELF_MAX_RSS_BYTES) / (1 << 20),
		  (double)model_fact_u64(model, FACT_RECORDING_BYTES) / (1 << 10));
}

/*
 * Prints the maximum kernel memory that the unwind tables used. If their memory limit was too low,
 * also prints how many tables and processes were left out.
 */
static void print_tables(struct text *text)
{
	const struct model *model = text->overview->profile->model;
	uint64_t tables = model_fact_u64(model, FACT_TABLES_EVICTED);
	uint64_t processes = model_fact_u64(model, FACT_PROCESSES_EVICTED) +
			     model_fact_u64(model, FACT_PROCESSES_REFUSED);

	if (!model_fact(model, FACT_TABLE_BYTES_MAX))
		return;
	text_line(text, "Unwind tables used up to %.1f MiB of kernel memory.",
		  (double)model_fact_u64(model, FACT_TABLE_BYTES_MAX) / (1 << 20));
	if (tables || processes)
		text_line(text,
			  "This was not enough: %" PRIu64 " tables and %" PRIu64 " processes "
			  "were left out, and the samples of these processes carried copies of "
			  "their stacks instead. Allow more memory with %s.",
			  tables, processes, text->style->settings->table_memory);
	if (model_fact(model, FACT_SAMPLER_TROUBLE))
		text_line(text, "Some processes could not be added at all: %s",
			  model_fact(model, FACT_SAMPLER_TROUBLE));
}

static void print_tick_watch(struct text *text)
{
	const char *watch = model_fact(text->overview->profile->model, FACT_TICK_WATCH);

	if (watch && strcmp(watch, "on") != 0)
		text_line(text, "Ticks that did not reach the sampler were not counted: %s", watch);
}

static void print_32bit(struct text *text)
{
	uint64_t samples = model_fact_u64(text->overview->profile->model, FACT_WALKED_32BIT);

	if (samples)
		text_line(text,
			  "%" PRIu64 " samples of 32-bit programs were unwound by frame "
			  "pointers",
			  samples);
}

static void print_samples(struct text *text)
{
	print_stacks(text);
	print_32bit(text);
	print_names(text);
	print_unresolved(text);
	text_walks(text);
}

void text_health(struct text *text)
{
	text_title(text, "Health");
	if (!text->overview->health.samples)
		text_line(text, "no samples");
	else
		print_samples(text);
	print_cost(text);
	print_tables(text);
	print_tick_watch(text);
}
