/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes three tables: `hit` and `thread_time` hold totals, and `hot_function` has the names of the
 * functions in `hit`.
 *
 * The totals are counted at the end of the run, from the blocks in the file, because the functions
 * of locations are not known earlier. Decoding the blocks costs only a fraction of what sampling
 * did.
 *
 * A row for every combination of process and function would make these tables larger than the
 * samples. For example, while a machine compiles, there is a new process every few hundred samples,
 * and almost every sample is in a different function. Therefore only processes and functions with
 * enough samples (PROCESS_SHARE, ROW_SHARE) get rows of their own in `hit`. The samples of all
 * other processes of an application are added up, and so are the samples of all other functions.
 * The census (store/census.h), which was updated during the run, has the number of samples of each
 * thread and location.
 *
 * In `thread_time`, a thread gets a row of its own if the thread has enough samples (ROW_SHARE)
 * or if its process has enough (PROCESS_SHARE). All other threads are added up together, because
 * there can be as many of them as short-lived processes.
 *
 * A row of fewer than ROW_SAMPLES samples says little: its figure is uncertain by half. In a short
 * run such rows are kept only if they are a larger share (ROW_SHARE_FEW). The blocks have all
 * samples.
 *
 * Memory is bounded: when there are more than TOTAL_MAX distinct keys, the totals so far are added
 * to the tables in the file and dropped from memory.
 */
#include "base/hash.h"
#include "base/intern.h"
#include "store/read_back.h"
#include "store/recording-private.h"

#define PROCESS_SHARE 100		/* at least 1/100 of all samples */
#define ROW_SHARE 10000
#define ROW_SHARE_FEW 2000		/* below ROW_SAMPLES samples */
#define ROW_SAMPLES 20
#define OTHERS UINT32_MAX		/* means all other functions or threads; -1 in the file */
#define TOTAL_MAX (1u << 18)

/*
 * Key of a row. For `hit`, place is the application, part is the process (0: all other processes of
 * the application), and function is set. For `thread_time`, place is the thread, and part and
 * function are not used.
 */
struct total_key {
	uint32_t place;
	uint32_t part;
	uint32_t function;
	uint8_t event;
	uint8_t context;
};

struct total {
	struct total_key key;
	uint64_t samples;
	uint64_t weight;
};

struct total_table {
	VEC(struct total) rows;		/* [0] is unused, because id 0 means none */
	struct intern index;
	sqlite3_stmt *add;
};

struct totals {
	struct recording *recording;
	const struct model *model;
	const struct census *census;
	struct owners owners;
	VEC(uint64_t) function_samples, process_samples;
	struct total_table hits, threads;
	struct err *err;
};

/* ---- one table ---- */

struct total_search {
	const struct total_table *table;
	struct total_key key;
};

static bool same_total(uint32_t id, const void *arg)
{
	const struct total_search *search = arg;
	const struct total_key *have = &search->table->rows.at[id].key, *want = &search->key;

	return have->place == want->place && have->part == want->part &&
	       have->function == want->function && have->event == want->event &&
	       have->context == want->context;
}

static struct total *find_total(struct total_table *table, const struct total_key *key)
{
	struct total_search search = { .table = table, .key = *key };
	uint64_t hash = hash_pair((uint64_t)key->place << 32 | key->function,
				  (uint64_t)key->part << 16 | (uint64_t)key->event << 8 |
					  key->context);
	uint32_t id = intern_find(&table->index, hash, same_total, &search);
	struct total *total;

	if (id)
		return &table->rows.at[id];
	if (table->rows.count == 0 && !vec_push(&table->rows))
		return NULL;
	total = vec_push(&table->rows);
	if (!total || intern_add(&table->index, hash, (uint32_t)(total - table->rows.at)) < 0)
		return NULL;
	total->key = *key;
	return total;
}

static int compare_totals(const void *left, const void *right)
{
	const struct total_key *a = &((const struct total *)left)->key;
	const struct total_key *b = &((const struct total *)right)->key;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/*
 * Adds the totals so far to the file, and clears them. Sorts them by key first, so that the pages
 * of the table fill up.
 */
static int flush_table(struct totals *totals, struct total_table *table)
{
	int rc = 0;

	if (table->rows.count == 0)
		return 0;
	qsort(table->rows.at + 1, table->rows.count - 1, sizeof(*table->rows.at), compare_totals);
	for (size_t i = 1; i < table->rows.count; i++) {
		const struct total *total = &table->rows.at[i];

		(void)sqlite3_bind_int64(table->add, 1, (int32_t)total->key.place);
		(void)sqlite3_bind_int64(table->add, 2, total->key.event);
		(void)sqlite3_bind_int64(table->add, 3, total->key.context);
		(void)sqlite3_bind_int64(table->add, 4, (sqlite3_int64)total->samples);
		(void)sqlite3_bind_int64(table->add, 5, (sqlite3_int64)total->weight);
		if (table == &totals->hits) {
			(void)sqlite3_bind_int64(table->add, 6, total->key.part);
			(void)sqlite3_bind_int64(table->add, 7, (int32_t)total->key.function);
		}
		rc = recording_step(totals->recording, table->add, totals->err);
		if (rc < 0)
			break;
	}
	vec_clear(&table->rows);
	intern_fini(&table->index);
	return rc;
}

static int add_sample(struct totals *totals, struct total_table *table, const struct total_key *key,
		      const struct sample *sample)
{
	struct total *total = find_total(table, key);

	if (!total)
		return err_sys(totals->err, -ENOMEM, "%s", totals->recording->path);
	total->samples += model_samples(totals->model, sample);
	total->weight += sample->weight;
	return table->rows.count > TOTAL_MAX ? flush_table(totals, table) : 0;
}

/* ---- which ones get rows of their own ---- */

/* Returns true if @count is at least 1/@parts of all samples. */
static bool is_share(const struct totals *totals, uint64_t count, uint64_t parts)
{
	uint64_t all = totals->census->sample_count;

	return count >= all / parts + (all % parts != 0);
}

static bool has_row(const struct totals *totals, uint64_t count)
{
	return is_share(totals, count, count < ROW_SAMPLES ? ROW_SHARE_FEW : ROW_SHARE);
}

static bool is_main_process(const struct totals *totals, uint32_t process)
{
	return is_share(totals, totals->process_samples.at[process], PROCESS_SHARE);
}

static bool is_hot(const struct totals *totals, size_t function)
{
	return has_row(totals, totals->function_samples.at[function]);
}

/*
 * Returns true if the thread gets a row of its own, because the thread or its process has enough
 * samples. All threads of a process with enough samples get rows, so that the process is complete.
 */
static bool is_main_thread(const struct totals *totals, uint32_t thread)
{
	uint32_t process = totals->owners.process_of.at[thread];

	return has_row(totals, census_count(&totals->census->threads, thread)) ||
	       is_main_process(totals, process);
}

static struct total_key hit_key(const struct totals *totals, const struct sample *sample)
{
	const struct model *model = totals->model;
	uint32_t process = totals->owners.process_of.at[sample->thread];
	uint32_t location = leaf_location(model, sample->stack);
	uint32_t function = model->locations.at[location].function;

	return (struct total_key){
		.place = totals->owners.application_of.at[process],
		.part = is_main_process(totals, process) ? process : 0,
		.function = function == 0 || is_hot(totals, function) ? function : OTHERS,
		.event = sample->event,
		.context = sample->context,
	};
}

static int total_block(void *context, const struct sample_batch *batch)
{
	struct totals *totals = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];
		struct total_key hit = hit_key(totals, sample);
		struct total_key thread = {
			.place = is_main_thread(totals, sample->thread) ? sample->thread : OTHERS,
			.event = sample->event,
			.context = sample->context,
		};
		int rc = add_sample(totals, &totals->threads, &thread, sample);

		if (rc < 0)
			return rc;
		rc = add_sample(totals, &totals->hits, &hit, sample);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int count_functions(struct totals *totals)
{
	const struct model *model = totals->model;

	for (size_t i = 0; i < model->functions.count; i++)
		if (!vec_push(&totals->function_samples))
			return -ENOMEM;
	for (size_t i = 0; i < model->locations.count; i++)
		totals->function_samples.at[model->locations.at[i].function] += census_count(
			&totals->census->locations, i);
	return 0;
}

static int count_processes(struct totals *totals)
{
	const struct owners *owners = &totals->owners;

	for (size_t i = 0; i < owners->application_of.count; i++)
		if (!vec_push(&totals->process_samples))
			return -ENOMEM;
	for (size_t i = 0; i < owners->process_of.count; i++)
		census_sum(&totals->process_samples.at[owners->process_of.at[i]],
			   census_count(&totals->census->threads, i));
	return 0;
}

static int prepare_and_count(struct totals *totals)
{
	int rc = recording_prepare(totals->recording, &totals->hits.add,
				   "INSERT INTO hit(application, event, context, samples, weight,"
				   " process, function) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"
				   " ON CONFLICT DO UPDATE SET samples = samples + ?4,"
				   " weight = weight + ?5",
				   totals->err);

	if (rc < 0)
		return rc;
	rc = recording_prepare(totals->recording, &totals->threads.add,
			       "INSERT INTO thread_time(thread, event, context, samples,"
			       " weight) VALUES(?1, ?2, ?3, ?4, ?5)"
			       " ON CONFLICT DO UPDATE SET samples = samples + ?4,"
			       " weight = weight + ?5",
			       totals->err);
	if (rc < 0)
		return rc;
	rc = owners_read(totals->recording, totals->model, &totals->owners, totals->err);
	if (rc < 0)
		return rc;
	rc = count_processes(totals);
	return rc < 0 ? rc : count_functions(totals);
}

static int prepare(struct totals *totals)
{
	int rc = prepare_and_count(totals);

	return rc == -ENOMEM ? err_sys(totals->err, rc, "%s", totals->recording->path) : rc;
}

/* Writes the functions that `hit` refers to. */
static int write_hot_functions(struct totals *totals)
{
	const struct model *model = totals->model;
	_cleanup_statement_ sqlite3_stmt *insert = NULL;
	int rc = recording_prepare(totals->recording, &insert,
				   "INSERT INTO hot_function VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
				   totals->err);

	if (rc < 0)
		return rc;
	for (size_t i = 1; i < model->functions.count; i++) {
		const struct function *function = &model->functions.at[i];

		if (totals->function_samples.at[i] == 0 || !is_hot(totals, i))
			continue;
		(void)sqlite3_bind_int64(insert, 1, (sqlite3_int64)i);
		(void)sqlite3_bind_text(insert, 2, model_string(model, function->name), -1,
					SQLITE_STATIC);
		(void)sqlite3_bind_int64(insert, 3, function->image);
		(void)sqlite3_bind_text(insert, 4, quality_name(function->quality), -1,
					SQLITE_STATIC);
		(void)sqlite3_bind_int64(insert, 5, (sqlite3_int64)function->vaddr);
		(void)sqlite3_bind_int64(insert, 6, (sqlite3_int64)function->size_bytes);
		rc = recording_step(totals->recording, insert, totals->err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void total_table_fini(struct total_table *table)
{
	vec_free(&table->rows);
	intern_fini(&table->index);
	(void)sqlite3_finalize(table->add);
}

static void totals_fini(struct totals *totals)
{
	total_table_fini(&totals->hits);
	total_table_fini(&totals->threads);
	owners_fini(&totals->owners);
	vec_free(&totals->function_samples);
	vec_free(&totals->process_samples);
}

static int write_totals(struct recording *recording, const struct model *model,
			struct model *counted, const struct census *census, struct err *err)
{
	_cleanup_(totals_fini) struct totals totals = {
		.recording = recording, .model = model, .census = census, .err = err
	};
	int rc = prepare(&totals);

	if (rc < 0)
		return rc;
	rc = recording_each_block(recording, counted, NULL, total_block, &totals, err);
	if (rc < 0)
		return rc;
	rc = flush_table(&totals, &totals.hits);
	if (rc < 0)
		return rc;
	rc = flush_table(&totals, &totals.threads);
	if (rc < 0)
		return rc;
	return write_hot_functions(&totals);
}

struct census_pass {
	const struct model *model;
	struct recording *recording;
	struct err *err;
};

static int census_block(void *context, const struct sample_batch *batch)
{
	struct census_pass *pass = context;
	int rc = census_add(&pass->recording->census, pass->model, batch);

	return rc < 0 ? err_sys(pass->err, rc, "%s", pass->recording->path) : 0;
}

int recording_write_totals(struct recording *recording, const struct model *model, struct err *err)
{
	struct census *census = &recording->census;
	struct census_pass pass = { .model = model, .recording = recording, .err = err };
	/*
	 * The reader counts each damaged block as a loss. These losses go to a copy of the model,
	 * so that they are not written to the file: each later reader finds and counts the damaged
	 * blocks again.
	 */
	struct model counted = *model;

	/*
	 * The census is incomplete if another writer wrote samples, if samples were rolled back, or
	 * if there were too many threads.
	 */
	if (!census->is_whole) {
		int rc;

		census_fini(census);
		rc = recording_each_block(recording, &counted, NULL, census_block, &pass, err);
		if (rc < 0)
			return rc;
		census->is_whole = true;
	}
	return write_totals(recording, model, &counted, census, err);
}
