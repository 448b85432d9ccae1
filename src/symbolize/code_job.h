/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_job.h - copies machine code out of an image in a reader (readers/readers.h)
 *
 * There is nothing to parse, but the file may be on a file system that no longer answers. The
 * request is u64 vaddr, u64 size, in the host's byte order; the reply is the code.
 */
#ifndef ASSAY_SYMBOLIZE_CODE_JOB_H
#define ASSAY_SYMBOLIZE_CODE_JOB_H

#include "elf/image_file.h"
#include "readers/readers.h"

extern const struct reader_job code_job;

/*
 * Asks a reader for the code. Returns 0, an error of readers_ask() or image_file_code(), or
 * -EBADMSG if the reply is invalid.
 */
int code_job_ask(struct readers *readers, const struct image_file *file, uint64_t vaddr,
		 size_t size_bytes, void *ret_code);

#endif
