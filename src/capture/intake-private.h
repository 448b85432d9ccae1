/* SPDX-License-Identifier: GPL-2.0-or-later */
/* intake-private.h - what samples and waits have in common */
#ifndef ASSAY_CAPTURE_INTAKE_PRIVATE_H
#define ASSAY_CAPTURE_INTAKE_PRIVATE_H

#include "capture/intake.h"

/*
 * Whose the record of the in-kernel sampler is, of the life that it says; a target, where the
 * sampler sends only what was asked for.  NULL: out of memory.
 */
struct live_thread *intake_thread(struct intake *intake, const struct perf_record *record);

/* Was the thread asked for? */
bool intake_is_wanted(const struct intake *intake, const struct live_thread *thread);

/* Whose a sample of the in-kernel sampler is (bpf/wire.h); 0: that was not said. */
uint64_t intake_life(const struct intake *intake, const struct record_sample *sample);

enum context intake_context(const struct intake *intake, const struct perf_record *record,
			    const struct live_thread *thread, const uint64_t *kernel_addrs,
			    size_t kernel_count);

/* A RECORD_WAIT into the batch, as up to three samples. 0 or -ENOMEM. */
int intake_wait(struct intake *intake, const struct source *source,
		const struct perf_record *record, struct sample_batch *batch);

#endif
