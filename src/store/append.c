/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes one flush: the new entries of the model since the last flush, and the samples. */
#include "base/hash.h"
#include "store/dictionary_block.h"
#include "store/mapping_block.h"
#include "store/recording-private.h"
#include "store/sample_block.h"

/*
 * Number of rows that one INSERT statement inserts. Starting and ending a statement takes as long
 * as inserting one row.
 */
#define ROWS_AT_ONCE 16

/* ---- dictionary rows ---- */

static int write_string(struct recording *recording, const struct model *model, uint32_t id,
			struct err *err)
{
	int rc;

	if (id == 0)
		return 0;
	rc = recording_prepare(recording, &recording->insert_string,
			       "INSERT OR IGNORE INTO string VALUES(?1, ?2)", err);
	if (rc < 0)
		return rc;
	(void)sqlite3_bind_int64(recording->insert_string, 1, id);
	(void)sqlite3_bind_text(recording->insert_string, 2, model_string(model, id), -1,
				SQLITE_STATIC);
	return recording_step(recording, recording->insert_string, err);
}

/*
 * Prepares an INSERT statement for @row_count rows and sets *@insert to it. Does nothing if
 * *@insert is already set.
 */
static int prepare_rows(struct recording *recording, enum table_id id, int row_count,
			sqlite3_stmt **insert, struct err *err)
{
	char *text;
	int rc;

	if (*insert)
		return 0;
	text = table_insert_text(id, row_count);
	if (!text)
		return err_sys(err, -ENOMEM, "%s", recording->path);
	rc = recording_prepare(recording, insert, text, err);
	sqlite3_free(text);
	return rc;
}

/* Writes @row_count rows of the model, starting at @first. @row_count is 1 or ROWS_AT_ONCE. */
static int write_rows(struct recording *recording, enum table_id id, const struct model *model,
		      size_t first, int row_count, struct err *err)
{
	sqlite3_stmt **insert = row_count == 1 ? &recording->insert[id]
					       : &recording->insert_many[id];
	int rc = prepare_rows(recording, id, row_count, insert, err);

	if (rc < 0)
		return rc;
	for (int row = 0; row < row_count; row++)
		table_bind(id, *insert, row, model, first + (size_t)row);
	return recording_step(recording, *insert, err);
}

static int write_table(struct recording *recording, enum table_id id, const struct model *model,
		       struct err *err)
{
	size_t *next = &recording->written.rows[id];
	size_t count = table_of(id)->count(model);

	while (*next < count) {
		int row_count = count - *next < ROWS_AT_ONCE ? 1 : ROWS_AT_ONCE;
		int rc = write_rows(recording, id, model, *next, row_count, err);

		if (rc < 0)
			return rc;
		*next += (size_t)row_count;
	}
	return 0;
}

static int write_command_line(struct recording *recording, const struct model *model, size_t id,
			      struct err *err)
{
	uint32_t text = model->processes.at[id].command_line;
	int rc = text ? recording_prepare(recording, &recording->set_command_line,
					  "INSERT OR REPLACE INTO command_line VALUES(?1, ?2)", err)
		      : 0;

	if (!text || rc < 0)
		return rc;
	(void)sqlite3_bind_int64(recording->set_command_line, 1, (sqlite3_int64)id);
	(void)sqlite3_bind_text(recording->set_command_line, 2, model_string(model, text), -1,
				SQLITE_STATIC);
	return recording_step(recording, recording->set_command_line, err);
}

/* Writes the strings of the new processes. The processes themselves are written next. */
static int write_process_strings(struct recording *recording, const struct model *model,
				 struct err *err)
{
	for (size_t i = recording->written.rows[TABLE_PROCESS]; i < model->processes.count; i++) {
		int rc = write_string(recording, model, model->processes.at[i].exe, err);

		if (rc < 0)
			return rc;
		rc = write_string(recording, model, model->processes.at[i].cgroup, err);
		if (rc < 0)
			return rc;
		rc = write_command_line(recording, model, i, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Writes new applications, and applications that gained instances since they were last written. */
static int write_applications(struct recording *recording, const struct model *model,
			      struct err *err)
{
	struct shadow *shadow = &recording->shadow;

	for (size_t i = 1; i < model->applications.count; i++) {
		uint32_t count = model->applications.at[i].instance_count;
		int rc;

		if (i < shadow->instance_counts.count && shadow->instance_counts.at[i] == count)
			continue;
		while (shadow->instance_counts.count <= i)
			if (!vec_push(&shadow->instance_counts))
				return err_sys(err, -ENOMEM, "%s", recording->path);
		rc = write_rows(recording, TABLE_APPLICATION, model, i, 1, err);
		if (rc < 0)
			return rc;
		shadow->instance_counts.at[i] = count;
	}
	return 0;
}

/* ---- facts, losses, ledger ---- */

static int write_facts(struct recording *recording, const struct model *model, struct err *err)
{
	struct shadow *shadow = &recording->shadow;

	for (size_t i = 0; i < model->facts.count; i++) {
		const struct fact *fact = &model->facts.at[i];
		int rc;

		if (i < shadow->facts.count && shadow->facts.at[i].value == fact->value)
			continue;
		if (i >= shadow->facts.count && !vec_push(&shadow->facts))
			return err_sys(err, -ENOMEM, "%s", recording->path);
		rc = recording_set_meta(recording, model_string(model, fact->key),
					model_string(model, fact->value), err);
		if (rc < 0)
			return rc;
		shadow->facts.at[i] = *fact;
	}
	return 0;
}

static int write_losses(struct recording *recording, const struct losses *losses, struct err *err)
{
	int rc = recording_prepare(recording, &recording->set_loss,
				   "INSERT OR REPLACE INTO loss VALUES(?1, ?2, ?3, ?4)", err);

	if (rc < 0)
		return rc;
	for (enum loss reason = 0; reason < LOSS_COUNT; reason++) {
		uint64_t count = losses->count[reason] - recording->found.count[reason];

		if (count == recording->shadow.losses.count[reason])
			continue;
		(void)sqlite3_bind_text(recording->set_loss, 1, loss_name(reason), -1,
					SQLITE_STATIC);
		(void)sqlite3_bind_int64(recording->set_loss, 2, (sqlite3_int64)count);
		(void)sqlite3_bind_text(recording->set_loss, 3, loss_unit(reason), -1,
					SQLITE_STATIC);
		(void)sqlite3_bind_text(recording->set_loss, 4, loss_meaning(reason), -1,
					SQLITE_STATIC);
		rc = recording_step(recording, recording->set_loss, err);
		if (rc < 0)
			return rc;
		recording->shadow.losses.count[reason] = count;
	}
	return 0;
}

static int write_ledger(struct recording *recording, const struct ledger *ledger, struct err *err)
{
	int rc = recording_prepare(recording, &recording->set_ledger,
				   "INSERT OR REPLACE INTO ledger VALUES(?1, ?2, ?3, ?4, ?5, ?6,"
				   " ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,"
				   " ?20, ?21)",
				   err);
	sqlite3_stmt *set = recording->set_ledger;

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ledger->cpus.count; i++) {
		const struct cpu_ledger *cpu = &ledger->cpus.at[i];

		(void)sqlite3_bind_int64(set, 1, cpu->cpu);
		(void)sqlite3_bind_int64(set, 2, (sqlite3_int64)cpu->start_ns);
		(void)sqlite3_bind_int64(set, 3, (sqlite3_int64)cpu->end_ns);
		(void)sqlite3_bind_int64(set, 4, (sqlite3_int64)cpu->sample_count);
		for (int t = 0; t < CPU_TIME_COUNT; t++) {
			(void)sqlite3_bind_int64(set, 5 + t, (sqlite3_int64)cpu->first_ns[t]);
			(void)sqlite3_bind_int64(set, 5 + CPU_TIME_COUNT + t,
						 (sqlite3_int64)cpu->last_ns[t]);
		}
		(void)sqlite3_bind_int64(set, 5 + 2 * CPU_TIME_COUNT,
					 (sqlite3_int64)cpu->idle_count);
		rc = recording_step(recording, set, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int write_image_health(struct recording *recording, uint32_t image, struct image_health *now,
			      struct err *err)
{
	int rc = recording_prepare(recording, &recording->set_health,
				   "INSERT OR REPLACE INTO image_health VALUES(?1, ?2, ?3)", err);

	if (rc < 0)
		return rc;
	for (size_t which = 0; which < IMAGE_HEALTH_COUNTS; which++) {
		uint64_t count = *image_health_count(now, which);

		if (!count)
			continue;
		(void)sqlite3_bind_int64(recording->set_health, 1, image);
		(void)sqlite3_bind_text(recording->set_health, 2, image_health_count_name(which),
					-1, SQLITE_STATIC);
		(void)sqlite3_bind_int64(recording->set_health, 3, (sqlite3_int64)count);
		rc = recording_step(recording, recording->set_health, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int write_health(struct recording *recording, const struct model *model, struct err *err)
{
	struct shadow *shadow = &recording->shadow;

	for (uint32_t i = 0; i < model->walk_health.images.count; i++) {
		struct image_health now = model_health_of(model, i);
		uint64_t hash = hash_bytes(&now, sizeof(now));
		int rc;

		if (i >= shadow->healths.count && !vec_push(&shadow->healths))
			return err_sys(err, -ENOMEM, "%s", recording->path);
		if (hash == shadow->healths.at[i])
			continue;
		rc = write_image_health(recording, i, &now, err);
		if (rc < 0)
			return rc;
		shadow->healths.at[i] = hash;
	}
	return 0;
}

/* ---- column blocks ---- */

static uint32_t block_share(size_t left)
{
	return left < BLOCK_COUNT_MAX ? (uint32_t)left : BLOCK_COUNT_MAX;
}

int recording_write_dictionary(struct recording *recording, const struct model *model,
			       const struct stored_dictionary *dictionary, size_t *next,
			       struct err *err)
{
	while (*next < dictionary->count) {
		struct block_header header = {
			.kind = dictionary->kind,
			.first = *next,
			.count = dictionary->share ? dictionary->share(model, *next)
						   : block_share(dictionary->count - *next),
		};
		int rc = dictionary->encode(&recording->codec, &header, model);

		if (rc < 0)
			return err_sys(err, rc, "%s", recording->path);
		rc = recording_write_block(recording, &header, err);
		if (rc < 0)
			return rc;
		*next += header.count;
	}
	return 0;
}

static int encode_mappings(struct block_codec *codec, const struct block_header *header,
			   const struct model *model)
{
	return mapping_block_encode(codec, header, model->mappings.at);
}

static int encode_locations(struct block_codec *codec, const struct block_header *header,
			    const struct model *model)
{
	return location_block_encode(codec, header, model->locations.at);
}

static int encode_stacks(struct block_codec *codec, const struct block_header *header,
			 const struct model *model)
{
	return stack_block_encode(codec, header, model->stacks.at);
}

static int write_dictionaries(struct recording *recording, const struct model *model,
			      struct err *err)
{
	const struct stored_dictionary mappings = { BLOCK_MAPPING, model->mappings.count, NULL,
						    encode_mappings };
	const struct stored_dictionary locations = { BLOCK_LOCATION, model->locations.count, NULL,
						     encode_locations };
	const struct stored_dictionary stacks = { BLOCK_STACK, model->stacks.count, NULL,
						  encode_stacks };
	struct marks *written = &recording->written;
	int rc = recording_write_dictionary(recording, model, &mappings, &written->mappings, err);

	if (rc < 0)
		return rc;
	rc = recording_write_dictionary(recording, model, &locations, &written->locations, err);
	if (rc < 0)
		return rc;
	return recording_write_dictionary(recording, model, &stacks, &written->stacks, err);
}

int recording_write_model(struct recording *recording, const struct model *model, struct err *err)
{
	static const enum table_id tables[] = { TABLE_EVENT, TABLE_IMAGE, TABLE_PROCESS,
						TABLE_THREAD };
	int rc = write_process_strings(recording, model, err);

	if (rc < 0)
		return rc;
	rc = write_applications(recording, model, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		rc = write_table(recording, tables[i], model, err);
		if (rc < 0)
			return rc;
	}
	rc = write_dictionaries(recording, model, err);
	if (rc < 0)
		return rc;
	rc = write_facts(recording, model, err);
	if (rc < 0)
		return rc;
	rc = write_losses(recording, &model->losses, err);
	if (rc < 0)
		return rc;
	rc = write_ledger(recording, &model->ledger, err);
	if (rc < 0)
		return rc;
	rc = write_health(recording, model, err);
	if (rc < 0)
		return rc;
	rc = recording_write_interrupts(recording, model, err);
	if (rc < 0)
		return rc;
	rc = recording_write_ticks(recording, model, err);
	return rc < 0 ? rc : recording_write_spans(recording, model, err);
}

static struct block_header sample_header(const struct sample_slice *slice, uint64_t first)
{
	const struct sample *samples = slice->batch->samples.at + slice->from;
	struct block_header header = {
		.kind = BLOCK_SAMPLE,
		.first = first,
		.count = slice->count,
		.time_min_ns = samples[0].time_ns,
		.time_max_ns = samples[0].time_ns,
	};

	for (uint32_t i = 1; i < slice->count; i++) {
		if (samples[i].time_ns < header.time_min_ns)
			header.time_min_ns = samples[i].time_ns;
		if (samples[i].time_ns > header.time_max_ns)
			header.time_max_ns = samples[i].time_ns;
	}
	return header;
}

static int count_samples(struct recording *recording, const struct model *model,
			 const struct sample_batch *batch, struct err *err)
{
	struct census *census = &recording->census;

	if (model->threads.count > CENSUS_THREADS_MAX)
		census_fini(census);
	if (!census->is_whole || census_add(census, model, batch) == 0)
		return 0;
	return err_sys(err, -ENOMEM, "%s", recording->path);
}

static int write_samples(struct recording *recording, const struct model *model,
			 const struct sample_batch *batch, struct err *err)
{
	struct sample_slice slice = {
		.batch = batch,
		.events = model->events.at,
		.event_count = model->events.count,
	};

	for (; slice.from < batch->samples.count; slice.from += slice.count) {
		struct block_header header;
		int rc;

		slice.count = block_share(batch->samples.count - slice.from);
		header = sample_header(&slice, recording->written.samples);
		rc = sample_block_encode(&recording->codec, &slice);
		if (rc < 0)
			return err_sys(err, rc, "%s: samples", recording->path);
		rc = recording_write_block(recording, &header, err);
		if (rc < 0)
			return rc;
		recording->written.samples += slice.count;
	}
	return count_samples(recording, model, batch, err);
}

static int write_flush(struct recording *recording, const struct model *model,
		       const struct sample_batch *batch, struct err *err)
{
	int rc = recording_write_model(recording, model, err);

	if (rc < 0)
		return rc;
	rc = batch ? write_samples(recording, model, batch, err) : 0;
	if (rc < 0 || !recording->complete)
		return rc;
	return recording_seal(recording, SEALS_ALL & ~SEALS_OF_TOTALS, err);
}

int recording_append(struct recording *recording, const struct model *model,
		     const struct sample_batch *batch, struct err *err)
{
	int rc = recording_begin(recording, err);

	if (rc < 0)
		return rc;
	rc = recording_end(recording, write_flush(recording, model, batch, err), err);
	if (rc < 0)
		return rc;
	if (recording->lock_fd >= 0 && !recording->complete)
		disk_sync_start(&recording->sync, recording->path, recording->lock_fd);
	recording_forget_older(recording);
	return recording->complete ? recording_fold(recording, err) : 0;
}
