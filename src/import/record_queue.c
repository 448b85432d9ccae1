/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/record_queue.h"

#include <stdbool.h>

#define CHUNK_BYTES ((size_t)1 << 20)	/* more than the largest record */

struct queue_chunk {
	size_t used_bytes;
	size_t record_count;
	_Alignas(8) uint8_t bytes[CHUNK_BYTES];
};

static void free_chunk(struct record_queue *queue, struct queue_chunk *chunk)
{
	if (chunk) {
		queue->bytes -= CHUNK_BYTES;
		free(chunk);
	}
}

static void drop(struct record_queue *queue, const struct queued_record *record)
{
	if (--record->chunk->record_count == 0 && record->chunk != queue->chunk)
		free_chunk(queue, record->chunk);
}

void record_queue_fini(struct record_queue *queue)
{
	for (size_t i = 0; i < queue->records.count; i++)
		drop(queue, &queue->records.at[i]);
	free_chunk(queue, queue->chunk);
	queue->chunk = NULL;
	vec_free(&queue->records);
}

uint8_t *record_queue_room(struct record_queue *queue, size_t size_bytes)
{
	struct queue_chunk *chunk = queue->chunk;

	if (chunk && chunk->record_count == 0)
		chunk->used_bytes = 0;
	if (chunk && CHUNK_BYTES - chunk->used_bytes >= size_bytes)
		return chunk->bytes + chunk->used_bytes;
	if (size_bytes > CHUNK_BYTES)
		return NULL;
	chunk = malloc(sizeof(*chunk));
	if (!chunk)
		return NULL;
	chunk->used_bytes = 0;
	chunk->record_count = 0;
	queue->chunk = chunk;
	queue->bytes += CHUNK_BYTES;
	return chunk->bytes;
}

static int add(struct record_queue *queue, const struct queued_record *record)
{
	struct queued_record *slot = vec_push(&queue->records);

	if (!slot)
		return -ENOMEM;
	*slot = *record;
	slot->number = queue->next_number++;
	slot->chunk = queue->chunk;
	queue->chunk->used_bytes += (record->size_bytes + 7u) & ~(size_t)7;
	if (queue->chunk->used_bytes > CHUNK_BYTES)
		queue->chunk->used_bytes = CHUNK_BYTES;
	queue->chunk->record_count++;
	queue->added++;
	queue->last_ns = record->time_ns;
	if (record->time_ns > queue->youngest_ns)
		queue->youngest_ns = record->time_ns;
	return 0;
}

int record_queue_add(struct record_queue *queue, const struct queued_record *record)
{
	struct queued_record *end = queue->records.at + queue->records.count;

	for (; queue->untimed; queue->untimed--)
		(--end)->time_ns = record->time_ns;
	return add(queue, record);
}

int record_queue_add_untimed(struct record_queue *queue, const struct queued_record *record)
{
	struct queued_record copy = *record;
	int rc;

	copy.time_ns = queue->last_ns;
	rc = add(queue, &copy);
	queue->untimed += rc == 0;
	return rc;
}

/* ---- order ---- */

static int compare(const void *a, const void *b)
{
	const struct queued_record *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return left->number < right->number ? -1 : 1;
}

/*
 * Calls @visit with the first @count records, which must be sorted, and removes them from the
 * queue.
 */
static int visit_first(struct record_queue *queue, size_t count, record_queue_fn visit,
		       void *context)
{
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		if (rc == 0)
			rc = visit(context, &queue->records.at[i]);
		drop(queue, &queue->records.at[i]);
	}
	if (count == 0)
		return 0;
	queue->records.count -= count;
	memmove(queue->records.at, queue->records.at + count,
		queue->records.count * sizeof(*queue->records.at));
	return rc;
}

/*
 * Moves the records with timestamps up to @until_ns to the front and sorts them. Later records
 * remain unsorted. Returns the number of sorted records.
 */
static size_t sort_until(struct record_queue *queue, uint64_t until_ns)
{
	struct queued_record *at = queue->records.at;
	size_t count = 0;

	queue->untimed = 0;
	for (size_t i = 0; i < queue->records.count; i++) {
		if (at[i].time_ns <= until_ns) {
			struct queued_record earlier = at[i];

			at[i] = at[count];
			at[count++] = earlier;
		}
	}
	if (count)
		qsort(at, count, sizeof(*at), compare);
	return count;
}

int record_queue_round(struct record_queue *queue, record_queue_fn visit, void *context)
{
	uint64_t until_ns = queue->round_ns;

	queue->round_ns = queue->youngest_ns;
	queue->untimed = 0;
	if (queue->added < queue->records.count / 16)
		return 0;
	queue->added = 0;
	return record_queue_until(queue, until_ns, visit, context);
}

int record_queue_until(struct record_queue *queue, uint64_t until_ns, record_queue_fn visit,
		       void *context)
{
	return visit_first(queue, sort_until(queue, until_ns), visit, context);
}

int record_queue_end(struct record_queue *queue, record_queue_fn visit, void *context)
{
	return record_queue_until(queue, UINT64_MAX, visit, context);
}

int record_queue_halve(struct record_queue *queue, record_queue_fn visit, void *context)
{
	size_t count = sort_until(queue, UINT64_MAX);

	return visit_first(queue, (count + 1) / 2, visit, context);
}
