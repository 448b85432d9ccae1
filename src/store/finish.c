/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finishes a recording: writes what is known only after the whole run. */
#include "base/cleanup.h"
#include "store/dictionary_block.h"
#include "store/distrust.h"
#include "store/function_block.h"
#include "store/line_block.h"
#include "store/recording-private.h"

/*
 * Writes blocks that contain one id of each location: its function, or, if @index is NULL, its
 * line.
 */
static int write_location_ids(struct recording *recording, const struct model *model,
			      const struct function_index *index, struct err *err)
{
	const struct location *rows = model->locations.at;
	size_t first = 1;

	while (first < model->locations.count) {
		size_t left = model->locations.count - first;
		struct block_header header = {
			.kind = index ? BLOCK_LOCATION_FUNCTION : BLOCK_LOCATION_LINE,
			.first = first,
			.count = left < BLOCK_COUNT_MAX ? (uint32_t)left : BLOCK_COUNT_MAX,
		};
		int rc = index ? location_function_block_encode(&recording->codec, &header, rows,
								index)
			       : location_line_block_encode(&recording->codec, &header, rows);

		if (rc < 0)
			return err_sys(err, rc, "%s", recording->path);
		rc = recording_write_block(recording, &header, err);
		if (rc < 0)
			return rc;
		first += header.count;
	}
	return 0;
}

static int write_functions(struct recording *recording, const struct model *model, struct err *err)
{
	const struct stored_dictionary functions = { BLOCK_FUNCTION, model->functions.count,
						     function_block_share, function_block_encode };

	return recording_write_dictionary(recording, model, &functions,
					  &recording->written.functions, err);
}

/* Writes the new lines, and the line of each location. Writes nothing if the model has no lines. */
static int write_lines(struct recording *recording, const struct model *model, struct err *err)
{
	const struct stored_dictionary lines = { BLOCK_LINE, model->lines.count, line_block_share,
						 line_block_encode };
	int rc = recording_write_dictionary(recording, model, &lines, &recording->written.lines,
					    err);

	if (rc < 0 || model->lines.count <= 1)
		return rc;
	return write_location_ids(recording, model, NULL, err);
}

/*
 * Writes the new rows of the model and its names, with the function and line of each location. The
 * latter must have been deleted if they were written before.
 */
static int write_names(struct recording *recording, const struct model *model, struct err *err)
{
	_cleanup_(function_index_fini) struct function_index index = { 0 };
	int rc = recording_write_model(recording, model, err);

	if (rc < 0)
		return rc;
	rc = write_functions(recording, model, err);
	if (rc < 0)
		return rc;
	if (function_index_init(&index, model->functions.at, model->functions.count) < 0)
		return err_sys(err, -ENOMEM, "%s", recording->path);
	rc = write_location_ids(recording, model, &index, err);
	return rc < 0 ? rc : write_lines(recording, model, err);
}

void recording_rewrite_places(struct recording *recording)
{
	uint64_t damage = 0;

	for (enum loss reason = 0; reason < LOSS_COUNT; reason++)
		damage += recording->found.count[reason];
	recording->places_changed = damage == 0;
}

static int forget_places(struct recording *recording, struct err *err)
{
	if (statement_exec(recording->db,
			   "DELETE FROM image;"
			   "DELETE FROM block WHERE kind IN ('location', 'mapping')") != SQLITE_OK)
		return statement_err(recording->db, recording->path, "write", err);
	/* Recordings of earlier versions have the mappings in a table. */
	if (distrust_has_table(recording->db, "mapping") &&
	    statement_exec(recording->db, "DELETE FROM mapping") != SQLITE_OK)
		return statement_err(recording->db, recording->path, "write", err);
	recording->written.rows[TABLE_IMAGE] = table_of(TABLE_IMAGE)->first_id;
	recording->written.mappings = recording->written.locations = 1;
	return 0;
}

static int write_results(struct recording *recording, const struct model *model, struct err *err)
{
	int rc;

	/*
	 * Delete the results of an earlier recording_finish(). They exist if names are added to a
	 * complete recording.
	 */
	if (statement_exec(recording->db, "DELETE FROM hit; DELETE FROM thread_time;"
					  "DELETE FROM hot_function;"
					  "DELETE FROM block WHERE kind IN ('location_function',"
					  " 'location_line')") != SQLITE_OK)
		return statement_err(recording->db, recording->path, "write", err);
	if (recording->places_changed) {
		rc = forget_places(recording, err);
		if (rc < 0)
			return rc;
	}
	rc = write_names(recording, model, err);
	if (rc < 0)
		return rc;
	rc = recording_write_totals(recording, model, err);
	if (rc < 0)
		return rc;
	rc = recording_set_meta(recording, META_COMPLETE, "1", err);
	if (rc < 0)
		return rc;
	if (recording->seals.trusted)
		recording->seals.trusted |= SEALS_OF_TOTALS;
	return recording_seal(recording, SEALS_ALL, err);
}

/*
 * While another process reads the file, the journal cannot be emptied. That is not an error. The
 * mode stays as it is until recording_close(): SQLite refuses a rollback journal for a file that
 * was renamed meanwhile, but goes on with its write-ahead log.
 */
int recording_fold(struct recording *recording, struct err *err)
{
	int code = sqlite3_wal_checkpoint_v2(recording->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
					     NULL);

	recording->is_folded = code == SQLITE_OK;
	if (code != SQLITE_OK && code != SQLITE_BUSY)
		return statement_err(recording->db, recording->path, "complete", err);
	return 0;
}

int recording_finish(struct recording *recording, const struct model *model, struct err *err)
{
	int rc = recording_begin(recording, err);

	if (rc < 0)
		return rc;
	rc = recording_end(recording, write_results(recording, model, err), err);
	if (rc == 0) {
		recording->complete = true;
		recording->places_changed = false;
	}
	/*
	 * Fold the journal even if the disk was full, so that as much of it as possible gets into
	 * the file.
	 */
	int folded = recording_fold(recording, rc == 0 ? err : NULL);

	return rc < 0 ? rc : folded;
}

static int write_more_lines(struct recording *recording, const struct model *model, struct err *err)
{
	int rc;

	if (statement_exec(recording->db, "DELETE FROM block WHERE kind IN ('location_function',"
					  " 'location_line')") != SQLITE_OK)
		return statement_err(recording->db, recording->path, "write", err);
	rc = write_names(recording, model, err);
	return rc < 0 ? rc : recording_seal(recording, SEALS_ALL & ~SEALS_OF_TOTALS, err);
}

int recording_keep_lines(struct recording *recording, const struct model *model, struct err *err)
{
	int rc = recording_begin(recording, err);

	if (rc < 0)
		return rc;
	rc = recording_end(recording, write_more_lines(recording, model, err), err);
	int folded = recording_fold(recording, rc == 0 ? err : NULL);

	return rc < 0 ? rc : folded;
}
