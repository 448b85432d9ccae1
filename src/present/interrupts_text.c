/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints idle time, and interrupts with the processes that they interrupted. */
#include "present/text.h"

#include <inttypes.h>

#define VICTIM_ROWS 10	/* maximum number of rows in a brief report */

void text_idle(struct text *text)
{
	static const struct table_column columns[] = {
		RIGHT("cpu"),	       RIGHT("hits"),	 RIGHT("sampled s"),
		RIGHT("/proc/stat s"), RIGHT("of wall"),
	};
	const struct account *account = &text->overview->account;
	const struct profile *profile = text->overview->profile;
	struct table table = { .columns = columns, .column_count = 5 };

	if (account->missing)
		return;
	text_title(text, "Idle");
	text_line(text, "A virtual CPU may stop ticking while idle, so trust the kernel's count "
			"(/proc/stat).");
	for (size_t i = 0; i < account->cpus.count; i++) {
		const struct account_column *column = &account->cpus.at[i];
		struct cpu_total none = { 0 };
		const struct cpu_total *cpu = column->cpu < profile->cpus.count
						      ? &profile->cpus.at[column->cpu]
						      : &none;

		table_cell(&table, "%" PRIu32, column->cpu);
		table_cell(&table, "%" PRIu64, cpu->samples[CONTEXT_IDLE]);
		table_cell(&table, "%.3f", (double)cpu->weight[CONTEXT_IDLE] / 1e9);
		table_cell(&table, "%.3f", (double)column->ns[ACCOUNT_IDLE] / 1e9);
		table_cell(&table, "%.2f%%",
			   percent_of((uint64_t)column->ns[ACCOUNT_IDLE], column->wall_ns));
	}
	text_table(text, &table);
}

static void print_victims(struct text *text, const struct group_table *victims)
{
	const struct overview *o = text->overview;
	const struct table_column columns[] = {
		RIGHT("hits"),	RIGHT(text_weight_title(o)),
		RIGHT("share"), RIGHT("95 % interval"),
		LEFT(""),	LEFT("process running when they arrived"),
	};
	struct table table = { .columns = columns, .column_count = 6 };
	size_t shown = text_rows(text, victims->rows.at, victims->rows.count, VICTIM_ROWS);
	uint64_t rest = victims->total.samples;

	for (size_t i = 0; i < shown; i++) {
		const struct group_row *row = &victims->rows.at[i];
		struct figures figures = figures_of(o, &row->count, &victims->total);

		cells_of(&table, &figures);
		cell_label(&table, o->profile, BY_PROCESS, row->key[0]);
		rest -= row->count.samples;
	}
	(void)fputc('\n', text->out);
	text_table(text, &table);
	text_rest(text, shown, victims->rows.count, rest);
}

static void print_kind(struct text *text, enum timed_level level,
		       const struct group_table *functions, const struct group_table *victims)
{
	static const char *const titles[TIMED_LEVELS] = {
		[TIMED_HARD] = "Hardware interrupts",
		[TIMED_SOFT] = "Software interrupts",
	};

	if (!functions->rows.count && !text->overview->timed.levels[level].count)
		return;
	text_title(text, "%s", titles[level]);
	if (functions->rows.count) {
		text_function_table(text, functions);
		print_victims(text, victims);
	}
	text_timed(text, level);
}

void text_interrupts(struct text *text)
{
	const struct overview *o = text->overview;

	print_kind(text, TIMED_HARD, &o->hardirq, &o->hardirq_victims);
	print_kind(text, TIMED_SOFT, &o->softirq, &o->softirq_victims);
	if (o->interrupt.samples || !o->timed.missing)
		text_timed_cost(text);
}
