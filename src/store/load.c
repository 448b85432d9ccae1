/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a file into a model. If a row is missing or has an invalid value, such as an unknown enum
 * name, an empty row takes its place, so that all other rows keep their ids. A row whose id is not
 * above the previous id, or is impossibly high, is skipped. References to rows that are empty or do
 * not exist are set to 0. All of this counts as damage. So whatever the file contains, every id in
 * the model is valid.
 */
#include "store/block_table.h"
#include "store/dictionary.h"
#include "store/distrust.h"
#include "store/plausible.h"
#include "store/recording-private.h"
#include "store/sample_block.h"

static int sql_err(struct recording *recording, int rc, struct err *err)
{
	if (rc == -ENOMEM)
		return err_sys(err, rc, "%s", recording->path);
	return statement_err(recording->db, recording->path, "read", err);
}

/*
 * Minimum size of a row in a file: two bytes for the pointer to it, one byte each for its size and
 * id, and its header.
 */
#define ROW_BYTES_MIN 8

/*
 * Limits on the number of samples in all blocks: SAMPLES_FREE, plus SAMPLES_PER_BYTE for each
 * stored byte. In a real run a sample takes 2.8 bytes (docs/schema.md), but identical samples take
 * almost no space.
 */
#define SAMPLES_PER_BYTE 16
#define SAMPLES_FREE (UINT64_C(1) << 24)

typedef int (*read_fn)(sqlite3_stmt *select, struct model *model);

/*
 * Handles the result of the last step of a query. If the rest of a table cannot be read because the
 * file is damaged, this counts as one damaged row and is not an error.
 */
static int end_rows(struct recording *recording, int code, struct err *err)
{
	if ((code & 0xff) == SQLITE_CORRUPT)
		loss_add(&recording->found, LOSS_ROW_DAMAGED, 1);
	else if (code != SQLITE_DONE)
		return sql_err(recording, -EIO, err);
	return 0;
}

/* Like end_rows(). If all rows of the table could be read, also compares them with its seal. */
static int end_table(struct recording *recording, enum seal_id id, const struct seal *seal,
		     int code, struct err *err)
{
	if (code == SQLITE_DONE && !seals_match(&recording->seals, id, seal))
		loss_add(&recording->found, LOSS_TABLE_ALTERED, 1);
	return end_rows(recording, code, err);
}

/* Calls @read for every row of a table. Counts the rows that @read refuses. */
static int read_rows(struct recording *recording, enum seal_id id, read_fn read,
		     struct model *model, struct err *err)
{
	_cleanup_statement_ sqlite3_stmt *select = NULL;
	_cleanup_(seal_fini) struct seal seal = { 0 };
	uint64_t refused = 0;
	int code;

	if (sqlite3_prepare_v2(recording->db, seal_select(id), -1, &select, NULL) != SQLITE_OK)
		return sql_err(recording, -EIO, err);
	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		int rc = seal_add(&seal, id, select);

		if (rc == 0)
			rc = read(select, model);
		if (rc == -ENOMEM)
			return sql_err(recording, rc, err);
		refused += rc < 0;
	}
	loss_add(&recording->found, LOSS_ROW_DAMAGED, refused);
	return end_table(recording, id, &seal, code, err);
}

struct row_place {
	/*
	 * Ids must be below this limit, which is computed from the file's size. A row with a higher
	 * id is invalid. It does not mean that the rows before it are missing.
	 */
	size_t end;
	uint64_t damaged;	/* number of damaged rows */
};

/*
 * Appends the current row so that its index is its id. Rows of zeros are added for missing lower
 * ids, and in place of an invalid row.
 */
static int place_row(const struct table *table, sqlite3_stmt *select, struct model *model,
		     struct row_place *place)
{
	uint64_t id = (uint64_t)sqlite3_column_int64(select, 0);
	size_t count = table->count(model);
	int rc;

	if (id < count || id >= place->end) {
		place->damaged++;
		return 0;
	}
	place->damaged += id - count;
	rc = table->fill(model, id);
	if (rc < 0)
		return rc;
	rc = table->read(select, model);
	if (rc != -EBADMSG)
		return rc;
	place->damaged++;
	return table->fill(model, id + 1);
}

/* Recordings of other versions lack some tables, but then have no seals of them. */
static bool has_table(struct recording *recording, enum seal_id id)
{
	bool is_there = distrust_has_table(recording->db, seal_name(id));

	loss_add(&recording->found, LOSS_TABLE_ALTERED,
		 !is_there && recording->seals.of[id].is_there);
	return is_there;
}

static int read_table(struct recording *recording, enum table_id id, struct model *model,
		      struct err *err)
{
	const struct table *table = table_of(id);
	_cleanup_statement_ sqlite3_stmt *select = NULL;
	_cleanup_(seal_fini) struct seal seal = { 0 };
	int64_t size_bytes = statement_integer(recording->db, "PRAGMA page_count", 0) *
			     statement_integer(recording->db, "PRAGMA page_size", 0);
	struct row_place place = { .end = (size_t)size_bytes / ROW_BYTES_MIN };
	int code, rc = 0;

	if (!has_table(recording, (enum seal_id)id))
		return 0;
	if (sqlite3_prepare_v2(recording->db, table->select, -1, &select, NULL) != SQLITE_OK)
		return sql_err(recording, -EIO, err);
	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		rc = seal_add(&seal, (enum seal_id)id, select);
		if (rc == 0)
			rc = place_row(table, select, model, &place);
		if (rc < 0)
			break;
	}
	loss_add(&recording->found, LOSS_ROW_DAMAGED, place.damaged);
	return rc < 0 ? sql_err(recording, rc, err)
		      : end_table(recording, (enum seal_id)id, &seal, code, err);
}

static int read_fact(sqlite3_stmt *select, struct model *model)
{
	const char *key = (const char *)sqlite3_column_text(select, 0);
	const char *value = (const char *)sqlite3_column_text(select, 1);

	if (!key || !value)
		return -EBADMSG;
	if (strncmp(key, META_PREFIX, strlen(META_PREFIX)) != 0)
		return model_fact_load(model, key, value);
	return 0;
}

static int read_loss(sqlite3_stmt *select, struct model *model)
{
	const char *name = (const char *)sqlite3_column_text(select, 0);
	int reason = name ? loss_of_name(name) : -1;

	if (reason < 0)
		return -EBADMSG;
	loss_add(&model->losses, (enum loss)reason, (uint64_t)sqlite3_column_int64(select, 1));
	return 0;
}

static int read_ledger(sqlite3_stmt *select, struct model *model)
{
	sqlite3_int64 cpu_id = sqlite3_column_int64(select, 0);
	struct cpu_ledger *cpu;

	if (cpu_id < 0 || cpu_id > UINT16_MAX)
		return -EBADMSG;
	cpu = ledger_cpu(&model->ledger, (uint32_t)cpu_id);
	if (!cpu)
		return -ENOMEM;
	cpu->start_ns = (uint64_t)sqlite3_column_int64(select, 1);
	cpu->end_ns = (uint64_t)sqlite3_column_int64(select, 2);
	cpu->sample_count = (uint64_t)sqlite3_column_int64(select, 3);
	for (int t = 0; t < CPU_TIME_COUNT; t++) {
		cpu->first_ns[t] = (uint64_t)sqlite3_column_int64(select, 4 + t);
		cpu->last_ns[t] = (uint64_t)sqlite3_column_int64(select, 4 + CPU_TIME_COUNT + t);
	}
	if (sqlite3_column_count(select) > 4 + 2 * CPU_TIME_COUNT)
		cpu->idle_count = (uint64_t)sqlite3_column_int64(select, 4 + 2 * CPU_TIME_COUNT);
	return 0;
}

static int read_health(sqlite3_stmt *select, struct model *model)
{
	sqlite3_int64 image = sqlite3_column_int64(select, 0);
	const char *name = (const char *)sqlite3_column_text(select, 1);
	sqlite3_int64 count = sqlite3_column_int64(select, 2);
	int which = name ? image_health_count_of_name(name) : -1;
	struct image_health *row;

	if (which < 0 || count < 0 || image < 0 || (uint64_t)image >= model->images.count)
		return -EBADMSG;
	row = model_health_row(model, (uint32_t)image);
	if (!row)
		return -ENOMEM;
	*image_health_count(row, (size_t)which) += (uint64_t)count;
	return 0;
}

static int read_command_line(sqlite3_stmt *select, struct model *model)
{
	sqlite3_int64 process = sqlite3_column_int64(select, 0);
	uint32_t text;

	if (process <= 0 || (uint64_t)process >= model->processes.count)
		return -EBADMSG;
	text = table_read_string(select, 1, model);
	model->processes.at[process].command_line = text;
	return 0;
}

/* Reads the columns of all blocks except their data, which has its own checksums. */
static int skip_block(sqlite3_stmt *select, struct model *model)
{
	return 0;
}

static int load_others(struct recording *recording, struct model *model, struct err *err)
{
	static const struct {
		enum seal_id id;
		read_fn read;
	} others[] = {
		{ SEAL_META, read_fact },
		{ SEAL_LOSS, read_loss },
		{ SEAL_LEDGER, read_ledger },
		{ SEAL_INTERRUPT_TIME, interrupt_time_read },
		{ SEAL_INTERRUPT_VICTIM, interrupt_victim_read },
		{ SEAL_COMMAND_LINE, read_command_line },
		{ SEAL_IMAGE_HEALTH, read_health },
		{ SEAL_SPAN_TOTAL, span_total_read },
		{ SEAL_SPAN_BUCKET, span_bucket_read },
		{ SEAL_SPAN_AMOUNT, span_amount_read },
		{ SEAL_BLOCK, skip_block },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		enum seal_id id = others[i].id;
		int rc;

		if (!has_table(recording, id))
			continue;
		rc = read_rows(recording, id, others[i].read, model, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int load_tables(struct recording *recording, struct model *model, struct err *err)
{
	seals_read(recording->db, recording->complete, &recording->seals);
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		int rc = read_table(recording, (enum table_id)i, model, err);

		if (rc < 0)
			return rc;
	}
	return load_others(recording, model, err);
}

/* ---- references ---- */

/*
 * Returns true if all bytes of the row are zero. Such a row replaces a missing row or is as useless
 * as one.
 */
static bool is_zero(const void *row, size_t size_bytes)
{
	const uint8_t *bytes = row;

	return bytes[0] == 0 && memcmp(bytes, bytes + 1, size_bytes - 1) == 0;
}

/*
 * Sets the reference @id to 0 unless @array has a non-empty row with that id. Evaluates to 1 if @id
 * was changed, otherwise to 0.
 */
#define settle(id, array)                                                               \
	({                                                                              \
		bool _gone = (id) && ((id) >= (array)->count ||                         \
				      is_zero(&(array)->at[id], sizeof(*(array)->at))); \
		if (_gone)                                                              \
			(id) = 0;                                                       \
		_gone ? UINT64_C(1) : 0;                                                \
	})

/* Sets *@id to 0 unless it is below @end. Returns true if it was changed. */
static bool clear_unless_below(uint32_t *id, size_t end)
{
	if (*id < end)
		return false;
	*id = 0;
	return true;
}

/*
 * Sets invalid references in rows of tables to 0, and returns their number. A process's parent must
 * be an earlier row.
 */
static uint64_t settle_rows(struct model *model)
{
	uint64_t missing = 0;

	for (size_t i = 1; i < model->processes.count; i++) {
		struct process *process = &model->processes.at[i];

		missing += clear_unless_below(&process->parent, i);
		missing += settle(process->parent, &model->processes);
		missing += settle(process->application, &model->applications);
	}
	for (size_t i = 1; i < model->threads.count; i++)
		missing += settle(model->threads.at[i].process, &model->processes);
	for (size_t i = 1; i < model->images.count; i++)
		missing += settle(model->images.at[i].process, &model->processes);
	for (size_t i = 1; i < model->mappings.count; i++) {
		missing += settle(model->mappings.at[i].process, &model->processes);
		missing += settle(model->mappings.at[i].image, &model->images);
	}
	return missing;
}

/* Sets invalid references in entries of blocks to 0, and returns their number. */
static uint64_t settle_blocks(struct model *model)
{
	uint64_t missing = 0;

	for (size_t i = 1; i < model->functions.count; i++)
		missing += settle(model->functions.at[i].image, &model->images);
	for (size_t i = 1; i < model->locations.count; i++) {
		struct location *location = &model->locations.at[i];

		missing += settle(location->image, &model->images);
		missing += clear_unless_below(&location->function, model->functions.count);
		missing += clear_unless_below(&location->line, model->lines.count);
	}
	for (size_t i = 1; i < model->lines.count; i++)
		missing += clear_unless_below(&model->lines.at[i].function, model->functions.count);
	for (size_t i = STACK_ROOT_COUNT; i < model->stacks.count; i++)
		missing += clear_unless_below(&model->stacks.at[i].location,
					      model->locations.count);
	return missing;
}

/* ---- dictionaries ---- */

/*
 * Adds the functions to the model and to its index. So code that adds names later finds the
 * existing functions. A duplicate, which only a damaged file has, keeps its id but is not in the
 * index.
 */
static int load_functions(struct model *model, const struct dictionary *dictionary)
{
	for (size_t i = 1; i < dictionary->functions.count; i++) {
		struct function function = dictionary->functions.at[i];

		function.name = model_intern(model, dictionary_text(dictionary, function.name));
		function.linkage_name = model_intern(model, dictionary_text(dictionary,
									    function.linkage_name));
		function.before = model_intern(model, dictionary_text(dictionary, function.before));
		function.after = model_intern(model, dictionary_text(dictionary, function.after));
		if (model_function_id(model, &function) == 0)
			return -ENOMEM;
		if (model->functions.count == i) {
			struct function *copy = vec_push(&model->functions);

			if (!copy)
				return -ENOMEM;
			*copy = function;
		}
	}
	return 0;
}

/*
 * Adds the lines to the model and to its index, so that a line that is added again gets the same
 * id.
 */
static int load_lines(struct model *model, const struct dictionary *dictionary)
{
	for (size_t i = 1; i < dictionary->lines.count; i++) {
		struct source_line line = dictionary->lines.at[i];

		line.file = model_intern(model, dictionary_text(dictionary, line.file));
		if (model_line_id(model, &line) == 0)
			return -ENOMEM;
		if (model->lines.count == i) {
			struct source_line *copy = vec_push(&model->lines);

			if (!copy)
				return -ENOMEM;
			*copy = line;
		}
	}
	return 0;
}

/*
 * The mappings of a recording of an earlier version are in a table and already in the model. Its
 * blocks have none.
 */
static int copy_mappings(struct model *model, const struct dictionary *dictionary)
{
	size_t count = dictionary->mappings.count;

	if (count <= 1)
		return 0;
	if (vec_reserve(&model->mappings, count) < 0)
		return -ENOMEM;
	memcpy(model->mappings.at, dictionary->mappings.at, count * sizeof(*model->mappings.at));
	model->mappings.count = count;
	return 0;
}

static int copy_rows(struct model *model, const struct dictionary *dictionary)
{
	size_t stacks = dictionary->stacks.count, locations = dictionary->locations.count;

	if (vec_reserve(&model->stacks, stacks) < 0 ||
	    vec_reserve(&model->locations, locations) < 0 || copy_mappings(model, dictionary) < 0)
		return -ENOMEM;
	memcpy(model->stacks.at, dictionary->stacks.at, stacks * sizeof(*model->stacks.at));
	memcpy(model->locations.at, dictionary->locations.at,
	       locations * sizeof(*model->locations.at));
	model->stacks.count = stacks;
	model->locations.count = locations;
	return 0;
}

static int load_entries(struct recording *recording, struct model *model,
			struct dictionary *dictionary)
{
	int rc = dictionary_read(dictionary, recording->db, DICTIONARY_ALL);

	if (rc < 0)
		return rc;
	rc = load_functions(model, dictionary);
	if (rc < 0)
		return rc;
	rc = load_lines(model, dictionary);
	if (rc < 0)
		return rc;
	return copy_rows(model, dictionary);
}

static int load_dictionary(struct recording *recording, struct model *model, struct err *err)
{
	struct dictionary dictionary = { 0 };
	int rc = load_entries(recording, model, &dictionary);

	loss_add(&recording->found, LOSS_BLOCK_DAMAGED, dictionary.damaged);
	loss_add(&recording->found, LOSS_BLOCK_OVERSIZED, dictionary.oversized);
	loss_add(&recording->found, LOSS_ROW_DAMAGED, dictionary.missing);
	dictionary_fini(&dictionary);
	return rc < 0 ? sql_err(recording, rc, err) : 0;
}

int recording_load(struct recording *recording, struct model *model, struct err *err)
{
	int rc;

	recording->found = (struct losses){ 0 };
	rc = recording_begin_reading(recording, err);
	if (rc < 0)
		return rc;
	rc = load_tables(recording, model, err);
	if (rc < 0)
		return rc;
	rc = load_dictionary(recording, model, err);
	if (rc < 0)
		return rc;
	rc = plausible_settle(recording, model, err);
	if (rc < 0)
		return rc;
	loss_add(&recording->found, LOSS_REFERENCE_MISSING,
		 settle_rows(model) + settle_blocks(model));
	for (enum loss reason = 0; reason < LOSS_COUNT; reason++)
		loss_add(&model->losses, reason, recording->found.count[reason]);
	for (size_t i = 0; i < TABLE_COUNT; i++)
		recording->written.rows[i] = table_of((enum table_id)i)->count(model);
	recording->written.stacks = model->stacks.count;
	recording->written.locations = model->locations.count;
	recording->written.functions = model->functions.count;
	recording->written.lines = model->lines.count;
	recording->written.mappings = model->mappings.count;
	return 0;
}

/* ---- samples ---- */

static uint64_t settle_thread(const struct model *model, uint32_t *thread)
{
	/* Released rows are empty, but this process wrote them. */
	if (model->release_count)
		return clear_unless_below(thread, model->threads.count);
	return settle(*thread, &model->threads);
}

/* Clears references to missing threads and stacks. The sample itself still counts. */
static uint64_t settle_samples(const struct model *model, struct sample_batch *batch)
{
	uint64_t missing = 0;

	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample *sample = &batch->samples.at[i];

		missing += settle_thread(model, &sample->thread);
		if (sample->stack >= model->stacks.count) {
			sample->stack = STACK_ROOT_BROKEN;
			missing++;
		}
	}
	return missing;
}

/* Removes samples whose event or context is invalid. Returns true if any sample was removed. */
static bool drop_invalid(const struct model *model, struct sample_batch *batch)
{
	size_t kept = 0;

	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];

		if (sample->event >= model->events.count || sample->context >= CONTEXT_COUNT)
			continue;
		if (kept != i)
			batch->samples.at[kept] = *sample;
		if (kept != i && batch->counter_count) {
			memmove(batch->counters.at + kept * batch->counter_count,
				batch->counters.at + i * batch->counter_count,
				batch->counter_count * sizeof(*batch->counters.at));
		}
		kept++;
	}
	if (kept == batch->samples.count)
		return false;
	batch->samples.count = kept;
	batch->counters.count = kept * batch->counter_count;
	return true;
}

/* Number of samples that this call of recording_each_block() has decoded, and their stored size. */
struct volume {
	uint64_t samples, stored_bytes;
};

/*
 * Returns true if there are more samples than the stored bytes can hold in a real run. Only a
 * forged block of constant values compresses so well. Measured data never does.
 */
static bool is_oversized(const struct volume *volume)
{
	return volume->samples > SAMPLES_FREE + volume->stored_bytes * SAMPLES_PER_BYTE;
}

/*
 * Reads one block. Returns 0 if *@batch should be passed to the visitor, -EBADMSG if the block was
 * skipped and counted as a loss, or another negative errno.
 */
static int read_samples(struct block_reader *reader, sqlite3_int64 id, struct model *model,
			struct volume *volume, struct sample_batch *batch)
{
	struct block_header header;
	int rc = block_reader_read(reader, id, BLOCK_SAMPLE, &header);

	volume->samples += header.count;
	volume->stored_bytes += reader->size_bytes;
	if (rc == 0 && is_oversized(volume)) {
		loss_add(&model->losses, LOSS_BLOCK_OVERSIZED, 1);
		return -EBADMSG;
	}
	if (rc == 0)
		rc = sample_block_decode(&reader->codec, &header, batch);
	if (rc == -EBADMSG)
		loss_add(&model->losses, LOSS_BLOCK_DAMAGED, 1);
	if (rc < 0)
		return rc;
	loss_add(&model->losses, LOSS_REFERENCE_MISSING, settle_samples(model, batch));
	if (drop_invalid(model, batch))
		loss_add(&model->losses, LOSS_BLOCK_DAMAGED, 1);
	return 0;
}

int recording_each_block(struct recording *recording, struct model *model,
			 const struct sample_range *range, recording_visit_fn visit, void *context,
			 struct err *err)
{
	_cleanup_(sample_batch_fini) struct sample_batch batch = { 0 };
	_cleanup_(block_list_fini) struct block_list list = { 0 };
	_cleanup_(block_reader_fini) struct block_reader reader = { 0 };
	struct volume volume = { 0 };
	int rc = recording_begin_reading(recording, err);

	if (rc < 0)
		return rc;
	rc = block_list_read_range(recording->db, range ? range->from_ns : 0,
				   range ? range->to_ns : UINT64_MAX, &list);
	if (rc < 0)
		return sql_err(recording, rc, err);
	rc = block_reader_init(&reader, recording->db);
	if (rc < 0)
		return sql_err(recording, rc, err);
	for (size_t i = 0; i < list.ids.count; i++) {
		rc = read_samples(&reader, list.ids.at[i], model, &volume, &batch);
		if (rc == -EBADMSG)
			continue;
		if (rc < 0)
			return sql_err(recording, rc, err);
		rc = visit(context, &batch);
		if (rc != 0)
			return rc;
	}
	return 0;
}
