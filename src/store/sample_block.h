/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_block.h - samples as the columns of a block
 *
 * Each value is predicted from the previous sample of the same CPU and event in the same block, so
 * that every block can be read alone. "Last" below refers to that sample. Columns, in this order:
 *	cpu		as it is
 *	event		as it is
 *	context		as it is
 *	thread		difference from the last thread
 *	stack		difference from the largest stack id so far: new stacks get ascending
 *			ids, so a new stack's id is just above it
 *	late		0: unknown; otherwise late_ns / SAMPLE_GRAIN_NS + 1
 *	ticks		number of periods from the last tick to this sample's tick, rounded to
 *			an integer, minus one
 *	time		difference between this sample's tick and the tick that `ticks`
 *			predicts: near 0 for most samples, because time_ns - late_ns is
 *			exactly the time of a tick
 *	weight		difference from the last weight
 *	counters	for each counter, difference from its last value
 * The parameters are the stack and the time of the first sample, from which the predictions start,
 * then the period of each event in ns. A period of 0 means that the event has no clock; its ticks
 * are always 0. Differences are zigzag encoded.
 *
 * The time of a tick is stored exactly. The delay of a sample after its tick is noise that does not
 * compress, so it is rounded down to a multiple of SAMPLE_GRAIN_NS. After decoding, time_ns and
 * late_ns can be smaller by up to SAMPLE_GRAIN_NS, but time_ns is never smaller than that of the
 * previous sample. If the lateness is unknown, the time is exact.
 */
#ifndef ASSAY_STORE_SAMPLE_BLOCK_H
#define ASSAY_STORE_SAMPLE_BLOCK_H

#include "model/sample.h"
#include "store/block.h"

#define SAMPLE_COUNTER_MAX 32	/* maximum number of counters of a sample */
#define SAMPLE_GRAIN_NS 128

/*
 * The samples [@from, @from + @count) of @batch. @events has the periods of their events. To write
 * them, call sample_block_encode(), then block_pack().
 */
struct sample_slice {
	const struct sample_batch *batch;
	size_t from;
	uint32_t count;			/* at most BLOCK_COUNT_MAX */
	const struct event *events;
	size_t event_count;
};

int sample_block_encode(struct block_codec *codec, const struct sample_slice *slice);

/*
 * Replaces the content of @batch with the samples of the block that block_unpack() has unpacked
 * into @codec. Returns -EBADMSG if the columns cannot be samples in the time range of @header, or
 * -ENOMEM.
 */
int sample_block_decode(struct block_codec *codec, const struct block_header *header,
			struct sample_batch *batch);

#endif
