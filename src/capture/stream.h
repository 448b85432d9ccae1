/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - merges many rings into one time order
 *
 * A stream is a ring, either perf's or the in-kernel sampler's, plus the decoded record at its
 * front. Each ring is in time order by itself. A binary heap over the front records merges the
 * rings. Records are not copied or queued: a record that is too young stays in its ring until the
 * next drain.
 *
 * Why a record can be too young: the kernel puts the time into a record before the record becomes
 * visible to assay, so an older record of another CPU may still be on its way. The caller therefore
 * merges only records older than a margin before the ring heads were read.
 *
 * The kernel writes a LOST record only when the ring has room again and there is something to
 * write. The loss happened between the previous record and the LOST record. For process events,
 * everything in between is in doubt. So a LOST record of process events is given the time of the
 * previous record, and lost.until_ns says when the loss ended. While the LOST record has not
 * arrived, the ring itself is full: see stream_is_cut().
 */
#ifndef ASSAY_CAPTURE_STREAM_H
#define ASSAY_CAPTURE_STREAM_H

#include "base/vec.h"
#include "sampler/bpf_ring.h"
#include "perf/record.h"
#include "perf/ring.h"

struct stream;

/* What merging needs of a ring, which is perf's or the in-kernel sampler's. */
struct stream_ops {
	void (*refresh)(struct stream *stream);
	const void *(*peek)(struct stream *stream, size_t *ret_size_bytes);
	void (*consume)(struct stream *stream);		/* the front record */
	void (*release)(struct stream *stream);		/* hands consumed space to the kernel */
	bool (*release_is_due)(const struct stream *stream);
	bool (*is_pressing)(const struct stream *stream);	/* see stream_is_pressing() */
	int (*decode)(const void *bytes, struct stream *stream);	/* into stream->record */
	void (*unmap)(struct stream *stream);		/* also of a ring that was never mapped */
};

extern const struct stream_ops perf_stream_ops, sampler_stream_ops;

struct stream {
	const struct stream_ops *ops;
	union {
		struct ring ring;		/* of perf_stream_ops */
		struct bpf_ring bpf_ring;	/* of sampler_stream_ops */
	};
	const struct record_layout *layout;	/* layout of the perf ring's records; borrowed */
	/* A stream of process events; these come first at equal times */
	bool sideband;
	uint32_t cpu;
	struct perf_record record;		/* the front record; valid if size_bytes is not 0 */
	size_t size_bytes;
	/* Latest time that any record in the ring can have */
	uint64_t latest_ns;
	uint64_t last_ns;			/* time of the record before the front record */
	bool was_full;				/* the ring was full when its head was last read */
	/* When the ring last had room again after being full; a LOST record may follow */
	uint64_t freed_ns;
	uint64_t malformed;			/* malformed records skipped since the last check */
	uint64_t lost;				/* total count reported by LOST records */
};

/*
 * The streams that have a front record, ordered as a heap with the earliest first. Streams must not
 * move in memory while they are in the heap.
 */
struct merge {
	VEC(struct stream *) heap;
};

/*
 * Reads the head of the stream's ring and adds the stream to the merge if a record is waiting.
 * Returns 0 or -ENOMEM.
 */
int merge_add(struct merge *merge, struct stream *stream);

/* Returns the stream whose front record is earliest, or NULL if no stream is left. */
static inline struct stream *merge_first(const struct merge *merge)
{
	return merge->heap.count ? merge->heap.at[0] : NULL;
}

/*
 * Consumes the front record of the first stream and loads its next record. Space is given back to
 * the kernel in eighths of the ring, so that the kernel can write while a full ring is being
 * drained.
 */
void merge_advance(struct merge *merge);

/*
 * Returns true if a full ring of process events was drained completely: records from last_ns on are
 * missing.
 */
static inline bool stream_is_cut(const struct stream *stream)
{
	return stream->sideband && stream->was_full && !stream->size_bytes;
}

/*
 * Returns true if the ring holds at least a watermark's worth of data. Reads only the ring's head.
 */
bool stream_is_pressing(const struct stream *stream);

/*
 * Removes all streams from the merge. Their unread records stay in the rings. The space of consumed
 * records is given back to the kernel.
 */
void merge_end(struct merge *merge);
void merge_fini(struct merge *merge);

#endif
