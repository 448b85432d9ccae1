/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - records of many queues, sorted apart on disk
 *
 * For formats that want the samples of each thread together, while a recording has them in the
 * order of time.  In memory is one chunk for each queue; full ones go to a temporary file without
 * a name, each with the place of its queue's next one.
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
	uint32_t value, context;
};

struct spool_chunk {
	uint64_t next;			/* place of the next one, if this one is full */
	uint64_t count;
	struct spool_record records[SPOOL_CHUNK_RECORDS];
};

struct spool_queue {
	uint64_t first, last;		/* places of chunks in the file */
	uint64_t count;			/* of records */
	struct spool_chunk *chunk;	/* the last one, in memory; NULL: no record yet */
};

struct spool {
	int fd;
	uint64_t end;			/* of the file */
	VEC(struct spool_queue) queues;
};

#define SPOOL_CLOSED { .fd = -1 }

/* The file is in @directory. 0, or a negative errno with a message. */
int spool_open(struct spool *spool, const char *directory, struct err *err);
void spool_close(struct spool *spool);

/* @queue is any small number. 0, or a negative errno with a message. */
int spool_add(struct spool *spool, uint32_t queue, const struct spool_record *record,
	      struct err *err);

/* The records of a queue in their order; stops at what @visit returns but 0, and returns it. */
typedef int (*spool_visit_fn)(void *context, const struct spool_record *record);
int spool_each(const struct spool *spool, uint32_t queue, spool_visit_fn visit, void *context,
	       struct err *err);

#endif
