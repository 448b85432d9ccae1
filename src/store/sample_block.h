/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_block.h - samples as the columns of a block
 *
 * Each value is predicted from what the same (cpu, event) did last inside the block, so that
 * every block can be read alone.  Columns, in this order:
 *	cpu		as it is
 *	event		as it is
 *	context		as it is
 *	thread		difference to the last thread of the (cpu, event)
 *	stack		difference to the largest stack id so far: ids are given in order, so that a
 *			stack seen for the first time is the next but few
 *	late		0 unknown, else late_ns / SAMPLE_GRAIN_NS + 1
 *	ticks		whole periods since the last tick of the (cpu, event), less one
 *	time		what then remains: time_ns - late_ns is a tick, so mostly nothing
 *	weight		difference to the last weight of the (cpu, event)
 *	counters	each: difference to the last of the (cpu, event)
 * Parameters: the first sample's stack and time, where the predictions begin, then for each
 * event its period in ns (0: no clock; ticks is then always 0).
 * Differences are zigzag.
 *
 * A tick is exact.  How far a sample lies behind it is noise that does not compress, and kept
 * to SAMPLE_GRAIN_NS: time_ns and late_ns come back up to that much earlier, but no earlier
 * than the sample before.  The time of a sample without lateness is exact.
 */
#ifndef ASSAY_STORE_SAMPLE_BLOCK_H
#define ASSAY_STORE_SAMPLE_BLOCK_H

#include "model/sample.h"
#include "store/block.h"

#define SAMPLE_COUNTER_MAX 32	/* counters a sample can carry */
#define SAMPLE_GRAIN_NS 128

/* Samples [@from, @from + @count) of @batch; @events tells periods. Then block_pack(). */
struct sample_slice {
	const struct sample_batch *batch;
	size_t from;
	uint32_t count;			/* <= BLOCK_COUNT_MAX */
	const struct event *events;
	size_t event_count;
};

int sample_block_encode(struct block_codec *codec, const struct sample_slice *slice);

/*
 * Replaces the content of @batch with what block_unpack() has read. -EBADMSG when the columns
 * cannot be samples of @header's time range, -ENOMEM.
 */
int sample_block_decode(struct block_codec *codec, const struct block_header *header,
			struct sample_batch *batch);

#endif
