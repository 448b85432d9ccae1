/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints where the time went: by application, by function and by process. */
#include "present/text.h"

#include <inttypes.h>

#define NARROW_COLUMNS 96
#define OWNER_ROWS 15	/* maximum number of rows in a brief report */

/*
 * Returns true if the terminal is too narrow for two columns (hits and weight) for each of user,
 * system and interrupts.
 */
static bool is_narrow(const struct text *text)
{
	return text->style->columns && text->style->columns < NARROW_COLUMNS;
}

static uint64_t samples_behind(const struct owners *owners, size_t shown)
{
	uint64_t samples = 0;

	for (size_t i = shown; i < owners->list.count; i++)
		samples += owners->list.at[i].all.samples;
	return samples;
}

/*
 * Returns the number of owners (processes or applications) to show. The rules are the same as in
 * text_rows().
 */
static size_t owners_shown(const struct text *text, const struct owners *owners)
{
	size_t shown = text_limit(text, owners->list.count, OWNER_ROWS);
	uint64_t total = samples_behind(owners, 0);

	while (text->style->brief && shown > TEXT_ROWS_MIN &&
	       owners->list.at[shown - 1].all.samples < INTERVAL_FEW &&
	       text_may_hide(samples_behind(owners, shown - 1), total))
		shown--;
	return shown;
}

void text_applications(struct text *text)
{
	const struct overview *o = text->overview;
	const struct table_column columns[] = {
		RIGHT("hits"),
		RIGHT(text_weight_title(o)),
		RIGHT("share"),
		RIGHT("95 % interval"),
		LEFT(""),
		RIGHT("system"),
		RIGHT("irq"),
		RIGHT("procs"),
		LEFT("application"),
	};
	struct table table = { .columns = columns, .column_count = 9 };
	const struct owners *owners = &o->applications;
	size_t shown = owners_shown(text, owners);

	text_title(text, "Applications");
	text_line(text,
		  "Shares are of the %" PRIu64 " samples that are not idle. Hits consist of "
		  "kernel mode on behalf of the application (system), interrupts that arrived "
		  "meanwhile (irq), and user mode (the rest).",
		  o->busy.samples);
	for (size_t i = 0; i < shown; i++) {
		const struct owner *owner = &owners->list.at[i];
		struct figures figures = figures_of(o, &owner->all, &o->busy);

		cells_of(&table, &figures);
		table_cell(&table, "%" PRIu64, owner->sys.samples);
		table_cell(&table, "%" PRIu64, owner->interrupt.samples);
		table_cell(&table, "%" PRIu32, owner->processes);
		cell_label(&table, o->profile, BY_APPLICATION, owner->id);
	}
	text_table(text, &table);
	text_rest(text, shown, owners->list.count, samples_behind(owners, shown));
}

void text_all_functions(struct text *text)
{
	text_title(text, "Functions");
	text_line(text, "All processes and the kernel, without idle.");
	text_function_table(text, &text->overview->functions);
}

/* Adds cells with hits and weight. On a narrow terminal adds only the weight. */
static void put_part(struct table *table, const struct text *text, const struct count *count)
{
	if (!is_narrow(text))
		table_cell(table, "%" PRIu64, count->samples);
	cell_weight(table, count->weight, text->overview->is_time);
}

static void put_process(struct text *text, struct table *table, const struct owner *owner)
{
	const struct overview *o = text->overview;
	struct figures figures = figures_of(o, &owner->all, &o->busy);

	put_part(table, text, &owner->user);
	put_part(table, text, &owner->sys);
	put_part(table, text, &owner->interrupt);
	cells_share(table, &figures);
	table_mark(table, figures.mark);
	cell_label(table, o->profile, BY_PROCESS, owner->id);
}

static void print_processes(struct text *text, size_t shown)
{
	const char *weight = text_weight_title(text->overview);
	const struct table_column wide[] = {
		RIGHT("user"), RIGHT(weight),	RIGHT("system"), RIGHT(weight),
		RIGHT("irq"),  RIGHT(weight),	RIGHT("share"),	 RIGHT("95 % interval"),
		LEFT(""),      LEFT("process"),
	};
	static const struct table_column narrow[] = {
		RIGHT("user"),		RIGHT("system"), RIGHT("irq"),	  RIGHT("share"),
		RIGHT("95 % interval"), LEFT(""),	 LEFT("process"),
	};
	struct table table = { .columns = is_narrow(text) ? narrow : wide,
			       .column_count = is_narrow(text) ? 7 : 10 };

	for (size_t i = 0; i < shown; i++)
		put_process(text, &table, &text->overview->processes.list.at[i]);
	text_table(text, &table);
}

void text_processes(struct text *text)
{
	const struct owners *owners = &text->overview->processes;
	size_t shown = owners_shown(text, owners);

	if (!owners->list.count)
		return;
	text_title(text, "Extrapolated summary of processes");
	text_line(text,
		  "Interrupts (irq) are those that arrived while the process was running. They "
		  "are part of its share, but they are not its own work: user and system "
		  "exclude them.%s%s",
		  is_narrow(text) ? " In " : "",
		  is_narrow(text) ? text_weight_title(text->overview) : "");
	print_processes(text, shown);
	text_rest(text, shown, owners->list.count, samples_behind(owners, shown));
}
