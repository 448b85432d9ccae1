/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.h - turns the in-kernel sampler's wait records into samples
 *
 * A wait is an interval in which a task did not run. Its waker is the task that ended the wait.
 *
 *	wait_events_add(model, min_ns, &first_event);		once (model/wait.h)
 *	count = waits_samples(&record, &places, first_event, samples);
 *
 * Before it calls waits_samples(), the caller fills `places`. places.task describes the waiting
 * task: the thread with wait.tgid and wait.tid, the stack with the hash wait.stack, and the context
 * of that stack's kernel part. places.waker describes the waker in the same way. If the record is a
 * sum of short waits, the stack is STACK_ROOT_NONE.
 */
#ifndef ASSAY_INTAKE_WAITS_H
#define ASSAY_INTAKE_WAITS_H

#include <stddef.h>

#include "perf/record.h"
#include "model/context.h"
#include "model/sample.h"

#define WAITS_SAMPLES_MAX 3

struct wait_place {
	uint32_t thread;	/* id of the thread in the model; 0: make no samples for it */
	uint32_t stack;
	enum context context;
};

struct wait_places {
	struct wait_place task, waker;
	uint16_t cpu;
};

/*
 * Makes the samples for @record, which is a RECORD_WAIT. Returns the number of samples. All samples
 * have the timestamp of the record.
 */
size_t waits_samples(const struct perf_record *record, const struct wait_places *places,
		     uint32_t first_event, struct sample ret_samples[static WAITS_SAMPLES_MAX]);

#endif
