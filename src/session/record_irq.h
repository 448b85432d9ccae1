/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_irq.h - measures interrupt times during a recording (sampler/irq_time.h)
 *
 * Interrupts are timed if sampling is CPU-wide (not per task), unless the user disabled the timing.
 * The recording does not depend on the times: if they cannot be measured, the recording continues
 * without them, and the fact "irq_time" states the reason.
 */
#ifndef ASSAY_SESSION_RECORD_IRQ_H
#define ASSAY_SESSION_RECORD_IRQ_H

#include "sampler/irq_time.h"
#include "session/record_session.h"

/*
 * Prepares the timing of interrupts. Call this after capture_new(), which sets the fact in @model
 * that tells whether sampling is CPU-wide or per task. Returns NULL if interrupts are not timed.
 */
struct irq_time *record_irq_new(const struct record_options *options, struct model *model);

/* The following functions do nothing if @irq_time is NULL. */
void record_irq_enable(struct irq_time *irq_time);
void record_irq_disable(struct irq_time *irq_time);
void record_irq_read(struct irq_time *irq_time, struct model *model);

#endif
