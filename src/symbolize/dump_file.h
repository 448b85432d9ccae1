/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_file.h - an open jitdump, on a file system that may stop answering
 *
 * JIT compilers write jitdumps where the user of the program has files, which is often a network
 * file system. If such a file system stops answering, whoever reads waits for ever. So a file that
 * the opener doubts is read by a reader (readers/readers.h). If the reader gets no answer either,
 * the file is silent, and is not asked again.
 */
#ifndef ASSAY_SYMBOLIZE_DUMP_FILE_H
#define ASSAY_SYMBOLIZE_DUMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/file_opener.h"
#include "readers/readers.h"

/*
 * Copies bytes out of a file. The request is u64 offset, u64 size, in the host's byte order; the
 * reply is u64 size of the file, u32 mode, u32 uid, and the bytes that the file has there.
 */
extern const struct reader_job copy_job;

#define DUMP_FILE_READ_MAX (16u << 20)	/* in bytes, of one dump_file_read() */

struct dump_file {
	int fd;				/* -1: there is none */
	struct file_opener *opener;	/* borrowed, closes the file; or NULL */
	struct readers *readers;	/* borrowed, read the file; NULL: this process does */
	bool is_silent;
};

struct dump_file_state {
	uint64_t size_bytes;
	uint32_t mode;		/* type and permissions, as in stat(2) */
	uint32_t uid;
};

/* Takes ownership of @fd, which @opener may have opened. @opener and @readers may be NULL. */
struct dump_file dump_file_of(int fd, struct file_opener *opener, struct readers *readers);
void dump_file_close(struct dump_file *file);	/* sets fd to -1 */

/* Returns 0, -ETIMEDOUT if the file is silent, or another negative errno. */
int dump_file_look(struct dump_file *file, struct dump_file_state *ret_state);

/*
 * Reads @size_bytes, at most DUMP_FILE_READ_MAX, at offset @at. Returns how many bytes the file had
 * there; if there are fewer than asked for, the file may be silent.
 */
size_t dump_file_read(struct dump_file *file, void *ret_bytes, size_t size_bytes, uint64_t at);

#endif
