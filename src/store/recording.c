/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that writers and readers of a recording share: statements, transactions, closing. */
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/companions.h"
#include "store/recording-private.h"

struct recording *recording_new(const char *path)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return NULL;
	recording->lock_fd = -1;
	recording->path = strdup(path);
	if (!recording->path) {
		free(recording);
		return NULL;
	}
	return recording;
}

void recording_close_database(struct recording *recording)
{
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		(void)sqlite3_finalize(TAKE_PTR(recording->insert[i]));
		(void)sqlite3_finalize(TAKE_PTR(recording->insert_many[i]));
	}
	(void)sqlite3_finalize(TAKE_PTR(recording->insert_block));
	(void)sqlite3_finalize(TAKE_PTR(recording->insert_string));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_meta));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_loss));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_ledger));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_health));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_command_line));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_interrupt_time));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_interrupt_victim));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_tick));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_span_total));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_span_bucket));
	(void)sqlite3_finalize(TAKE_PTR(recording->forget_span_buckets));
	(void)sqlite3_finalize(TAKE_PTR(recording->set_span_amount));
	(void)sqlite3_close(TAKE_PTR(recording->db));
}

bool recording_file_is_at(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

enum recording_place recording_place(const struct recording *recording, char *ret_path,
				     size_t path_bytes)
{
	struct stat ours;
	char link[64];
	ssize_t length;

	(void)snprintf(ret_path, path_bytes, "%s", recording->path);
	if (recording->lock_fd < 0 || fstat(recording->lock_fd, &ours) < 0)
		return RECORDING_IN_PLACE;
	if (ours.st_nlink == 0)
		return RECORDING_REMOVED;
	if (recording_file_is_at(recording->lock_fd, recording->path))
		return RECORDING_IN_PLACE;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", recording->lock_fd);
	length = readlink(link, ret_path, path_bytes - 1);
	if (length > 0)
		ret_path[length] = '\0';
	return RECORDING_MOVED;
}

/*
 * Marks the file as one without a write-ahead log. SQLite does not do that for a file that was
 * renamed. The log is empty and was removed. The two bytes of the header are described in
 * https://www.sqlite.org/fileformat.html, section 1.3.
 */
static void end_log_mode(const struct recording *recording)
{
	static const uint8_t versions[] = { 1, 1 };

	(void)!pwrite(recording->lock_fd, versions, sizeof(versions), 18);
}

/* Closes the database of a recording that this process writes, and ends its journals. */
static void close_written(struct recording *recording)
{
	char path[PATH_MAX];
	enum recording_place place = recording_place(recording, path, sizeof(path));
	/* false: there is another recording at the path now, and the companions may be its own */
	bool owns_companions = place == RECORDING_IN_PLACE || access(recording->path, F_OK) < 0;

	/* Otherwise SQLite removes the log by its name. */
	if (recording->db && !owns_companions)
		(void)sqlite3_file_control(recording->db, "main", SQLITE_FCNTL_PERSIST_WAL,
					   &(int){ 1 });
	/* PERSIST keeps the rollback journal, so that nobody else can create it (companions.h). */
	if (recording->db && recording->complete)
		(void)statement_exec(recording->db, "PRAGMA journal_mode = PERSIST");
	recording_close_database(recording);
	if (place == RECORDING_MOVED && recording->is_folded)
		end_log_mode(recording);
	disk_sync_fini(&recording->sync);
	if (owns_companions)
		companions_remove_journal(recording->path);
}

void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	if (recording->lock_fd >= 0)
		close_written(recording);
	else
		recording_close_database(recording);
	recording_forget_older(recording);
	/*
	 * Close the lock's descriptor after the database, because closing any descriptor of the
	 * file drops SQLite's own locks on the file.
	 */
	if (recording->lock_fd >= 0)
		(void)close(recording->lock_fd);
	block_codec_fini(&recording->codec);
	census_fini(&recording->census);
	vec_free(&recording->shadow.instance_counts);
	vec_free(&recording->shadow.facts);
	vec_free(&recording->shadow.healths);
	vec_free(&recording->shadow.ticks);
	vec_free(&recording->shadow.spans);
	vec_free(&recording->shadow.interrupts[0].rows);
	vec_free(&recording->shadow.interrupts[1].rows);
	free(recording->path);
	free(recording);
}

bool recording_is_complete(const struct recording *recording)
{
	return recording->complete;
}

bool recording_is_salvaged(const struct recording *recording)
{
	return recording->state.is_cut && !cut_is_short(&recording->state.cut);
}

bool recording_is_stale(const struct recording *recording)
{
	return recording->state.stale;
}

static uint64_t file_size_bytes(const char *path, const char *suffix)
{
	char name[4096];
	struct stat st;

	(void)snprintf(name, sizeof(name), "%s%s", path, suffix);
	return stat(name, &st) == 0 ? (uint64_t)st.st_size : 0;
}

uint64_t recording_size_bytes(const struct recording *recording)
{
	struct stat st;
	uint64_t journal_bytes = file_size_bytes(recording->path, "-wal");

	if (recording->lock_fd >= 0 && fstat(recording->lock_fd, &st) == 0)
		return (uint64_t)st.st_size + journal_bytes;
	return file_size_bytes(recording->path, "") + journal_bytes;
}

int recording_prepare(struct recording *recording, sqlite3_stmt **statement, const char *sql,
		      struct err *err)
{
	if (*statement)
		return 0;
	if (sqlite3_prepare_v3(recording->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement,
			       NULL) != SQLITE_OK)
		return statement_err(recording->db, recording->path, "prepare", err);
	return 0;
}

int recording_step(struct recording *recording, sqlite3_stmt *statement, struct err *err)
{
	int code = sqlite3_step(statement);
	int rc = 0;

	if (code != SQLITE_DONE && code != SQLITE_ROW)
		rc = statement_err(recording->db, recording->path, "write", err);
	(void)sqlite3_reset(statement);
	return rc;
}

int recording_begin(struct recording *recording, struct err *err)
{
	if (statement_exec(recording->db, "BEGIN IMMEDIATE") != SQLITE_OK)
		return statement_err(recording->db, recording->path, "write", err);
	recording->committed = recording->written;
	return 0;
}

int recording_end(struct recording *recording, int rc, struct err *err)
{
	if (rc == 0 && statement_exec(recording->db, "COMMIT") != SQLITE_OK)
		rc = statement_err(recording->db, recording->path, "write", err);
	if (rc == 0)
		return 0;
	/* After some errors SQLite has already rolled back; ROLLBACK then does nothing. */
	(void)statement_exec(recording->db, "ROLLBACK");
	recording->written = recording->committed;
	recording->census.is_whole = false;
	vec_clear(&recording->shadow.instance_counts);
	vec_clear(&recording->shadow.facts);
	vec_clear(&recording->shadow.ticks);
	vec_clear(&recording->shadow.spans);
	vec_clear(&recording->shadow.healths);
	vec_clear(&recording->shadow.interrupts[0].rows);
	vec_clear(&recording->shadow.interrupts[1].rows);
	recording->shadow.losses = (struct losses){ 0 };
	return rc;
}

int recording_write_block(struct recording *recording, const struct block_header *header,
			  struct err *err)
{
	struct block_codec *codec = &recording->codec;
	sqlite3_stmt *insert;
	int rc = recording_prepare(recording, &recording->insert_block,
				   "INSERT INTO block(kind, first, count, time_min_ns, time_max_ns,"
				   " checksum, data) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
				   err);

	if (rc < 0)
		return rc;
	if (block_pack(codec) < 0)
		return err_sys(err, -ENOMEM, "%s", recording->path);
	insert = recording->insert_block;
	(void)sqlite3_bind_text(insert, 1, block_kind_name(header->kind), -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(insert, 2, (sqlite3_int64)header->first);
	(void)sqlite3_bind_int64(insert, 3, header->count);
	if (header->kind == BLOCK_SAMPLE) {
		(void)sqlite3_bind_int64(insert, 4, (sqlite3_int64)header->time_min_ns);
		(void)sqlite3_bind_int64(insert, 5, (sqlite3_int64)header->time_max_ns);
	} else {
		(void)sqlite3_bind_null(insert, 4);
		(void)sqlite3_bind_null(insert, 5);
	}
	(void)sqlite3_bind_int64(insert, 6,
				 (sqlite3_int64)block_checksum(header, codec->packed.at,
							       codec->packed.count));
	(void)sqlite3_bind_blob64(insert, 7, codec->packed.at, codec->packed.count, SQLITE_STATIC);
	return recording_step(recording, insert, err);
}

int recording_seal(struct recording *recording, uint32_t tables, struct err *err)
{
	int rc = seals_write(&recording->seals, recording->db, tables);

	if (rc == -ENOMEM)
		return err_sys(err, rc, "%s", recording->path);
	return rc < 0 ? statement_err(recording->db, recording->path, "write", err) : 0;
}

int recording_set_meta(struct recording *recording, const char *key, const char *value,
		       struct err *err)
{
	int rc = recording_prepare(recording, &recording->set_meta,
				   "INSERT OR REPLACE INTO meta VALUES(?1, ?2)", err);

	if (rc < 0)
		return rc;
	(void)sqlite3_bind_text(recording->set_meta, 1, key, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(recording->set_meta, 2, value, -1, SQLITE_STATIC);
	return recording_step(recording, recording->set_meta, err);
}
