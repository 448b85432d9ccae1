/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/read_back.h"

#include "store/dictionary.h"

void owners_fini(struct owners *owners)
{
	vec_free(&owners->process_of);
	vec_free(&owners->application_of);
}

/* A column of ids, which are below @end. */
struct column {
	const char *sql;
	size_t count, end;
};

static int read_column(struct recording *recording, const struct column *column, uint32_t *ids,
		       struct err *err)
{
	_cleanup_statement_ sqlite3_stmt *select = NULL;
	int code, rc = recording_prepare(recording, &select, column->sql, err);

	if (rc < 0)
		return rc;
	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		sqlite3_int64 row = sqlite3_column_int64(select, 0);
		sqlite3_int64 id = sqlite3_column_int64(select, 1);

		if (row > 0 && (uint64_t)row < column->count && id > 0 &&
		    (uint64_t)id < column->end)
			ids[row] = (uint32_t)id;
	}
	return code == SQLITE_DONE ? 0 : statement_err(recording->db, recording->path, "read", err);
}

int owners_read(struct recording *recording, const struct model *model, struct owners *ret_owners,
		struct err *err)
{
	const struct column processes = { "SELECT id, process FROM thread", model->threads.count,
					  model->processes.count };
	const struct column applications = { "SELECT id, application FROM process",
					     model->processes.count, model->applications.count };
	int rc;

	*ret_owners = (struct owners){ 0 };
	if (vec_reserve(&ret_owners->process_of, processes.count) < 0 ||
	    vec_reserve(&ret_owners->application_of, applications.count) < 0)
		return err_sys(err, -ENOMEM, "%s", recording->path);
	ret_owners->process_of.count = processes.count;
	ret_owners->application_of.count = applications.count;
	memset(ret_owners->process_of.at, 0, processes.count * sizeof(uint32_t));
	memset(ret_owners->application_of.at, 0, applications.count * sizeof(uint32_t));
	rc = read_column(recording, &processes, ret_owners->process_of.at, err);
	if (rc < 0)
		return rc;
	return read_column(recording, &applications, ret_owners->application_of.at, err);
}

static int take_stacks(struct model *model, struct dictionary *dictionary)
{
	size_t count = model->stacks.count;

	/* A damaged file lacks the last ones. Their frames are then unknown. */
	if (vec_reserve(&dictionary->stacks, count) < 0)
		return -ENOMEM;
	while (dictionary->stacks.count < count)
		(void)vec_push(&dictionary->stacks);
	free(model->stacks.at);
	model->stacks.at = TAKE_PTR(dictionary->stacks.at);
	model->stacks.capacity = dictionary->stacks.capacity;
	return 0;
}

int recording_read_stacks(struct recording *recording, struct model *model, struct err *err)
{
	_cleanup_(dictionary_fini) struct dictionary dictionary = { 0 };
	int rc = model->first_stack ? dictionary_read(&dictionary, recording->db, DICTIONARY_STACKS)
				    : 0;

	if (rc == -EIO)
		return statement_err(recording->db, recording->path, "read", err);
	if (rc == 0 && model->first_stack)
		rc = take_stacks(model, &dictionary);
	if (rc < 0)
		return err_sys(err, rc, "%s", recording->path);
	model->first_stack = 0;
	return 0;
}
