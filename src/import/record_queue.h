/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_queue.h - records of a file, put into the order of time
 *
 * perf writes one ring after the other, so records of different CPUs stand in its file in no order.
 * At the end of each round it writes FINISHED_ROUND: whatever comes later is younger than all that
 * was written in the round before the one that ended.  So at each mark what is not younger than
 * the youngest record of the round before may go on, in order of time; equal times in order of the
 * file.
 *
 * Bytes are kept in chunks, which are given back when the last record in them has gone on.  A file
 * without marks, or with rounds as large as no recording has, is not trusted: past
 * RECORD_QUEUE_BYTES_MAX the older half goes on; and where marks come faster than records, most of
 * them are passed over, or each would look at all that wait.
 */
#ifndef ASSAY_IMPORT_RECORD_QUEUE_H
#define ASSAY_IMPORT_RECORD_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define RECORD_QUEUE_BYTES_MAX ((size_t)256 << 20)

struct queue_chunk;

struct queued_record {
	uint64_t time_ns;
	uint64_t number;		/* in the order of the file */
	uint8_t *bytes;
	uint32_t size_bytes;
	uint32_t event;			/* of perf_events */
	struct queue_chunk *chunk;
};

struct record_queue {
	VEC(struct queued_record) records;
	struct queue_chunk *chunk;	/* that is being filled */
	size_t bytes;			/* of all chunks */
	uint64_t next_number;
	uint64_t youngest_ns;		/* of all so far, */
	uint64_t round_ns;		/* and at the last mark */
	size_t added;			/* since records went on */
};

void record_queue_fini(struct record_queue *queue);

/* Room for a record, aligned to 8; goes with record_queue_add() or the next call. NULL: memory. */
uint8_t *record_queue_room(struct record_queue *queue, size_t size_bytes);

/* The record that was put there. 0 or -ENOMEM. */
int record_queue_add(struct record_queue *queue, const struct queued_record *record);

/* Takes records in order of time. Not 0 ends the flush, and is what that returns. */
typedef int (*record_queue_fn)(void *context, const struct queued_record *record);

/* At FINISHED_ROUND. */
int record_queue_round(struct record_queue *queue, record_queue_fn visit, void *context);

/* Those that are not younger. */
int record_queue_until(struct record_queue *queue, uint64_t until_ns, record_queue_fn visit,
		       void *context);

/* All that are left. */
int record_queue_end(struct record_queue *queue, record_queue_fn visit, void *context);

/* When there are too many bytes. */
static inline int record_queue_is_full(const struct record_queue *queue)
{
	return queue->bytes > RECORD_QUEUE_BYTES_MAX;
}

int record_queue_halve(struct record_queue *queue, record_queue_fn visit, void *context);

#endif
