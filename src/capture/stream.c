/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/stream.h"

#include "base/clock.h"
#include "sampler/wire_record.h"

#define CLOCK_SLACK_NS NS_PER_SEC

/* ---- perf's rings ---- */

static void perf_refresh(struct stream *stream)
{
	ring_refresh(&stream->ring);
}

static const void *perf_peek(struct stream *stream, size_t *ret_size_bytes)
{
	return ring_peek(&stream->ring, ret_size_bytes);
}

static void perf_consume(struct stream *stream)
{
	ring_consume(&stream->ring, stream->size_bytes);
}

static void perf_release(struct stream *stream)
{
	ring_release(&stream->ring);
}

static bool perf_release_is_due(const struct stream *stream)
{
	return ring_release_is_due(&stream->ring);
}

static bool perf_is_pressing(const struct stream *stream)
{
	struct ring ring = stream->ring;

	if (!ring.control)
		return false;
	ring_refresh(&ring);
	return ring.head - ring.tail >= ring.size_bytes / 8;
}

static int perf_decode(const void *bytes, struct stream *stream)
{
	return record_decode(bytes, stream->size_bytes, stream->layout, &stream->record);
}

static void perf_unmap(struct stream *stream)
{
	ring_unmap(&stream->ring);
}

const struct stream_ops perf_stream_ops = {
	.refresh = perf_refresh,
	.peek = perf_peek,
	.consume = perf_consume,
	.release = perf_release,
	.release_is_due = perf_release_is_due,
	.is_pressing = perf_is_pressing,
	.decode = perf_decode,
	.unmap = perf_unmap,
};

/* ---- the rings of the in-kernel sampler ---- */

static void sampler_refresh(struct stream *stream)
{
	bpf_ring_refresh(&stream->bpf_ring);
}

static const void *sampler_peek(struct stream *stream, size_t *ret_size_bytes)
{
	return bpf_ring_peek(&stream->bpf_ring, ret_size_bytes);
}

static void sampler_consume(struct stream *stream)
{
	bpf_ring_consume(&stream->bpf_ring, stream->size_bytes);
}

static void sampler_release(struct stream *stream)
{
	bpf_ring_release(&stream->bpf_ring);
}

static bool sampler_release_is_due(const struct stream *stream)
{
	return bpf_ring_release_is_due(&stream->bpf_ring);
}

static bool sampler_is_pressing(const struct stream *stream)
{
	struct bpf_ring ring = stream->bpf_ring;

	bpf_ring_refresh(&ring);
	return ring.head - ring.tail >= BPF_RING_WAKEUP_BYTES ||
	       ring.head - ring.tail >= ring.size_bytes / 8;
}

static int sampler_decode(const void *bytes, struct stream *stream)
{
	struct wire_record wire;
	int rc = wire_record_decode(bytes, stream->size_bytes, &wire);

	if (rc < 0)
		return rc;
	wire_record_translate(&wire, stream->cpu, &stream->record);
	return 0;
}

static void sampler_unmap(struct stream *stream)
{
	bpf_ring_unmap(&stream->bpf_ring);
}

const struct stream_ops sampler_stream_ops = {
	.refresh = sampler_refresh,
	.peek = sampler_peek,
	.consume = sampler_consume,
	.release = sampler_release,
	.release_is_due = sampler_release_is_due,
	.is_pressing = sampler_is_pressing,
	.decode = sampler_decode,
	.unmap = sampler_unmap,
};

bool stream_is_pressing(const struct stream *stream)
{
	return stream->ops->is_pressing(stream);
}

/* ---- losses ---- */

/*
 * Maximum size of a process event: two paths and some hundred bytes. A ring with less free space
 * than this is considered full.
 */
#define ROOM_BYTES 8704u

static bool is_full(const struct ring *ring)
{
	return ring->control && ring->head - ring->tail + ROOM_BYTES > ring->size_bytes;
}

/*
 * If the front record is a LOST record of process events, sets its timestamp to the time of the
 * previous record, which is the beginning of the loss, and lost.until_ns to the end of the loss.
 *
 * Usually the loss ended when the LOST record was written. If the reader has emptied the full ring,
 * the loss ended at that time (freed_ns), even if the LOST record was written much later. This
 * holds only if the LOST record is the first record after freed_ns. If another record comes first,
 * nothing was lost while the ring was full, and a later LOST record reports a new loss.
 */
static void place_loss(struct stream *stream)
{
	struct perf_record *record = &stream->record;
	uint64_t freed_ns = stream->freed_ns;

	if (!stream->sideband)
		return;
	stream->freed_ns = 0;
	if (record->kind != RECORD_LOST)
		return;
	record->lost.process_events = true;
	record->lost.until_ns = record->time_ns;
	if (freed_ns && freed_ns < record->time_ns)
		record->lost.until_ns = freed_ns;
	if (record->lost.until_ns < stream->last_ns)
		record->lost.until_ns = stream->last_ns;
	record->time_ns = stream->last_ns;
}

/* ---- time order ---- */

/*
 * Decodes the next record. Skips invalid records. Sets size_bytes to 0 if no record is left. A
 * record with a timestamp in the future is invalid, too: it would stay at the front of the ring
 * until that time, and the ring would fill up.
 */
static void load_front(struct stream *stream)
{
	const void *bytes;

	while ((bytes = stream->ops->peek(stream, &stream->size_bytes)) != NULL) {
		if (stream->ops->decode(bytes, stream) == 0 &&
		    stream->record.time_ns <= stream->latest_ns) {
			place_loss(stream);
			return;
		}
		stream->malformed++;
		stream->freed_ns = 0;
		stream->ops->consume(stream);
	}
	stream->size_bytes = 0;
}

static bool earlier(const struct stream *a, const struct stream *b)
{
	if (a->record.time_ns != b->record.time_ns)
		return a->record.time_ns < b->record.time_ns;
	return a->sideband && !b->sideband;
}

static void sift_down(struct merge *merge, size_t at)
{
	struct stream **heap = merge->heap.at;
	size_t count = merge->heap.count;

	for (;;) {
		size_t least = at, left = 2 * at + 1, right = 2 * at + 2;
		struct stream *held = heap[at];

		if (left < count && earlier(heap[left], heap[least]))
			least = left;
		if (right < count && earlier(heap[right], heap[least]))
			least = right;
		if (least == at)
			return;
		heap[at] = heap[least];
		heap[least] = held;
		at = least;
	}
}

int merge_add(struct merge *merge, struct stream *stream)
{
	struct stream **slot;
	size_t at;

	stream->ops->refresh(stream);
	stream->latest_ns = clock_monotonic_ns() + CLOCK_SLACK_NS;
	stream->was_full = stream->sideband && is_full(&stream->ring);
	load_front(stream);
	if (!stream->size_bytes)
		return 0;
	slot = vec_push(&merge->heap);
	if (!slot)
		return -ENOMEM;
	*slot = stream;
	for (at = merge->heap.count - 1; at > 0; at = (at - 1) / 2) {
		struct stream **heap = merge->heap.at, *parent = heap[(at - 1) / 2];

		if (!earlier(stream, parent))
			break;
		heap[(at - 1) / 2] = stream;
		heap[at] = parent;
	}
	return 0;
}

void merge_advance(struct merge *merge)
{
	struct stream *stream = merge->heap.at[0];

	if (stream->record.kind == RECORD_LOST && !stream->record.lost.samples)
		stream->lost += stream->record.lost.count;
	stream->last_ns = stream->record.time_ns;
	stream->ops->consume(stream);
	if (stream->ops->release_is_due(stream))
		stream->ops->release(stream);
	load_front(stream);
	if (!stream->size_bytes) {
		stream->ops->release(stream);
		merge->heap.at[0] = merge->heap.at[--merge->heap.count];
	}
	if (merge->heap.count)
		sift_down(merge, 0);
}

void merge_end(struct merge *merge)
{
	for (size_t i = 0; i < merge->heap.count; i++)
		merge->heap.at[i]->ops->release(merge->heap.at[i]);
	vec_clear(&merge->heap);
}

void merge_fini(struct merge *merge)
{
	vec_free(&merge->heap);
}
