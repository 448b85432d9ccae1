/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sample_block.h"

#include "base/clock.h"
#include "base/cleanup.h"

enum {
	COLUMN_CPU,
	COLUMN_EVENT,
	COLUMN_CONTEXT,
	COLUMN_THREAD,
	COLUMN_STACK,
	COLUMN_LATE,
	COLUMN_TICKS,
	COLUMN_TIME,
	COLUMN_WEIGHT,
	COLUMN_FIXED_COUNT
};

enum {
	PARAMETER_STACK,
	PARAMETER_TIME,
	PARAMETER_PERIODS	/* one for each event */
};

#define SLOT_COUNT 1024

/*
 * Last values of one pair of CPU and event. If two pairs share a slot, the result is still correct,
 * but the predictions are worse.
 */
struct slot {
	uint64_t tick_ns;
	uint64_t weight;
	uint64_t thread;
};

struct predictor {
	struct slot slots[SLOT_COUNT];
	uint64_t stack;			/* largest stack id so far */
	const uint64_t *periods;
	size_t period_count;
	uint32_t counter_count;
	uint64_t counters[];		/* last counter values: counter_count for each slot */
};

static struct predictor *predictor_new(const struct block_codec *codec)
{
	size_t counter_count = codec->column_count - COLUMN_FIXED_COUNT;
	struct predictor *predictor = calloc(1, sizeof(*predictor) + SLOT_COUNT * counter_count *
									     sizeof(uint64_t));

	if (!predictor)
		return NULL;
	for (size_t i = 0; i < SLOT_COUNT; i++)
		predictor->slots[i].tick_ns = codec->parameters.at[PARAMETER_TIME];
	predictor->stack = codec->parameters.at[PARAMETER_STACK];
	predictor->periods = codec->parameters.at + PARAMETER_PERIODS;
	predictor->period_count = codec->parameters.count - PARAMETER_PERIODS;
	predictor->counter_count = (uint32_t)counter_count;
	return predictor;
}

static struct slot *slot_of(struct predictor *predictor, uint64_t cpu, uint64_t event)
{
	return &predictor->slots[(cpu + event * 61) % SLOT_COUNT];
}

static uint64_t *counters_of(struct predictor *predictor, const struct slot *slot)
{
	return predictor->counters + (size_t)(slot - predictor->slots) * predictor->counter_count;
}

static uint64_t period_of(const struct predictor *predictor, uint64_t event)
{
	return event < predictor->period_count ? predictor->periods[event] : 0;
}

/* ---- encoding ---- */

static uint64_t event_period_ns(const struct event *event)
{
	if (!event->is_time || event->is_counter)
		return 0;
	if (event->period)
		return event->period;
	return event->frequency_hz ? NS_PER_SEC / event->frequency_hz : 0;
}

static int put_parameters(struct block_codec *codec, const struct sample_slice *slice)
{
	const struct sample *first = &slice->batch->samples.at[slice->from];
	size_t events = slice->event_count;

	if (events > BLOCK_PARAMETER_MAX - PARAMETER_PERIODS)
		events = BLOCK_PARAMETER_MAX - PARAMETER_PERIODS;
	if (vec_reserve(&codec->parameters, PARAMETER_PERIODS + events) < 0)
		return -ENOMEM;
	codec->parameters.at[PARAMETER_STACK] = first->stack;
	codec->parameters.at[PARAMETER_TIME] = first->time_ns;
	for (size_t i = 0; i < events; i++)
		codec->parameters.at[PARAMETER_PERIODS + i] = event_period_ns(&slice->events[i]);
	codec->parameters.count = PARAMETER_PERIODS + events;
	return 0;
}

static void encode_time(struct block_codec *codec, uint32_t i, const struct sample *sample,
			struct slot *slot, uint64_t period_ns)
{
	bool known = sample->late_ns != LATE_UNKNOWN;
	uint64_t late = known ? (uint32_t)sample->late_ns : 0;
	uint64_t tick_ns = sample->time_ns - late;
	uint64_t since = tick_ns - slot->tick_ns;
	uint64_t ticks = 0;

	if (period_ns && (int64_t)since > 0)
		ticks = (since + period_ns / 2) / period_ns;
	block_column(codec, COLUMN_LATE)[i] = known ? late / SAMPLE_GRAIN_NS + 1 : 0;
	block_column(codec, COLUMN_TICKS)[i] = period_ns ? zigzag(ticks - 1) : 0;
	block_column(codec, COLUMN_TIME)[i] = zigzag(since - ticks * period_ns);
	slot->tick_ns = tick_ns;
}

static void encode_one(struct block_codec *codec, struct predictor *predictor, uint32_t i,
		       const struct sample *sample, const uint64_t *counters)
{
	struct slot *slot = slot_of(predictor, sample->cpu, sample->event);
	uint64_t *last_counters = counters_of(predictor, slot);

	block_column(codec, COLUMN_CPU)[i] = sample->cpu;
	block_column(codec, COLUMN_EVENT)[i] = sample->event;
	block_column(codec, COLUMN_CONTEXT)[i] = sample->context;
	block_column(codec, COLUMN_THREAD)[i] = zigzag(sample->thread - slot->thread);
	block_column(codec, COLUMN_STACK)[i] = zigzag(sample->stack - predictor->stack);
	block_column(codec, COLUMN_WEIGHT)[i] = zigzag(sample->weight - slot->weight);
	encode_time(codec, i, sample, slot, period_of(predictor, sample->event));
	for (uint32_t c = 0; c < predictor->counter_count; c++) {
		block_column(codec,
			     COLUMN_FIXED_COUNT + c)[i] = zigzag(counters[c] - last_counters[c]);
		last_counters[c] = counters[c];
	}
	slot->thread = sample->thread;
	slot->weight = sample->weight;
	if (sample->stack > predictor->stack)
		predictor->stack = sample->stack;
}

int sample_block_encode(struct block_codec *codec, const struct sample_slice *slice)
{
	const struct sample_batch *batch = slice->batch;
	_cleanup_free_ struct predictor *predictor = NULL;
	uint32_t counters = batch->counter_count;

	if (counters > SAMPLE_COUNTER_MAX)
		return -EINVAL;
	if (block_begin(codec, slice->count, COLUMN_FIXED_COUNT + counters) < 0 ||
	    put_parameters(codec, slice) < 0)
		return -ENOMEM;
	predictor = predictor_new(codec);
	if (!predictor)
		return -ENOMEM;
	for (uint32_t i = 0; i < slice->count; i++)
		encode_one(codec, predictor, i, &batch->samples.at[slice->from + i],
			   batch->counters.at + (slice->from + i) * counters);
	return 0;
}

/* ---- decoding ---- */

/* One row of the fixed columns. */
struct row {
	uint64_t at[COLUMN_FIXED_COUNT];
};

static void decode_time(const struct row *row, struct sample *sample, struct slot *slot,
			uint64_t period_ns)
{
	uint64_t late = row->at[COLUMN_LATE];
	uint64_t behind = late ? (late - 1) * SAMPLE_GRAIN_NS : 0;
	uint64_t since = unzigzag(row->at[COLUMN_TIME]);

	if (period_ns)
		since += (unzigzag(row->at[COLUMN_TICKS]) + 1) * period_ns;
	slot->tick_ns += since;
	sample->late_ns = late ? (int32_t)(behind & INT32_MAX) : LATE_UNKNOWN;
	sample->time_ns = slot->tick_ns + behind;
}

static void decode_counters(struct block_codec *codec, struct predictor *predictor, uint32_t i,
			    const struct slot *slot, uint64_t *counters)
{
	uint64_t *last_counters = counters_of(predictor, slot);

	for (uint32_t c = 0; c < predictor->counter_count; c++) {
		last_counters[c] += unzigzag(block_column(codec, COLUMN_FIXED_COUNT + c)[i]);
		counters[c] = last_counters[c];
	}
}

/* Returns the slot that the sample belongs to. */
static inline struct slot *decode_one(struct predictor *predictor, const struct row *row,
				      struct sample *sample)
{
	uint64_t event = row->at[COLUMN_EVENT];
	struct slot *slot = slot_of(predictor, row->at[COLUMN_CPU], event);

	slot->thread += unzigzag(row->at[COLUMN_THREAD]);
	slot->weight += unzigzag(row->at[COLUMN_WEIGHT]);
	*sample = (struct sample){
		.weight = slot->weight,
		.thread = (uint32_t)slot->thread,
		.stack = (uint32_t)(predictor->stack + unzigzag(row->at[COLUMN_STACK])),
		.cpu = (uint16_t)row->at[COLUMN_CPU],
		.event = (uint8_t)event,
		.context = (uint8_t)row->at[COLUMN_CONTEXT],
	};
	decode_time(row, sample, slot, period_of(predictor, event));
	if (sample->stack > predictor->stack)
		predictor->stack = sample->stack;
	return slot;
}

static int size_batch(struct sample_batch *batch, size_t count, uint32_t counter_count)
{
	if (vec_reserve(&batch->samples, count) < 0 ||
	    vec_reserve(&batch->counters, count * counter_count) < 0)
		return -ENOMEM;
	batch->samples.count = count;
	batch->counters.count = count * counter_count;
	batch->counter_count = counter_count;
	return 0;
}

/*
 * Corrects the time of @sample if it is before the previous sample or before the start of the
 * block. Both can happen because lateness was rounded down. Returns false if the sample is further
 * outside its block than rounding explains.
 */
static bool settle_time(struct sample *sample, const struct block_header *header, uint64_t *last_ns)
{
	uint64_t time_ns = sample->time_ns;

	if (time_ns < *last_ns && *last_ns - time_ns < SAMPLE_GRAIN_NS)
		sample->time_ns = *last_ns;
	*last_ns = sample->time_ns;
	return sample->time_ns >= header->time_min_ns && time_ns <= header->time_max_ns;
}

int sample_block_decode(struct block_codec *codec, const struct block_header *header,
			struct sample_batch *batch)
{
	uint64_t last_ns = header->time_min_ns;
	_cleanup_free_ struct predictor *predictor = NULL;
	const uint64_t *columns;
	uint32_t counters, count = codec->count;

	if (codec->parameters.count < PARAMETER_PERIODS ||
	    codec->column_count < COLUMN_FIXED_COUNT ||
	    codec->column_count > COLUMN_FIXED_COUNT + SAMPLE_COUNTER_MAX)
		return -EBADMSG;
	predictor = predictor_new(codec);
	if (!predictor)
		return -ENOMEM;
	counters = predictor->counter_count;
	if (size_batch(batch, count, counters) < 0)
		return -ENOMEM;
	columns = codec->values.at;
	for (uint32_t i = 0; i < count; i++) {
		struct sample *sample = &batch->samples.at[i];
		struct row row;
		struct slot *slot;

		for (size_t column = 0; column < COLUMN_FIXED_COUNT; column++)
			row.at[column] = columns[column * count + i];
		slot = decode_one(predictor, &row, sample);
		if (counters)
			decode_counters(codec, predictor, i, slot,
					batch->counters.at + (size_t)i * counters);
		if (!settle_time(sample, header, &last_ns))
			return -EBADMSG;
	}
	return 0;
}
