/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - merges the records of many rings in time order
 *
 * A stream is a ring, either perf's or the in-kernel sampler's, together with the decoded first
 * record of that ring (the front record). The records of one ring are already in time order. A
 * binary heap of the front records merges the rings. Records are neither copied nor queued: a
 * record that is too young to be processed stays in its ring until the next drain.
 *
 * A record can be too young because the kernel reads the clock for a record before assay can see
 * the record. An older record of another CPU may therefore become visible later. The caller
 * processes only records that were older than a certain margin when the heads of the rings were
 * read.
 *
 * When a perf ring is full, the kernel drops records. It writes a LOST record only when the ring
 * has free space again and there is another record to write. The loss happened at some time between
 * the previous record and the LOST record, so process events may be missing from this whole
 * interval. For process events, assay therefore moves the timestamp of the LOST record back to that
 * of the previous record, and sets lost.until_ns to the end of the loss. As long as the LOST record
 * has not arrived, assay detects the loss from the full ring: see stream_is_cut().
 */
#ifndef ASSAY_CAPTURE_STREAM_H
#define ASSAY_CAPTURE_STREAM_H

#include "base/vec.h"
#include "sampler/bpf_ring.h"
#include "perf/record.h"
#include "perf/ring.h"

struct stream;

/*
 * The operations on a stream's ring. One set is for perf's rings, another one for the rings of the
 * in-kernel sampler.
 */
struct stream_ops {
	void (*refresh)(struct stream *stream);
	const void *(*peek)(struct stream *stream, size_t *ret_size_bytes);
	void (*consume)(struct stream *stream);		/* removes the front record from the ring */
	/* gives the space of consumed records back to the kernel */
	void (*release)(struct stream *stream);
	bool (*release_is_due)(const struct stream *stream);
	bool (*is_pressing)(const struct stream *stream);	/* see stream_is_pressing() */
	int (*decode)(const void *bytes, struct stream *stream);	/* sets stream->record */
	/* does nothing if the stream's ring was never mapped */
	void (*unmap)(struct stream *stream);
};

extern const struct stream_ops perf_stream_ops, sampler_stream_ops;

struct stream {
	const struct stream_ops *ops;
	union {
		struct ring ring;		/* with perf_stream_ops */
		struct bpf_ring bpf_ring;	/* with sampler_stream_ops */
	};
	const struct record_layout *layout;	/* layout of the perf ring's records; borrowed */
	/* a stream of process events; of records with equal times, process events come first */
	bool sideband;
	uint32_t cpu;
	/* the decoded front record; valid if size_bytes is not 0 */
	struct perf_record record;
	size_t size_bytes;
	/*
	 * Time at which the ring's head was last read, plus some slack. Records with later
	 * timestamps are invalid.
	 */
	uint64_t latest_ns;
	uint64_t last_ns;			/* time of the record before the front record */
	bool was_full;				/* the ring was full when its head was last read */
	/*
	 * Time at which the full ring was emptied, if a LOST record may still follow; otherwise 0
	 */
	uint64_t freed_ns;
	/* malformed records skipped since the caller last set this to 0 */
	uint64_t malformed;
	uint64_t lost;				/* sum of the counts in the LOST records */
};

/*
 * The streams that have a front record. They form a heap; the stream with the earliest record is
 * first. Streams must not move in memory while they are in the heap.
 */
struct merge {
	VEC(struct stream *) heap;
};

/*
 * Reads the head of the stream's ring, and adds the stream to the merge if the ring contains a
 * record. Returns 0 or -ENOMEM.
 */
int merge_add(struct merge *merge, struct stream *stream);

/* Returns the stream whose front record is earliest, or NULL if no stream is left. */
static inline struct stream *merge_first(const struct merge *merge)
{
	return merge->heap.count ? merge->heap.at[0] : NULL;
}

/*
 * Removes the front record of the first stream from its ring, and decodes the stream's next record.
 * Each time an eighth of the ring has been read, gives the space back to the kernel, so that the
 * kernel can write while a full ring is being drained.
 */
void merge_advance(struct merge *merge);

/*
 * Returns true if the stream is a ring of process events that was full and has now been read
 * completely. Process events after last_ns may then be missing.
 */
static inline bool stream_is_cut(const struct stream *stream)
{
	return stream->sideband && stream->was_full && !stream->size_bytes;
}

/*
 * Returns true if the data in the ring has reached the watermark at which the kernel wakes us. Does
 * not change the stream.
 */
bool stream_is_pressing(const struct stream *stream);

/*
 * Removes all streams from the merge. Their unread records stay in the rings. The space of consumed
 * records is given back to the kernel.
 */
void merge_end(struct merge *merge);
void merge_fini(struct merge *merge);

#endif
