/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_job.h - names the addresses of an image in a reader (readers/readers.h)
 *
 * The reader reads the symbol tables, and demangles the names. For debug files it asks the session.
 * The request (struct name_request) has the addresses, the reply the function of each address, as
 * symbolize/names.h makes them. Both are in the host's byte order:
 *
 *	request	u32 demangle, u32 keep, u32 image, places of debug files (debug_access.h),
 *		u32 count, count u64 addresses
 *	reply	u32 count, count times: u32 loss reason, u64 count
 *		u32 count, count functions: u64 vaddr, u64 size, u32 quality, u32 is a root,
 *			strings: name, linkage name or "", neighbour before or "", after or ""
 *		for each address: u32 number of its function from 1, or 0
 */
#ifndef ASSAY_SYMBOLIZE_NAME_JOB_H
#define ASSAY_SYMBOLIZE_NAME_JOB_H

#include "readers/readers.h"
#include "symbolize/hits.h"

extern const struct reader_job name_job;

/*
 * Asks hits->options->readers to name the addresses, as names_from_table() does. Returns 0, an
 * error of readers_ask() or symbol_table_read(), or -EBADMSG if the reply is invalid. Then no
 * address has got a name.
 */
int name_job_ask(const struct image_hits *hits, const struct image_file *file);

/* Names the addresses by the @reply of a reader. Returns 0, -ENOMEM or -EBADMSG. */
int name_job_take(const struct image_hits *hits, const void *reply, size_t size_bytes);

#endif
