/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the first screen of the report: one sentence about the run, how far its figures can be
 * trusted, and the applications, functions and waits with the largest shares.
 */
#include "present/screen.h"

#include <inttypes.h>

#include "analyze/lookup.h"
#include "analyze/call_frame.h"
#include "analyze/trust.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "present/name_fit.h"
#include "present/row_json.h"

#define APPLICATION_ROWS 6
#define FUNCTION_ROWS_MIN 5
#define FUNCTION_ROWS_MAX 20
#define FUNCTION_ROWS_FEW 10	/* more rows only if they have enough samples */
#define WAIT_ROWS 5
#define COMMAND_COLUMNS 80	/* width of the command, of which only the first line is shown */
#define PLACE_FRAMES 4		/* innermost frames of a place */
#define PLACE_MAX 512		/* bytes of the text of a place */

/* ---- the run ---- */

static void put_command(const char *command, FILE *out)
{
	char shown[ESCAPE_CHARACTER_MAX];
	const char *end = command, *next = command;
	size_t columns = 0;

	while (*end && *end != '\n') {
		columns += name_style_text.next(&next, shown);
		if (columns > COMMAND_COLUMNS)
			break;
		end = next;
	}
	(void)fprintf(out, "%.*s%s", (int)(end - command), command, *end ? " ..." : "");
}

static void put_subject(const struct text *text, FILE *out)
{
	const struct model *model = text->overview->profile->model;
	const char *command = model_fact(model, FACT_COMMAND);
	const char *target = model_fact(model, FACT_TARGET);
	const char *file = model_fact(model, FACT_IMPORTED_FROM);

	if (file)
		(void)fprintf(out, "Imported from %s", file);
	else if (model_is_of_machine(model))
		(void)fputs("The whole machine", out);
	else if (command && *command)
		put_command(command, out);
	else
		(void)fprintf(out, "The selected %s", target ? target : "tasks");
	if (model_is_of_machine(model) && command && *command) {
		(void)fputs(" during ", out);
		put_command(command, out);
	}
}

static void put_busy(const struct text *text, double seconds, FILE *out)
{
	const struct overview *o = text->overview;
	const struct event *event = json_event(o->profile, o->event);
	uint64_t cpus = model_fact_u64(o->profile->model, FACT_CPUS);

	if (!o->is_time || event_is_measured(event) || seconds <= 0)
		return;
	if (model_is_of_machine(o->profile->model) && cpus)
		(void)fprintf(out, ", %.2f of %" PRIu64 " CPUs busy",
			      (double)o->busy.weight / 1e9 / seconds, cpus);
	else
		(void)fprintf(out, ", %.2f CPUs busy", (double)o->busy.weight / 1e9 / seconds);
}

void text_headline(struct text *text)
{
	const struct overview *o = text->overview;
	double seconds = (double)profile_duration_ns(o->profile) / (double)NS_PER_SEC;
	_cleanup_free_ char *line = NULL;
	char event[512] = "";
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out) {
		text->rc = -ENOMEM;
		return;
	}
	put_subject(text, out);
	(void)fprintf(out, ": %.3f s", seconds);
	put_busy(text, seconds, out);
	text_event(text, event, sizeof(event));
	(void)fprintf(out, "; %" PRIu64 " samples of %s", o->busy.samples, event);
	if (o->profile->filtered)
		(void)fprintf(out, "; the filter left out %" PRIu64 " more",
			      o->profile->filtered_out);
	if (fclose(out) == 0)
		text_paragraph(text, line);
	else
		text->rc = -ENOMEM;
}

/* ---- trust ---- */

static void put_lost(const struct trust *trust, FILE *out)
{
	if (trust->lost.missing)
		(void)fprintf(out, "lost samples are unknown (%s)", trust->lost.missing);
	else if (trust->lost.value > 0)
		(void)fprintf(out, "%.2f%% of samples lost", trust->lost.value);
	else
		(void)fputs("no samples lost", out);
}

static void put_stacks(const struct trust *trust, FILE *out)
{
	if (!trust->has_stacks)
		(void)fputs("; stacks not recorded", out);
	else if (!trust->whole.missing)
		(void)fprintf(out, "; %.1f%% of stacks whole", trust->whole.value);
}

static void put_unverified(const struct model *model, FILE *out)
{
	uint64_t count = model->losses.count[LOSS_IMAGE_TRUSTED];

	if (count)
		(void)fprintf(out, "; the names of %" PRIu64 " file%s are not verified", count,
			      count == 1 ? "" : "s");
}

static void put_own(const struct text *text, const struct trust *trust, FILE *out)
{
	struct own_cost cost = health_own_cost(text->overview->profile->model);

	if (!cost.known)
		return;
	if (cost.wall_s < TRUST_OWN_WALL_S || trust->own.missing)
		(void)fprintf(out, "; assay used %.2f s of CPU", cost.record_s);
	else
		(void)fprintf(out, "; assay used %.1f%% of a CPU", trust->own.value);
}

void text_trust(struct text *text)
{
	struct trust trust = overview_trust(text->overview);
	_cleanup_free_ char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out) {
		text->rc = -ENOMEM;
		return;
	}
	(void)fputs("Trust: ", out);
	put_lost(&trust, out);
	put_stacks(&trust, out);
	put_unverified(text->overview->profile->model, out);
	if (!trust.unaccounted.missing)
		(void)fprintf(out, "; %.1f%% of all time unaccounted for",
			      trust.unaccounted.value < 0 ? -trust.unaccounted.value
							  : trust.unaccounted.value);
	put_own(text, &trust, out);
	if (fclose(out) == 0)
		text_paragraph(text, line);
	else
		text->rc = -ENOMEM;
	if (text->style->advice)
		advice_print_warnings(text->style->advice, text_columns(text),
				      text->style->palette != NULL, text->out);
}

/* ---- tables ---- */

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* The first screen shows fewer digits than the other tables, so that 80 columns are enough. */
static void short_share(struct table *table, const struct overview *o, const struct count *count)
{
	struct interval interval = count_interval(count, &o->busy, o->by_weight);

	table_cell(table, "%.1f%%", 100 * count_share(count, &o->busy, o->by_weight));
	if (count_is_exact(&o->busy, o->by_weight))
		table_cell(table, "%s", "");
	else
		table_cell(table, "[%.1f-%.1f]", 100 * interval.low, 100 * interval.high);
}

void text_top_applications(struct text *text)
{
	const struct overview *o = text->overview;
	const struct table_column columns[] = {
		RIGHT("share"), RIGHT("95 % interval"), LEFT(""), RIGHT(text_weight_title(o)),
		RIGHT("procs"), LEFT("application"),
	};
	const struct owners *owners = &o->applications;
	struct table table = { .columns = columns, .column_count = 6 };
	size_t shown = 0;

	if (!owners->list.count)
		return;
	text_blank(text);
	for (; shown < owners->list.count && shown < APPLICATION_ROWS; shown++) {
		const struct owner *owner = &owners->list.at[shown];

		short_share(&table, o, &owner->all);
		table_mark(&table, mark_count(&owner->all, o->by_weight));
		cell_weight(&table, owner->all.weight, o->is_time);
		table_cell(&table, "%" PRIu32, owner->processes);
		cell_label(&table, o->profile, BY_APPLICATION, owner->id);
	}
	text_table(text, &table);
	if (shown < owners->list.count)
		(void)fprintf(text->out, "  ... %zu more application%s\n",
			      owners->list.count - shown, plural(owners->list.count - shown));
}

static void put_function(struct text *text, struct table *table, size_t row)
{
	const struct overview *o = text->overview;
	const struct group_row *function = &o->functions.rows.at[row];

	short_share(table, o, &function->count);
	table_mark(table, mark_row(function, o->by_weight));
	if (row < o->function_totals.count)
		short_share(table, o, &o->function_totals.at[row]);
	cells_of_function(table, o->profile, function->key[0]);
}

static size_t functions_shown(const struct text *text)
{
	size_t count = text->overview->functions.rows.count, most = text->rows;

	if (most < FUNCTION_ROWS_MIN)
		most = FUNCTION_ROWS_MIN;
	if (most > FUNCTION_ROWS_MAX)
		most = FUNCTION_ROWS_MAX;
	if (count > most)
		count = most;
	while (count > FUNCTION_ROWS_FEW &&
	       text->overview->functions.rows.at[count - 1].count.samples < INTERVAL_FEW)
		count--;
	return count;
}

void text_top_functions(struct text *text)
{
	static const struct table_column with_totals[] = {
		RIGHT("self"),	  RIGHT("95 % interval"), LEFT(""),
		RIGHT("total"),	  RIGHT("95 % interval"), PATH("image", IMAGE_COLUMNS),
		LEFT("function"),
	};
	static const struct table_column alone[] = {
		RIGHT("self"),	  RIGHT("95 % interval"), LEFT(""), PATH("image", IMAGE_COLUMNS),
		LEFT("function"),
	};
	const struct overview *o = text->overview;
	bool has_totals = o->function_totals.count > 0;
	struct table table = { .columns = has_totals ? with_totals : alone,
			       .column_count = has_totals ? 7 : 5 };
	size_t shown = functions_shown(text), count = o->functions.rows.count;

	if (!count)
		return;
	text_blank(text);
	for (size_t i = 0; i < shown; i++)
		put_function(text, &table, i);
	text_table(text, &table);
	if (shown < count)
		(void)fprintf(text->out, "  ... %zu more function%s\n", count - shown,
			      plural(count - shown));
}

/* ---- waits ---- */

static void put_place(struct table *table, const struct wait_chains *waits,
		      const struct wait_place *place)
{
	const struct profile names = { .model = waits->model };
	char text[PLACE_MAX] = "", scratch[GROUP_IMAGE_NAME_MAX];
	size_t used = 0;

	for (uint32_t i = 0; i < place->frame_count && i < PLACE_FRAMES && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " < " : "",
					 call_frame_name(&names, place->frames[i], scratch));
	table_name(table, place->frame_count ? text : "an unknown place");
}

void text_top_waits(struct text *text)
{
	static const struct table_column columns[] = {
		RIGHT("share"),		RIGHT("seconds"),
		RIGHT("waits"),		PATH("thread", IMAGE_COLUMNS),
		LEFT("was blocked in"),
	};
	const struct wait_chains *waits = text->overview->waits;
	struct table table = { .columns = columns, .column_count = 5 };
	const uint32_t *rows;
	size_t count;

	if (!waits || !waits->rows.count)
		return;
	rows = wait_chains_children(waits, 0, &count);
	text_blank(text);
	for (size_t i = 0; i < count && i < WAIT_ROWS; i++) {
		const struct wait_row *row = &waits->rows.at[rows[i]];
		const struct wait_place *place = &waits->places.at[row->waiter];

		table_cell(&table, "%.1f%%", percent_of(row->ns, waits->rows.at[0].ns));
		cell_weight(&table, row->ns, true);
		table_cell(&table, "%" PRIu64, row->waits);
		table_name(&table, string_of(waits->model, place->comm));
		put_place(&table, waits, place);
	}
	text_table(text, &table);
	if (count > WAIT_ROWS)
		(void)fprintf(text->out, "  ... %zu more place%s\n", count - WAIT_ROWS,
			      plural(count - WAIT_ROWS));
}

/* ---- what next ---- */

void text_hints(struct text *text)
{
	const struct advice_lines *advice = text->style->advice;
	bool any = false;

	for (size_t i = 0; advice && i < advice->count; i++)
		any = any || !advice->at[i].warns;
	if (!any)
		return;
	text_blank(text);
	advice_print_hints(advice, text_columns(text), text->out);
}

/* Prints what the marks mean that the tables of the first screen may have. */
static void print_marks(struct text *text)
{
	const struct overview *o = text->overview;
	bool few = false, late = false;

	for (size_t i = 0; i < functions_shown(text); i++) {
		const char *mark = mark_row(&o->functions.rows.at[i], o->by_weight);

		few = few || *mark == '~';
		late = late || *mark == '!';
	}
	if (few)
		text_paragraph(text, "~: fewer than ten samples, so only a rough estimate");
	if (late)
		text_paragraph(text, "!: mostly late samples, so part of their time belongs to "
				     "other code");
}

void text_next(struct text *text)
{
	text_blank(text);
	print_marks(text);
	if (text->style->next)
		text_paragraph(text, text->style->next);
}
