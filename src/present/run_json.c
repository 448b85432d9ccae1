/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/run_json.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "present/row_json.h"

struct named_fact {
	const char *key, *value;
};

static int compare_facts(const void *a, const void *b)
{
	const struct named_fact *left = a, *right = b;

	return strcmp(left->key, right->key);
}

/*
 * Facts come from the recording, so their keys can be anything. Therefore they are written as a
 * list, not as an object. The list is sorted, because the order in the model depends on how many
 * recordings were read.
 */
static int write_facts(struct json *json, const struct model *model)
{
	size_t count = model->facts.count;
	_cleanup_free_ struct named_fact *facts = calloc(count + 1, sizeof(*facts));

	if (!facts)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		facts[i] = (struct named_fact){ model_string(model, model->facts.at[i].key),
						model_string(model, model->facts.at[i].value) };
	qsort(facts, count, sizeof(*facts), compare_facts);
	json_open(json, "facts", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "key", facts[i].key);
		json_string(json, "value", facts[i].value);
		json_close(json);
	}
	json_close(json);
	return 0;
}

static void write_counts(struct json *json, const struct overview *o)
{
	const struct model *model = o->profile->model;

	json_label(json, o->profile, BY_EVENT, o->event);
	json_open(json, "other_events", '[');
	for (size_t i = 0; i < model->events.count; i++)
		if (i != o->event && !model->events.at[i].is_counter)
			json_string(json, NULL, model_string(model, model->events.at[i].name));
	json_close(json);
	json_u64(json, "samples", o->all.samples);
	json_u64(json, "weight", o->all.weight);
	json_u64(json, "busy_samples", o->busy.samples);
	json_u64(json, "filtered_out", o->profile->filtered_out);
	json_u64(json, "idle_ticks", ledger_idle_count(&model->ledger));
	json_u64(json, "walked_32bit", model_fact_u64(model, FACT_WALKED_32BIT));
	json_open(json, "counts", '{');
	json_u64(json, "processes_sampled", o->processes_sampled);
	json_u64(json, "processes_seen", o->processes_seen);
	json_u64(json, "threads_sampled", o->threads_sampled);
	json_u64(json, "applications_sampled", o->applications_sampled);
	json_u64(json, "applications_seen", o->applications_seen);
	json_close(json);
}

static void write_contexts(struct json *json, const struct overview *o)
{
	json_open(json, "contexts", '[');
	for (int context = 0; context < CONTEXT_COUNT; context++) {
		if (!o->contexts[context].samples)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "context", context_name((enum context)context));
		json_figures(json, &o->contexts[context], &o->all,
			     json_event(o->profile, o->event));
		json_close(json);
	}
	json_close(json);
}

static void write_losses(struct json *json, const struct losses *losses)
{
	json_open(json, "losses", '[');
	for (int i = 0; i < LOSS_COUNT; i++) {
		if (!losses->count[i])
			continue;
		json_open(json, NULL, '{');
		json_string(json, "cause", loss_name((enum loss)i));
		json_string(json, "unit", loss_unit((enum loss)i));
		json_u64(json, "count", losses->count[i]);
		json_close(json);
	}
	json_close(json);
}

static void write_walks(struct json *json, const struct overview *o)
{
	const struct walks *walks = &o->health.walks;

	json_open(json, "walks", '{');
	json_u64(json, "walked", walks->walked);
	json_u64(json, "ended", walks->ended);
	json_open(json, "cut", '[');
	for (size_t i = 0; i < walks->rows.count; i++) {
		const struct walk_row *row = &walks->rows.at[i];

		json_open(json, NULL, '{');
		json_label(json, o->profile, BY_IMAGE, row->image);
		json_u64(json, "cut", row->cut);
		json_u64(json, "samples", row->health.samples);
		json_u64(json, "whole", row->health.whole);
		json_u64(json, "from_bytes", row->health.from_bytes);
		json_u64(json, "frame_pointer_frames", row->health.frame_pointer_frames);
		json_open(json, "stopped", '{');
		for (int stop = 0; stop < WALK_STOP_COUNT; stop++)
			if (row->health.stopped[stop])
				json_u64(json, walk_stop_name((enum walk_stop)stop),
					 row->health.stopped[stop]);
		json_close(json);
		json_string(json, "advice", walks_advice(o->profile->model, row->image, row->most));
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void write_health(struct json *json, const struct overview *o)
{
	const struct health *health = &o->health;

	json_open(json, "health", '{');
	json_open(json, "stacks", '{');
	for (int i = 0; i < STACK_END_COUNT; i++)
		json_u64(json, stack_end_name((enum stack_end)i), health->stack_ends[i]);
	json_close(json);
	json_open(json, "names", '{');
	for (int i = 0; i < QUALITY_COUNT; i++)
		json_u64(json, quality_name((enum quality)i), health->qualities[i]);
	json_close(json);
	json_open(json, "unresolved", '[');
	for (size_t i = 0; i < health->unresolved.rows.count; i++) {
		json_open(json, NULL, '{');
		json_label(json, o->profile, BY_IMAGE, health->unresolved.rows.at[i].key[0]);
		json_u64(json, "samples", health->unresolved.rows.at[i].count.samples);
		json_close(json);
	}
	json_close(json);
	write_walks(json, o);
	json_close(json);
}

static void write_column(struct json *json, const struct account_column *column)
{
	json_u64(json, "wall_ns", column->wall_ns);
	json_open(json, "ns", '{');
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		json_i64(json, account_entry_name((enum account_entry)i), column->ns[i]);
	json_close(json);
	json_open(json, "kernel_ns", '{');
	for (int i = 0; i < CPU_TIME_COUNT; i++)
		json_u64(json, cpu_time_name((enum cpu_time)i), column->kernel_ns[i]);
	json_close(json);
	json_i64(json, "busy_ns", column->busy_ns);
	json_i64(json, "kernel_busy_ns", column->kernel_busy_ns);
	json_u64(json, "ticks", column->tick_count);
}

static void write_ledger(struct json *json, const struct account *account)
{
	json_open(json, "ledger", '{');
	if (account->missing) {
		json_string(json, "missing", account->missing);
		json_close(json);
		return;
	}
	write_column(json, &account->total);
	json_double(json, "unaccounted_share", account->unaccounted_share);
	json_double(json, "disagreement_share", account->disagreement_share);
	json_string(json, "disagreement", account_class_name(account->disagreement));
	json_bool(json, "lost_known", account->lost_known);
	json_bool(json, "warning", account->unaccounted_warns || account->disagreement_warns);
	json_open(json, "cpus", '[');
	for (size_t i = 0; i < account->cpus.count; i++) {
		json_open(json, NULL, '{');
		json_u64(json, "cpu", account->cpus.at[i].cpu);
		write_column(json, &account->cpus.at[i]);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

int json_run(struct json *json, const struct overview *overview)
{
	int rc = write_facts(json, overview->profile->model);

	if (rc < 0)
		return rc;
	write_counts(json, overview);
	write_contexts(json, overview);
	write_losses(json, &overview->profile->model->losses);
	write_health(json, overview);
	write_ledger(json, &overview->account);
	return 0;
}
