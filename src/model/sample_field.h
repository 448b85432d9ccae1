/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_field.h - what a sample knows about the memory access that it hit
 *
 * Each field is a counter of the model (event.is_counter), so its column has one value for each
 * sample. Unlike other counters, the values are no amounts, and are never added up. A value of 0
 * means that the sample does not have the field. Whether samples have it depends on the event: page
 * faults and breakpoints have an address, and precise events of processors can have all fields.
 */
#ifndef ASSAY_MODEL_SAMPLE_FIELD_H
#define ASSAY_MODEL_SAMPLE_FIELD_H

#include "model/model.h"

#define EVENT_TYPE_FIELD (UINT32_C(1) << 28)	/* no type of perf_event_attr */

enum sample_field {
	FIELD_DATA_ADDRESS,	/* PERF_SAMPLE_ADDR: virtual address that was accessed */
	FIELD_DATA_SOURCE,	/* PERF_SAMPLE_DATA_SRC: union perf_mem_data_src */
	/* PERF_SAMPLE_WEIGHT: how long the access took, in the processor's unit (mostly cycles) */
	FIELD_LATENCY,
	FIELD_COUNT
};

#define FIELD_NO_COLUMN SIZE_MAX

/* Adds a counter for the field to the model. Returns 0 or -ENOMEM. */
int sample_field_add(struct model *model, enum sample_field field);

static inline bool event_is_field(const struct event *event)
{
	return event->is_counter && event->type == EVENT_TYPE_FIELD && event->config < FIELD_COUNT;
}

/* Returns the field's column in sample_batch.counters, or FIELD_NO_COLUMN. */
size_t sample_field_column(const struct model *model, enum sample_field field);

/*
 * Returns the data source without what sample_field_text() leaves out, so that different values
 * have different texts.
 */
uint64_t data_source_shown(uint64_t source);

#define FIELD_TEXT_MAX 96

/*
 * Writes the value as a text, such as "0x7f0000001040" or "load L3 hit". "[none]": the sample does
 * not have the field.
 */
const char *sample_field_text(enum sample_field field, uint64_t value,
			      char ret_text[static FIELD_TEXT_MAX]);

#endif
