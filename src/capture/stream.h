/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - many rings, one time order
 *
 * A stream is a ring, perf's or the in-kernel sampler's, and the decoded record at its front.  Each
 * ring is in time order by itself; a binary heap over the front records merges them.  Nothing is
 * copied or queued: what is too young stays in its ring until the next drain.
 *
 * Why "too young": the kernel stamps a record before it is visible to us, so another CPU's
 * older record may still be on its way.  The caller therefore merges only up to a moment that
 * lies a margin before the heads were read.
 *
 * What was lost, was lost between the record before it and the LOST record, which the kernel writes
 * when there is room again and something to write.  Of process events everything in between is in
 * doubt, so such a record takes the place right behind the one before it, and says until when.
 * As long as it is not there yet, the ring itself is full: stream_is_cut().
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
	const struct record_layout *layout;	/* of perf's; not owned */
	bool sideband;				/* process events come first at equal times */
	uint32_t cpu;
	struct perf_record record;		/* the front, when size_bytes is not 0 */
	size_t size_bytes;
	uint64_t latest_ns;			/* that a record in the ring can be of */
	uint64_t last_ns;			/* of the record before the front */
	bool was_full;				/* when its head was read */
	uint64_t freed_ns;			/* room again after that; a LOST may come next */
	uint64_t malformed;			/* records passed over since the last look */
	uint64_t lost;				/* by LOST records, in all */
};

/* The streams that have a front record, earliest first. Streams must not move meanwhile. */
struct merge {
	VEC(struct stream *) heap;
};

/* Reads the ring's head and puts the stream into the merge if a record waits. 0 or -ENOMEM. */
int merge_add(struct merge *merge, struct stream *stream);

/* The stream whose front record is earliest, NULL when none is left. */
static inline struct stream *merge_first(const struct merge *merge)
{
	return merge->heap.count ? merge->heap.at[0] : NULL;
}

/*
 * Consumes the front record of the first stream and moves on to its next one.  Space goes back
 * to the kernel in eighths of the ring, so that it can write while a full ring is worked off.
 */
void merge_advance(struct merge *merge);

/* All that a full ring of process events held was taken: from last_ns on something is missing. */
static inline bool stream_is_cut(const struct stream *stream)
{
	return stream->sideband && stream->was_full && !stream->size_bytes;
}

/* Is as much in the ring as the kernel wakes for?  Reads its head, and nothing else. */
bool stream_is_pressing(const struct stream *stream);

/* Forgets the streams; their records stay in the rings, what was consumed is released. */
void merge_end(struct merge *merge);
void merge_fini(struct merge *merge);

#endif
