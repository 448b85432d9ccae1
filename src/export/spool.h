/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - sorts records into many queues on disk
 *
 * Some formats need all samples of a thread together, but a recording has the samples of all
 * threads in order of time. So the samples of each thread are collected in a queue. A queue
 * consists of chunks, each with a fixed number of records. Only the last chunk of each queue is in
 * memory; full chunks are written to a temporary file without a name. Each written chunk contains
 * the file offset of the next chunk of its queue.
 */
#ifndef ASSAY_EXPORT_SPOOL_H
#define ASSAY_EXPORT_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define SPOOL_CHUNK_RECORDS 128

struct spool_record {
	uint64_t time_ns, weight;
	uint32_t value;
	uint16_t context, event;
};

struct spool_chunk {
	/* file offset of the next chunk of the queue; valid only if this chunk is full */
	uint64_t next;
	uint64_t count;
	struct spool_record records[SPOOL_CHUNK_RECORDS];
};

struct spool_queue {
	uint64_t first, last;		/* file offsets of the queue's first and last chunk */
	uint64_t count;			/* number of records in the queue */
	struct spool_chunk *chunk;	/* last chunk, in memory; NULL: the queue is empty */
};

struct spool {
	int fd;
	uint64_t end;			/* file offset for the next new chunk */
	VEC(struct spool_queue) queues;
};

#define SPOOL_CLOSED { .fd = -1 }

/* Creates the temporary file in @directory. Returns 0, or a negative errno with a message. */
int spool_open(struct spool *spool, const char *directory, struct err *err);
void spool_close(struct spool *spool);

/*
 * Appends a record to the queue with number @queue. Queue numbers should be small, because they are
 * array indices. Returns 0, or a negative errno with a message.
 */
int spool_add(struct spool *spool, uint32_t queue, const struct spool_record *record,
	      struct err *err);

/*
 * Calls @visit with each record of a queue, in the order in which the records were added. Stops
 * when @visit returns non-zero, and returns that value.
 */
typedef int (*spool_visit_fn)(void *context, const struct spool_record *record);
int spool_each(const struct spool *spool, uint32_t queue, spool_visit_fn visit, void *context,
	       struct err *err);

#endif
