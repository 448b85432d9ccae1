/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk_sync.h - has flushes written to the disk itself now and then, without waiting for it
 *
 * A flush goes to the kernel, so it survives a crash of the recorder, but not a power cut. A call
 * of fdatasync(2) can take seconds on a busy disk, in which the rings of the recorder would
 * overflow. So the kernel is asked to do it in the background, with io_submit(2). Where it refuses,
 * flushes stay with the kernel.
 */
#ifndef ASSAY_STORE_DISK_SYNC_H
#define ASSAY_STORE_DISK_SYNC_H

#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeros are a recording of which nothing was written to the disk yet. */
struct disk_sync {
	aio_context_t context;		/* 0: not set up */
	int log_fd;			/* own descriptor of the write-ahead log; 0: not open */
	unsigned int request_count;	/* all so far */
	unsigned int unanswered_count;
	uint64_t last_ns;		/* time of the last request */
};

#define DISK_SYNC_NS 5000000000ull

/*
 * Call this after each flush of the recording at @path. Starts a request if the last one is
 * DISK_SYNC_NS old and was answered. The first one also writes the file itself, @file_fd, which has
 * the tables.
 */
void disk_sync_start(struct disk_sync *sync, const char *path, int file_fd);

/* Waits for requests that were not answered yet. */
void disk_sync_fini(struct disk_sync *sync);

#endif
