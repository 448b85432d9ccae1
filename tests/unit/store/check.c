/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"

#include "support/test.h"

#include "base/hash.h"

struct models {
	const struct model *have, *want;
};

static void same_string(struct models m, uint32_t have, uint32_t want)
{
	assert_string_equal(model_string(m.have, have), model_string(m.want, want));
}

static void check_images(struct models m)
{
	assert_int_equal(m.have->images.count, m.want->images.count);
	for (size_t i = 1; i < m.want->images.count; i++) {
		struct image a = m.have->images.at[i], b = m.want->images.at[i];

		same_string(m, a.path, b.path);
		assert_int_equal(a.kind, b.kind);
		assert_int_equal(a.build_id_size, b.build_id_size);
		assert_memory_equal(a.build_id, b.build_id, b.build_id_size);
		assert_true(a.dev == b.dev && a.inode == b.inode && a.mtime_ns == b.mtime_ns);
		assert_true(a.base_addr == b.base_addr && a.process == b.process);
		assert_int_equal(a.tgid, b.tgid);
	}
}

static void check_processes(struct models m)
{
	assert_int_equal(m.have->applications.count, m.want->applications.count);
	for (size_t i = 1; i < m.want->applications.count; i++) {
		struct application a = m.have->applications.at[i], b = m.want->applications.at[i];

		same_string(m, a.name, b.name);
		assert_int_equal(a.instance_count, b.instance_count);
	}
	assert_int_equal(m.have->processes.count, m.want->processes.count);
	for (size_t i = 1; i < m.want->processes.count; i++) {
		struct process a = m.have->processes.at[i], b = m.want->processes.at[i];

		assert_true(a.tgid == b.tgid && a.parent_tgid == b.parent_tgid);
		assert_true(a.parent == b.parent && a.application == b.application);
		assert_true(a.instance == b.instance && a.uid == b.uid);
		same_string(m, a.exe, b.exe);
		same_string(m, a.cgroup, b.cgroup);
		assert_true(a.start_ns == b.start_ns && a.exec_ns == b.exec_ns);
		assert_int_equal(a.kernel_thread, b.kernel_thread);
	}
}

static void check_threads(struct models m)
{
	assert_int_equal(m.have->threads.count, m.want->threads.count);
	for (size_t i = 1; i < m.want->threads.count; i++) {
		struct thread a = m.have->threads.at[i], b = m.want->threads.at[i];

		assert_true(a.process == b.process && a.tid == b.tid && a.start_ns == b.start_ns);
		same_string(m, a.comm, b.comm);
	}
	assert_int_equal(m.have->mappings.count, m.want->mappings.count);
	assert_memory_equal(m.have->mappings.at, m.want->mappings.at,
			    m.want->mappings.count * sizeof(struct mapping));
}

static void check_functions(struct models m)
{
	assert_int_equal(m.have->functions.count, m.want->functions.count);
	for (size_t i = 1; i < m.want->functions.count; i++) {
		struct function a = m.have->functions.at[i], b = m.want->functions.at[i];

		same_string(m, a.name, b.name);
		same_string(m, a.linkage_name, b.linkage_name);
		assert_true(a.image == b.image && a.quality == b.quality && a.root == b.root);
		assert_true(a.vaddr == b.vaddr && a.size_bytes == b.size_bytes);
	}
	assert_int_equal(m.have->locations.count, m.want->locations.count);
	assert_memory_equal(m.have->locations.at + 1, m.want->locations.at + 1,
			    (m.want->locations.count - 1) * sizeof(struct location));
	assert_int_equal(m.have->stacks.count, m.want->stacks.count);
	assert_memory_equal(m.have->stacks.at + STACK_ROOT_COUNT,
			    m.want->stacks.at + STACK_ROOT_COUNT,
			    (m.want->stacks.count - STACK_ROOT_COUNT) * sizeof(struct stack_node));
}

static void check_lines(struct models m)
{
	assert_int_equal(m.have->lines.count, m.want->lines.count);
	for (size_t i = 1; i < m.want->lines.count; i++) {
		struct source_line a = m.have->lines.at[i], b = m.want->lines.at[i];

		same_string(m, a.file, b.file);
		assert_true(a.caller == b.caller && a.line == b.line && a.function == b.function);
	}
}

static void check_events(struct models m)
{
	assert_int_equal(m.have->events.count, m.want->events.count);
	for (size_t i = 0; i < m.want->events.count; i++) {
		struct event a = m.have->events.at[i], b = m.want->events.at[i];

		same_string(m, a.name, b.name);
		assert_true(a.type == b.type && a.config == b.config && a.period == b.period);
		assert_true(a.frequency_hz == b.frequency_hz && a.is_time == b.is_time);
		assert_true(a.has_ticks == b.has_ticks && a.is_counter == b.is_counter);
	}
}

/* The file has the rows in the order of their keys, the model in the order in which they came. */
static const struct interrupt_time *find_time(const struct model *model,
					      const struct interrupt_time *wanted)
{
	for (size_t i = 0; i < model->interrupts.times.count; i++) {
		const struct interrupt_time *time = &model->interrupts.times.at[i];

		if (time->kind == wanted->kind && time->vector == wanted->vector &&
		    time->cpu == wanted->cpu)
			return time;
	}
	return NULL;
}

static const struct interrupt_victim *find_victim(const struct model *model, uint32_t tgid,
						  bool soft)
{
	for (size_t i = 0; i < model->interrupts.victims.count; i++)
		if (model->interrupts.victims.at[i].tgid == tgid &&
		    model->interrupts.victims.at[i].soft == soft)
			return &model->interrupts.victims.at[i];
	return NULL;
}

static void check_interrupts(struct models m)
{
	assert_int_equal(m.have->interrupts.times.count, m.want->interrupts.times.count);
	for (size_t i = 0; i < m.want->interrupts.times.count; i++) {
		const struct interrupt_time *b = &m.want->interrupts.times.at[i];
		const struct interrupt_time *a = find_time(m.have, b);

		assert_true(a && a->count == b->count && a->ns == b->ns);
		same_string(m, a->name, b->name);
	}
	assert_int_equal(m.have->interrupts.victims.count, m.want->interrupts.victims.count);
	for (size_t i = 0; i < m.want->interrupts.victims.count; i++) {
		const struct interrupt_victim *b = &m.want->interrupts.victims.at[i];
		const struct interrupt_victim *a = find_victim(m.have, b->tgid, b->soft);

		assert_true(a && a->count == b->count && a->ns == b->ns);
		same_string(m, a->name, b->name);
	}
}

void check_same_model(const struct model *have, const struct model *want)
{
	struct models m = { have, want };

	check_events(m);
	check_images(m);
	check_processes(m);
	check_threads(m);
	check_functions(m);
	check_lines(m);
	check_interrupts(m);
	for (int id = 0; id < FACT_COUNT; id++) {
		const char *value = model_fact(want, (enum fact_id)id);

		if (value)
			assert_string_equal(model_fact(have, (enum fact_id)id), value);
		else
			assert_null(model_fact(have, (enum fact_id)id));
	}
	assert_memory_equal(&have->losses, &want->losses, sizeof(want->losses));
	for (uint32_t i = 0; i < want->images.count; i++) {
		struct image_health a = model_health_of(have, i), b = model_health_of(want, i);

		assert_memory_equal(&a, &b, sizeof(a));
	}
	assert_int_equal(have->ledger.cpus.count, want->ledger.cpus.count);
	assert_memory_equal(have->ledger.cpus.at, want->ledger.cpus.at,
			    want->ledger.cpus.count * sizeof(struct cpu_ledger));
}

void seen_add(struct seen *seen, const struct sample_batch *batch)
{
	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *s = &batch->samples.at[i];
		uint64_t who = (uint64_t)s->thread << 32 | s->stack;
		uint64_t how = (uint64_t)(uint32_t)s->late_ns << 32 | (uint64_t)s->cpu << 16 |
			       (uint64_t)s->event << 8 | s->context;

		seen->samples++;
		seen->weight += s->weight;
		seen->digest = digest_pair(seen->digest, s->time_ns);
		seen->digest = digest_pair(seen->digest ^ s->weight, who ^ how * 31);
	}
}

int seen_visit(void *seen, const struct sample_batch *batch)
{
	seen_add(seen, batch);
	return 0;
}

struct recording *open_recording(const char *path)
{
	struct recording *recording = NULL;
	struct err err = { 0 };

	if (recording_open(path, &recording, &err) < 0)
		fail_msg("%s", err.text);
	return recording;
}

struct recording *create_recording(const char *path)
{
	struct recording *recording = NULL;
	struct err err = { 0 };

	if (recording_create(path, &recording, &err) < 0)
		fail_msg("%s", err.text);
	return recording;
}

struct seen read_recording(const char *path, struct model *model)
{
	struct recording *recording = open_recording(path);
	struct seen seen = { 0 };
	struct err err = { 0 };

	assert_int_equal(model_init(model), 0);
	if (recording_load(recording, model, &err) < 0 ||
	    recording_each_block(recording, model, NULL, seen_visit, &seen, &err) < 0)
		fail_msg("%s", err.text);
	recording_close(recording);
	return seen;
}

void tamper(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int64_t ask(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *query = NULL;
	int64_t answer;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK ||
	    sqlite3_step(query) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	answer = sqlite3_column_int64(query, 0);
	(void)sqlite3_finalize(query);
	(void)sqlite3_close(db);
	return answer;
}
