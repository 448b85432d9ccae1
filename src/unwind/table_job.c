/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/table_job.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "unwind/table_file.h"

static const struct table_id no_id = { .bytes = (const uint8_t *)"" };

static int run(struct reader_task *task)
{
	_cleanup_(image_file_fini) struct image_file file = { .fd = -1 };
	_cleanup_(unwind_table_fini) struct unwind_table table = { 0 };
	int rc = image_file_from_fd(TAKE_FD(task->file_fd), "image", &file, NULL);

	if (rc < 0)
		return rc;
	rc = unwind_table_build(&file, &table, NULL);
	return rc < 0 ? rc : table_file_write(task->reply_fd, &no_id, &table);
}

const struct reader_job table_job = { .run = run };

int table_job_ask(struct readers *readers, const struct image_file *file,
		  struct unwind_table *ret_table)
{
	const struct reader_question question = { .job = &table_job, .file_fd = file->fd };
	_cleanup_close_ int reply = -1;
	int rc = readers_ask(readers, &question, &reply);

	return rc < 0 ? rc : table_file_read(reply, &no_id, ret_table);
}
