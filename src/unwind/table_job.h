/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_job.h - builds unwind tables in a reader (readers/readers.h)
 *
 * The request is empty. The reply is a table file without a build-id (table_file.h), and is checked
 * as one.
 */
#ifndef ASSAY_UNWIND_TABLE_JOB_H
#define ASSAY_UNWIND_TABLE_JOB_H

#include "readers/readers.h"
#include "unwind/unwind_table.h"

extern const struct reader_job table_job;

/*
 * Asks a reader for the table of an image. Returns 0, an error of readers_ask() or
 * unwind_table_build(), or -EBADMSG if the reply is invalid. On failure *@ret_table is not written.
 */
int table_job_ask(struct readers *readers, const struct image_file *file,
		  struct unwind_table *ret_table);

#endif
