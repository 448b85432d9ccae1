/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a comparison for programs: JSON and CSV. */
#include "present/diff.h"

#include <inttypes.h>
#include <math.h>

#include "base/cleanup.h"
#include "present/escape.h"
#include "present/json.h"
#include "present/losses.h"

static const char *const sides[DIFF_SIDES] = { "before", "after" };

/* ---- JSON ---- */

static void json_side(struct json *json, const struct diff_show *show, enum diff_which which)
{
	const struct diff_whole *whole = &show->diff->wholes[which];
	const struct diff_span span = diff_span_of(show->diff, which);

	json_open(json, sides[which], '{');
	json_string(json, "recording", show->paths[span.first]);
	json_open(json, "recordings", '[');
	for (size_t i = 0; i < span.count; i++)
		json_string(json, NULL, show->paths[span.first + i]);
	json_close(json);
	json_open(json, LOSSES_KEY, '[');
	for (size_t i = 0; i < span.count; i++)
		losses_json(json, NULL, &show->models[span.first + i]);
	json_close(json);
	json_u64(json, "samples", whole->samples);
	json_u64(json, "idle_samples", whole->idle_samples);
	json_double(json, "duration_seconds", whole->seconds);
	if (show->diff->options.per == DIFF_PER_EVENT)
		json_double(json, "divided_by", whole->divisor);
	json_close(json);
}

/* Prints a number whose name ends in the unit of the comparison, such as "before_seconds". */
static void json_value(struct json *json, const struct diff *diff, const char *what, double value)
{
	char key[64];

	(void)snprintf(key, sizeof(key), "%s_%s", what, diff_unit_name(diff->unit));
	json_double(json, key, value);
}

/* Prints the value of each recording, such as "before_runs_seconds". */
static void json_runs(struct json *json, const struct diff *diff,
		      const struct diff_figures *figures)
{
	for (int side = 0; diff_has_runs(diff) && side < DIFF_SIDES; side++) {
		const struct diff_span span = diff_span_of(diff, (enum diff_which)side);
		char key[64];

		(void)snprintf(key, sizeof(key), "%s_runs_%s", sides[side],
			       diff_unit_name(diff->unit));
		json_open(json, key, '[');
		for (size_t i = 0; i < span.count; i++)
			json_double(json, NULL, figures->runs[span.first + i].value);
		json_close(json);
	}
}

static void json_figures_of(struct json *json, const struct diff *diff,
			    const struct diff_figures *figures)
{
	const double *value = figures->value;

	json_u64(json, "before_samples", figures->samples[DIFF_BEFORE]);
	json_u64(json, "after_samples", figures->samples[DIFF_AFTER]);
	json_value(json, diff, "before", value[DIFF_BEFORE]);
	json_value(json, diff, "after", value[DIFF_AFTER]);
	json_value(json, diff, "change", value[DIFF_AFTER] - value[DIFF_BEFORE]);
	json_value(json, diff, "low", figures->low);
	json_value(json, diff, "high", figures->high);
	json_runs(json, diff, figures);
}

static void json_verdict(struct json *json, const struct diff *diff,
			 const struct diff_figures *figures)
{
	json_figures_of(json, diff, figures);
	json_double(json, "p", figures->p);
	json_double(json, "p_adjusted", figures->p_adjusted);
	json_bool(json, "significant", figures->verdict == DIFF_SIGNIFICANT);
}

static int json_path(struct json *json, const struct diff *diff, uint32_t path)
{
	size_t count = 0;
	_cleanup_free_ uint32_t *names = diff_path_names(diff, path, &count);

	if (!names)
		return -ENOMEM;
	json_open(json, "stack", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "image", diff_name_image(&diff->names, names[i]));
		json_string(json, "function", diff_name_text(&diff->names, names[i]));
		json_close(json);
	}
	json_close(json);
	return 0;
}

static int json_labels(struct json *json, const struct diff *diff, const struct diff_row *row,
		       const struct diff_labels_shown *labels)
{
	for (size_t i = 0; i < labels->count; i++) {
		_cleanup_free_ char *text = diff_label_text(diff, row, &labels->at[i]);

		if (!text)
			return -ENOMEM;
		json_string(json, labels->at[i].title, text);
	}
	return 0;
}

static int json_row_of(struct json *json, const struct diff *diff, const struct diff_row *row,
		       const struct diff_labels_shown *labels)
{
	int rc;

	json_open(json, NULL, '{');
	if (diff->options.by_stack)
		rc = json_path(json, diff, row->key[0]);
	else
		rc = json_labels(json, diff, row, labels);
	json_verdict(json, diff, &row->figures);
	json_close(json);
	return rc;
}

static void json_conditions(struct json *json, const struct diff *diff)
{
	json_open(json, "conditions", '[');
	for (size_t i = 0; i < diff->options.condition_count; i++) {
		const struct diff_judgement *judgement = &diff->judgements[i];

		json_open(json, NULL, '{');
		json_string(json, "condition", diff->options.conditions[i].text);
		json_bool(json, "holds", judgement->holds);
		json_bool(json, "matched", judgement->matched);
		json_figures_of(json, diff, &judgement->figures);
		json_double(json, "p", judgement->p);
		json_close(json);
	}
	json_close(json);
}

static const char *per_name(const struct diff *diff)
{
	switch (diff->options.per) {
	case DIFF_PER_RUN:
		return "run";
	case DIFF_PER_EVENT:
		return "event";
	case DIFF_PER_SECOND:
		return "second";
	default:
		return "share";
	}
}

static void json_total(struct json *json, const struct diff *diff)
{
	if (!diff_unit_is_amount(diff->unit))
		return;
	json_open(json, "total", '{');
	json_bool(json, "measured", diff->total_is_measured);
	json_verdict(json, diff, &diff->total);
	json_close(json);
}

int diff_as_json(const struct diff_show *show, FILE *out)
{
	const struct diff *diff = show->diff;
	struct diff_labels_shown labels = diff_labels_shown(&diff->options);
	struct json json = { .out = out };
	int rc = 0;

	json_open(&json, NULL, '{');
	json_u64(&json, "version", 2);
	json_string(&json, "event", diff_name_text(&diff->names, diff->event));
	json_string(&json, "per", per_name(diff));
	if (diff->options.per == DIFF_PER_EVENT)
		json_string(&json, "per_event", diff->options.per_event);
	json_string(&json, "unit", diff_unit_name(diff->unit));
	json_side(&json, show, DIFF_BEFORE);
	json_side(&json, show, DIFF_AFTER);
	json_total(&json, diff);
	json_u64(&json, "tested", diff->rows.count);
	json_open(&json, "rows", '[');
	for (size_t i = 0; i < diff_rows_shown(show); i++) {
		rc = json_row_of(&json, diff, &diff->rows.at[i], &labels);
		if (rc < 0)
			break;
	}
	json_close(&json);
	json_open(&json, "untested", '{');
	json_u64(&json, "rows", diff->rest_count);
	json_verdict(&json, diff, &diff->rest);
	json_close(&json);
	json_conditions(&json, diff);
	json_close(&json);
	return rc;
}

/* ---- CSV ---- */

static void csv_number(FILE *out, double number)
{
	if (isfinite(number))
		(void)fprintf(out, ",%.9g", number);
	else
		(void)fputc(',', out);
}

static void csv_figures(const struct diff_figures *figures, FILE *out)
{
	(void)fprintf(out, "%" PRIu64 ",%" PRIu64, figures->samples[DIFF_BEFORE],
		      figures->samples[DIFF_AFTER]);
	csv_number(out, figures->value[DIFF_BEFORE]);
	csv_number(out, figures->value[DIFF_AFTER]);
	csv_number(out, figures->value[DIFF_AFTER] - figures->value[DIFF_BEFORE]);
	csv_number(out, figures->low);
	csv_number(out, figures->high);
	csv_number(out, figures->p);
	csv_number(out, figures->p_adjusted);
	(void)fprintf(out, ",%s\r\n", diff_verdict_name(figures->verdict));
}

int diff_as_csv(const struct diff_show *show, FILE *out)
{
	static const char *const values[] = { "before", "after", "change", "low", "high" };
	const struct diff *diff = show->diff;
	struct diff_labels_shown labels = diff_labels_shown(&diff->options);

	for (size_t i = 0; i < labels.count; i++)
		(void)fprintf(out, "%s,", labels.at[i].title);
	(void)fputs("before_samples,after_samples", out);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		(void)fprintf(out, ",%s_%s", values[i], diff_unit_name(diff->unit));
	(void)fputs(",p,p_adjusted,verdict\r\n", out);
	for (size_t row = 0; row < diff_rows_shown(show); row++) {
		for (size_t i = 0; i < labels.count; i++) {
			_cleanup_free_ char *text = diff_label_text(diff, &diff->rows.at[row],
								    &labels.at[i]);

			if (!text)
				return -ENOMEM;
			escape_csv(out, text);
			(void)fputc(',', out);
		}
		csv_figures(&diff->rows.at[row].figures, out);
	}
	return 0;
}
