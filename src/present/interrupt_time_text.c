/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints measured interrupts, after the tables of sampled interrupts. */
#include "present/text.h"

#define VECTOR_ROWS 12	/* maximum number of rows in a brief report */
#define CPU_ROWS 8
#define VICTIM_ROWS 10
#define UNTIMED_NAMES 4
#define SKIPPED_NAMES 3

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void print_more(struct text *text, size_t shown, size_t count)
{
	if (shown < count)
		(void)fprintf(text->out, "  ... %zu more row%s (%s 0 shows all)\n", count - shown,
			      count - shown == 1 ? "" : "s", text->style->settings->limit);
}

/* Adds three cells: @count, @ns in seconds, and the share of @ns in @whole_ns. */
static void cells_of_time(struct table *table, uint64_t count, uint64_t ns, uint64_t whole_ns)
{
	table_cell(table, "%" PRIu64, count);
	table_cell(table, "%.4f", seconds(ns));
	if (whole_ns)
		table_cell(table, "%.2f%%", percent_of(ns, whole_ns));
	else
		table_cell(table, "-");
}

static void print_vectors(struct text *text, const struct timed_class *class)
{
	static const struct table_column columns[] = {
		RIGHT("count"),	  RIGHT("seconds"), RIGHT("of measured"),
		RIGHT("mean us"), LEFT("kind"),	    LEFT("handler"),
	};
	struct table table = { .columns = columns, .column_count = 6 };
	size_t shown = text_limit(text, class->vectors.count, VECTOR_ROWS);

	for (size_t i = 0; i < shown; i++) {
		const struct timed_vector *vector = &class->vectors.at[i];

		cells_of_time(&table, vector->count, vector->ns, class->ns);
		table_cell(&table, "%.2f",
			   vector->count ? (double)vector->ns / (double)vector->count / 1e3 : 0);
		table_cell(&table, "%s", interrupt_kind_name(vector->kind));
		table_name(&table, model_string(text->overview->profile->model, vector->name));
	}
	text_table(text, &table);
	print_more(text, shown, class->vectors.count);
}

static void cells_of_sampled(struct table *table, const struct timed *timed,
			     const struct timed_cpu *cpu)
{
	double wall_s = seconds(timed->wall_ns);

	table_cell(table, "%.4f", seconds(cpu->sampled_ns));
	table_cell(table, "[%.4f-%.4f]", cpu->sampled.low * wall_s, cpu->sampled.high * wall_s);
	table_cell(table, "%s", cpu->differs ? "differs" : "agrees");
}

static void print_cpus(struct text *text, const struct timed_class *class)
{
	static const struct table_column columns[] = {
		RIGHT("cpu"),	    RIGHT("count"),	    RIGHT("seconds"), RIGHT("of wall"),
		RIGHT("sampled s"), RIGHT("95 % interval"), LEFT("verdict"),
	};
	const struct timed *timed = &text->overview->timed;
	struct table table = { .columns = columns, .column_count = timed->is_compared ? 7 : 4 };
	size_t shown = text_limit(text, class->cpus.count, CPU_ROWS);

	for (size_t i = 0; i < shown; i++) {
		const struct timed_cpu *cpu = &class->cpus.at[i];

		table_cell(&table, "%" PRIu32, cpu->cpu);
		cells_of_time(&table, cpu->count, cpu->ns, timed->wall_ns);
		if (timed->is_compared)
			cells_of_sampled(&table, timed, cpu);
	}
	(void)fputc('\n', text->out);
	text_table(text, &table);
	print_more(text, shown, class->cpus.count);
}

static void cell_victim(struct table *table, const struct model *model,
			const struct timed_victim *victim)
{
	char label[REPORT_LABEL_MAX];

	if (victim->tgid == INTERRUPT_OTHERS)
		(void)snprintf(label, sizeof(label), "[others]");
	else if (victim->tgid >= INTERRUPT_BRIEF)
		(void)snprintf(label, sizeof(label), "%s (brief)",
			       model_string(model, victim->name));
	else
		(void)snprintf(label, sizeof(label), "%s %" PRIu32,
			       model_string(model, victim->name), victim->tgid);
	table_name(table, label);
}

static void print_victims(struct text *text, const struct timed_class *class)
{
	static const struct table_column columns[] = {
		RIGHT("count"),
		RIGHT("seconds"),
		RIGHT("of measured"),
		RIGHT("of its time"),
		LEFT("process running when they arrived"),
	};
	struct table table = { .columns = columns, .column_count = 5 };
	size_t shown = text_limit(text, class->victims.count, VICTIM_ROWS);

	for (size_t i = 0; i < shown; i++) {
		const struct timed_victim *victim = &class->victims.at[i];

		cells_of_time(&table, victim->count, victim->ns, class->ns);
		if (victim->own_ns)
			table_cell(&table, "%.2f%%", percent_of(victim->ns, victim->own_ns));
		else
			table_cell(&table, "-");
		cell_victim(&table, text->overview->profile->model, victim);
	}
	(void)fputc('\n', text->out);
	text_table(text, &table);
	print_more(text, shown, class->victims.count);
}

/*
 * Prints the names and counts of hardirqs that were counted but not timed, because the kernel has
 * no tracepoint for them.
 */
static void print_untimed(struct text *text)
{
	const struct timed *timed = &text->overview->timed;
	char names[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < timed->untimed.count && i < UNTIMED_NAMES; i++) {
		const struct timed_vector *vector = &timed->untimed.at[i];
		int length = snprintf(names + used, sizeof(names) - used, "%s%" PRIu64 " %.64s",
				      i ? ", " : "", vector->count,
				      model_string(text->overview->profile->model, vector->name));

		used += length > 0 && (size_t)length < sizeof(names) - used ? (size_t)length : 0;
	}
	if (timed->untimed.count)
		text_line(text,
			  "These interrupts were counted but not timed, because the kernel has no "
			  "tracepoint for them: %s%s.",
			  names, timed->untimed.count > UNTIMED_NAMES ? " ..." : "");
}

static double skipped_percent(uint64_t skipped, uint64_t timed)
{
	return percent_of(skipped, skipped + timed);
}

/*
 * Prints how many interrupts the kernel counted although they were not timed, also as a share of
 * all interrupts that the kernel counted in the same period.
 */
static void print_skipped(struct text *text, const struct timed_class *class)
{
	char names[512] = "";
	size_t used = 0, named = 0;

	for (size_t i = 0; i < class->vectors.count && named < SKIPPED_NAMES; i++) {
		const struct timed_vector *vector = &class->vectors.at[i];
		int length;

		if (!vector->skipped)
			continue;
		length = snprintf(names + used, sizeof(names) - used,
				  "%s%" PRIu64 " of %.64s (%.2f%%)", named++ ? ", " : "",
				  vector->skipped,
				  model_string(text->overview->profile->model, vector->name),
				  skipped_percent(vector->skipped, vector->count));
		used += length > 0 && (size_t)length < sizeof(names) - used ? (size_t)length : 0;
	}
	if (class->skipped)
		text_line(text,
			  "The kernel counted %" PRIu64 " more than were timed (%.2f%% of all): "
			  "%s%s. The kernel sometimes skips its own tracepoints.",
			  class->skipped, skipped_percent(class->skipped, class->count), names,
			  named == SKIPPED_NAMES ? " and others" : "");
}

void text_timed(struct text *text, enum timed_level level)
{
	const struct timed *timed = &text->overview->timed;
	const struct timed_class *class = &timed->levels[level];

	if (timed->missing || (!class->count && !class->skipped))
		return;
	(void)fputc('\n', text->out);
	if (level == TIMED_HARD)
		text_line(text, "Measured on all recorded CPUs and for all processes: each handler "
				"from beginning to end, including that of the sampling clock. The "
				"kernel's entry into an interrupt and its exit are not part of any "
				"handler.");
	else
		text_line(text, "Measured in the same way, without the hardware interrupts that "
				"arrived meanwhile.");
	print_vectors(text, class);
	print_skipped(text, class);
	print_cpus(text, class);
	if (class->differs && (level == TIMED_HARD || !timed->levels[TIMED_HARD].differs))
		text_line(text, "differs: the measured time is outside the interval that the "
				"samples allow. A clock cannot sample its own interrupt, "
				"samples are lost or late while interrupts are off, and entry "
				"and exit are sampled but not measured.");
	print_victims(text, class);
	if (level == TIMED_HARD)
		print_untimed(text);
}

void text_timed_cost(struct text *text)
{
	const struct timed *timed = &text->overview->timed;
	uint64_t count = timed->levels[TIMED_HARD].count + timed->levels[TIMED_SOFT].count;

	if (timed->missing && !timed->missing[0])
		return;
	(void)fputc('\n', text->out);
	if (timed->missing)
		text_line(text, "Interrupts were not timed: %s.", timed->missing);
	else if (timed->pair_ns)
		text_line(text,
			  "Measuring took about %.4f s of CPU time in total: %" PRIu64 " "
			  "handlers, %" PRIu64 " ns each. The time for one handler was "
			  "determined before the start and does not include entering and "
			  "leaving the measuring programs.",
			  seconds(timed->cost_ns), count, timed->pair_ns);
	else
		text_line(text, "The time taken by measuring %" PRIu64 " handlers is unknown.",
			  count);
}
