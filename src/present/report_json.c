/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the sections of the report that are lists of rows. run_json.c writes the other sections.
 */
#include "present/report.h"

#include <math.h>

#include "analyze/lookup.h"
#include "analyze/trust.h"
#include "present/run_json.h"
#include "present/report_waits.h"
#include "present/spans_recorded.h"
#include "present/row_json.h"
#include "present/interrupt_time_json.h"
#include "present/losses.h"

struct writer {
	struct json json;
	const struct overview *overview;
	const struct report_style *style;
};

static size_t limited(const struct writer *w, size_t count)
{
	return w->style->limit && w->style->limit < count ? w->style->limit : count;
}

static void write_rows(struct writer *w, const char *key, const struct group_table *table,
		       const struct group_row *rows, size_t count)
{
	const struct overview *o = w->overview;
	size_t last = table->by_count - 1;
	struct count total = { 0 };

	for (size_t i = 0; i < count; i++)
		count_add(&total, &rows[i].count);
	json_open(&w->json, key, '[');
	for (size_t i = 0; i < limited(w, count); i++) {
		uint64_t id = rows[i].key[last];

		json_open(&w->json, NULL, '{');
		json_label(&w->json, o->profile, table->by[last], id);
		if (table->by[last] == BY_FUNCTION)
			json_label(&w->json, o->profile, BY_IMAGE,
				   group_function_image(o->profile, id));
		json_figures(&w->json, &rows[i].count, &total, json_event(o->profile, o->event));
		json_u64(&w->json, "late_samples", rows[i].late_samples);
		json_bool(&w->json, "absorbs_late", group_row_absorbs(&rows[i]));
		json_close(&w->json);
	}
	json_close(&w->json);
}

static void write_table(struct writer *w, const char *key, const struct group_table *table)
{
	write_rows(w, key, table, table->rows.at, table->rows.count);
}

static void write_slice(struct writer *w, const char *key, const struct group_table *table,
			uint32_t owner)
{
	size_t count;
	const struct group_row *rows = group_slice(table, owner, &count);

	write_rows(w, key, table, rows, count);
}

static void write_count(struct writer *w, const char *key, const struct count *count)
{
	json_open(&w->json, key, '{');
	json_u64(&w->json, "samples", count->samples);
	json_u64(&w->json, "weight", count->weight);
	json_close(&w->json);
}

static void write_owner(struct writer *w, const struct owner *owner, const struct group_table *user,
			const struct group_table *kernel)
{
	const struct overview *o = w->overview;

	json_figures(&w->json, &owner->all, &o->busy, json_event(o->profile, o->event));
	write_count(w, "user", &owner->user);
	write_count(w, "system", &owner->sys);
	write_count(w, "interrupt", &owner->interrupt);
	if (!overview_has_profile(o, owner))
		return;
	write_slice(w, "user_profile", user, owner->id);
	write_slice(w, "kernel_profile", kernel, owner->id);
}

static void write_processes(struct writer *w)
{
	const struct overview *o = w->overview;

	json_open(&w->json, "processes", '[');
	for (size_t i = 0; i < limited(w, o->processes.list.count); i++) {
		const struct owner *owner = &o->processes.list.at[i];
		const struct process *process = process_of(o->profile->model, owner->id);

		json_open(&w->json, NULL, '{');
		json_label(&w->json, o->profile, BY_PROCESS, owner->id);
		json_label(&w->json, o->profile, BY_APPLICATION, process->application);
		json_u64(&w->json, "tgid", process->tgid);
		json_u64(&w->json, "instance", process->instance);
		write_owner(w, owner, &o->process_user, &o->process_kernel);
		json_close(&w->json);
	}
	json_close(&w->json);
}

static void write_applications(struct writer *w)
{
	const struct overview *o = w->overview;

	json_open(&w->json, "applications", '[');
	for (size_t i = 0; i < limited(w, o->applications.list.count); i++) {
		const struct owner *owner = &o->applications.list.at[i];

		json_open(&w->json, NULL, '{');
		json_label(&w->json, o->profile, BY_APPLICATION, owner->id);
		json_u64(&w->json, "processes", owner->processes);
		write_owner(w, owner, &o->application_user, &o->application_kernel);
		json_close(&w->json);
	}
	json_close(&w->json);
}

static void write_interrupts(struct writer *w)
{
	const struct overview *o = w->overview;

	json_open(&w->json, "interrupts", '{');
	write_table(w, "hardirq", &o->hardirq);
	write_table(w, "hardirq_by_process", &o->hardirq_victims);
	write_table(w, "softirq", &o->softirq);
	write_table(w, "softirq_by_process", &o->softirq_victims);
	json_timed(&w->json, o);
	json_close(&w->json);
}

static void write_late(struct writer *w)
{
	const struct overview *o = w->overview;

	json_open(&w->json, "late", '{');
	json_i64(&w->json, "threshold_ns", o->profile->late_threshold_ns);
	json_u64(&w->json, "tick_samples", o->profile->tick_samples);
	json_u64(&w->json, "late_samples", o->profile->late_samples);
	write_table(w, "functions", &o->functions);
	json_close(&w->json);
}

static double share_of(const struct gate_result *result)
{
	return result->missing ? NAN : result->value / 100;
}

static void write_trust(struct writer *w)
{
	struct trust trust = overview_trust(w->overview);

	json_open(&w->json, "trust", '{');
	json_double(&w->json, "lost_share", share_of(&trust.lost));
	json_double(&w->json, "whole_stacks_share",
		    trust.has_stacks ? share_of(&trust.whole) : NAN);
	json_double(&w->json, "unaccounted_share", share_of(&trust.unaccounted));
	json_double(&w->json, "own_share_of_one_cpu", share_of(&trust.own));
	json_close(&w->json);
}

/* The functions that also have totals. The late samples have a list of all functions. */
static void write_functions(struct writer *w)
{
	const struct overview *o = w->overview;
	const struct event *event = json_event(o->profile, o->event);

	json_open(&w->json, "functions", '[');
	for (size_t i = 0; i < limited(w, o->function_totals.count); i++) {
		const struct group_row *row = &o->functions.rows.at[i];

		json_open(&w->json, NULL, '{');
		json_label(&w->json, o->profile, BY_FUNCTION, row->key[0]);
		json_label(&w->json, o->profile, BY_IMAGE,
			   group_function_image(o->profile, row->key[0]));
		json_figures(&w->json, &row->count, &o->busy, event);
		json_open(&w->json, "total", '{');
		json_figures(&w->json, &o->function_totals.at[i], &o->busy, event);
		json_close(&w->json);
		json_close(&w->json);
	}
	json_close(&w->json);
}

int report_json(const struct overview *overview, const struct report_style *style, FILE *out)
{
	struct writer w = { .json = { .out = out }, .overview = overview, .style = style };
	int rc;

	json_open(&w.json, NULL, '{');
	json_u64(&w.json, "version", 1);
	losses_json(&w.json, LOSSES_KEY, overview->profile->model);
	rc = json_run(&w.json, overview);
	if (rc < 0)
		return rc;
	write_trust(&w);
	advice_json(style->advice, &w.json);
	write_functions(&w);
	if (overview->waits)
		waits_json_members(&w.json, overview->waits, style->limit);
	rc = spans_recorded_json(&w.json, overview->profile->model);
	if (rc < 0)
		return rc;
	write_applications(&w);
	write_processes(&w);
	write_table(&w, "kernel_profile", &overview->kernel);
	write_interrupts(&w);
	write_late(&w);
	json_close(&w.json);
	return 0;
}
