/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/interrupt_time_json.h"

static void write_vector(struct json *json, const struct model *model,
			 const struct timed_vector *vector)
{
	json_open(json, NULL, '{');
	json_string(json, "kind", interrupt_kind_name(vector->kind));
	json_u64(json, "vector", vector->vector);
	json_string(json, "name", model_string(model, vector->name));
	json_u64(json, "count", vector->count);
	if (vector->kind != INTERRUPT_UNTIMED)
		json_u64(json, "ns", vector->ns);
	if (vector->skipped)
		json_u64(json, "skipped", vector->skipped);
	json_close(json);
}

static void write_cpu(struct json *json, const struct timed *timed, const struct timed_cpu *cpu)
{
	json_open(json, NULL, '{');
	json_u64(json, "cpu", cpu->cpu);
	json_u64(json, "count", cpu->count);
	json_u64(json, "ns", cpu->ns);
	if (timed->is_compared) {
		json_u64(json, "sampled_ns", cpu->sampled_ns);
		json_double(json, "low_ns", cpu->sampled.low * (double)timed->wall_ns);
		json_double(json, "high_ns", cpu->sampled.high * (double)timed->wall_ns);
		json_bool(json, "differs", cpu->differs);
	}
	json_close(json);
}

static void write_victim(struct json *json, const struct model *model,
			 const struct timed_victim *victim)
{
	bool others = victim->tgid == INTERRUPT_OTHERS;

	json_open(json, NULL, '{');
	if (victim->tgid < INTERRUPT_BRIEF)
		json_u64(json, "tgid", victim->tgid);
	if (victim->tgid >= INTERRUPT_BRIEF && !others)
		json_bool(json, "brief", true);
	json_string(json, "name", others ? "[others]" : model_string(model, victim->name));
	json_u64(json, "count", victim->count);
	json_u64(json, "ns", victim->ns);
	if (victim->own_ns)
		json_u64(json, "own_ns", victim->own_ns);
	json_close(json);
}

static void write_class(struct json *json, const char *key, const struct overview *overview,
			enum timed_level level)
{
	const struct timed *timed = &overview->timed;
	const struct timed_class *class = &timed->levels[level];
	const struct model *model = overview->profile->model;

	json_open(json, key, '{');
	json_u64(json, "count", class->count);
	json_u64(json, "ns", class->ns);
	json_u64(json, "skipped", class->skipped);
	json_open(json, "vectors", '[');
	for (size_t i = 0; i < class->vectors.count; i++)
		write_vector(json, model, &class->vectors.at[i]);
	json_close(json);
	json_open(json, "cpus", '[');
	for (size_t i = 0; i < class->cpus.count; i++)
		write_cpu(json, timed, &class->cpus.at[i]);
	json_close(json);
	json_open(json, "victims", '[');
	for (size_t i = 0; i < class->victims.count; i++)
		write_victim(json, model, &class->victims.at[i]);
	json_close(json);
	json_close(json);
}

void json_timed(struct json *json, const struct overview *overview)
{
	const struct timed *timed = &overview->timed;

	json_open(json, "measured", '{');
	if (timed->missing) {
		json_string(json, "missing", timed->missing);
		json_close(json);
		return;
	}
	json_u64(json, "wall_ns", timed->wall_ns);
	json_u64(json, "pair_ns", timed->pair_ns);
	json_u64(json, "cost_ns", timed->cost_ns);
	write_class(json, "hardirq", overview, TIMED_HARD);
	write_class(json, "softirq", overview, TIMED_SOFT);
	json_open(json, "untimed", '[');
	for (size_t i = 0; i < timed->untimed.count; i++)
		write_vector(json, overview->profile->model, &timed->untimed.at[i]);
	json_close(json);
	json_close(json);
}
