/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.h - what the sampler says of a wait, as samples
 *
 *	wait_events_add(model, min_ns, &first_event);		once (model/wait.h)
 *	count = waits_samples(&record, &places, first_event, samples);
 *
 * The caller knows threads and stacks: places.task is the thread of wait.tgid and wait.tid with
 * the stack of wait.stack and the context of its kernel part, places.waker the same of the waker;
 * a sum of short waits has STACK_ROOT_NONE.
 */
#ifndef ASSAY_INTAKE_WAITS_H
#define ASSAY_INTAKE_WAITS_H

#include <stddef.h>

#include "perf/record.h"
#include "model/context.h"
#include "model/sample.h"

#define WAITS_SAMPLES_MAX 3

struct wait_place {
	uint32_t thread;	/* of the model; 0: nothing is to be said of it */
	uint32_t stack;
	enum context context;
};

struct wait_places {
	struct wait_place task, waker;
	uint16_t cpu;
};

/* @record is a RECORD_WAIT. How many were filled; they have the record's time. */
size_t waits_samples(const struct perf_record *record, const struct wait_places *places,
		     uint32_t first_event, struct sample ret_samples[static WAITS_SAMPLES_MAX]);

#endif
