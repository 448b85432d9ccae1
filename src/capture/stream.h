/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - merges the records of many rings in time order
 *
 * A stream is a ring, either perf's or the in-kernel sampler's, plus the decoded record at the
 * ring's front. Each ring is in time order by itself. A binary heap over the front records merges
 * the rings. Records are not copied or queued: a record that is too young stays in its ring until
 * the next drain.
 *
 * Why a record can be too young: the kernel reads the clock for a record before the record becomes
 * visible to assay. So an older record of another CPU may still become visible later. The caller
 * therefore merges only records that were already older than a margin when the heads of the rings
 * were read.
 *
 * When a perf ring is full, the kernel drops records. It writes a LOST record only when the ring
 * has room again and there is something to write. The loss happened between the previous record and
 * the LOST record. For process events, this whole interval is in doubt. So a LOST record of process
 * events is given the timestamp of the previous record, and lost.until_ns is the end of the loss.
 * While the LOST record has not arrived, the ring itself is full: see stream_is_cut().
 */
#ifndef ASSAY_CAPTURE_STREAM_H
#define ASSAY_CAPTURE_STREAM_H

#include "base/vec.h"
#include "sampler/bpf_ring.h"
#include "perf/record.h"
#include "perf/ring.h"

struct stream;

/*
 * The operations that merging needs from a ring, one set for perf's rings and one for the in-kernel
 * sampler's.
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
	 * When the ring's head was last read (plus some slack); records with a later timestamp are
	 * invalid
	 */
	uint64_t latest_ns;
	uint64_t last_ns;			/* time of the record before the front record */
	bool was_full;				/* the ring was full when its head was last read */
	/* When the ring last had room again after being full; a LOST record may follow */
	uint64_t freed_ns;
	/* malformed records skipped since the caller last set this to 0 */
	uint64_t malformed;
	uint64_t lost;				/* total count reported by LOST records */
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
 * Consumes the front record of the first stream and decodes that stream's next record. Space is
 * given back to the kernel in eighths of the ring, so that the kernel can write while a full ring
 * is being drained.
 */
void merge_advance(struct merge *merge);

/*
 * Returns true if the stream is a ring of process events that was full and has now been drained
 * completely. Records later than last_ns are then missing.
 */
static inline bool stream_is_cut(const struct stream *stream)
{
	return stream->sideband && stream->was_full && !stream->size_bytes;
}

/*
 * Returns true if the data in the ring has reached the watermark at which the kernel wakes us.
 * Reads only the ring's head.
 */
bool stream_is_pressing(const struct stream *stream);

/*
 * Removes all streams from the merge. Their unread records stay in the rings. The space of consumed
 * records is given back to the kernel.
 */
void merge_end(struct merge *merge);
void merge_fini(struct merge *merge);

#endif
