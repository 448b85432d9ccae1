/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_queue.h - sort the records of a file by time
 *
 * perf writes the contents of one ring after another, so the records of different CPUs are not in
 * time order in the file. After perf has written out every ring once (a round), it writes a
 * FINISHED_ROUND record (a mark). All records after the mark are later than all records up to the
 * end of the previous round. So at each mark, all records up to the latest timestamp of the
 * previous round are passed on, in time order. Records with equal timestamps keep their order in
 * the file.
 *
 * Before Linux 2.6.38, only samples, forks and exits have times. A record without a time gets that
 * of the next record in the file: this is usually the next record of the same ring, and every time
 * up to it is as good. If no record follows in the round, it keeps the time of the record before.
 *
 * The bytes of records are stored in chunks. A chunk is freed when its last record has been passed
 * on. A damaged file may have no marks, or rounds larger than in any real recording. The size of
 * the queue is therefore limited: if it exceeds RECORD_QUEUE_BYTES_MAX, the older half of the
 * records is passed on. Each mark requires a pass over all waiting records, so a mark is ignored if
 * few records were added since the previous pass.
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
	uint64_t number;		/* serial number in the order of addition */
	uint8_t *bytes;
	uint32_t size_bytes;
	uint32_t event;			/* index in perf_events */
	struct queue_chunk *chunk;
};

struct record_queue {
	VEC(struct queued_record) records;
	struct queue_chunk *chunk;	/* chunk that is being filled */
	size_t bytes;			/* total size of all chunks */
	uint64_t next_number;
	uint64_t youngest_ns;		/* latest timestamp of all records added so far */
	uint64_t round_ns;		/* value of youngest_ns at the last mark */
	size_t added;			/* records added since the last mark that was used */
	uint64_t last_ns;		/* time of the record that was added last */
	size_t untimed;			/* last records of the queue that wait for a time */
};

void record_queue_fini(struct record_queue *queue);

/*
 * Returns a buffer for a record, aligned to 8 bytes, or NULL if there is no memory. The caller
 * writes the record into the buffer and calls record_queue_add() to keep it. If the caller does not
 * call record_queue_add(), the next call of record_queue_room() may return the same buffer.
 */
uint8_t *record_queue_room(struct record_queue *queue, size_t size_bytes);

/*
 * Adds @record. Its bytes must be in the buffer that record_queue_room() returned last. Returns 0
 * or -ENOMEM.
 */
int record_queue_add(struct record_queue *queue, const struct queued_record *record);

/* Like record_queue_add(), but the time of @record is unknown. */
int record_queue_add_untimed(struct record_queue *queue, const struct queued_record *record);

/*
 * Callback that receives the records one by one, in time order. If it returns a value other than 0,
 * it is not called again, the remaining records that were due are dropped, and the function that
 * called it returns this value.
 */
typedef int (*record_queue_fn)(void *context, const struct queued_record *record);

/*
 * Called for a FINISHED_ROUND mark. Passes on the records up to the latest timestamp of the
 * previous round.
 */
int record_queue_round(struct record_queue *queue, record_queue_fn visit, void *context);

/* Passes on all records up to and including @until_ns. */
int record_queue_until(struct record_queue *queue, uint64_t until_ns, record_queue_fn visit,
		       void *context);

/* Passes on all remaining records. */
int record_queue_end(struct record_queue *queue, record_queue_fn visit, void *context);

/*
 * Returns true if the queue exceeds its limit. The caller must then call record_queue_halve(),
 * which passes on the older half of the records.
 */
static inline int record_queue_is_full(const struct record_queue *queue)
{
	return queue->bytes > RECORD_QUEUE_BYTES_MAX;
}

int record_queue_halve(struct record_queue *queue, record_queue_fn visit, void *context);

#endif
