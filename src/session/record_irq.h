/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_irq.h - timing interrupts beside a recording (sampler/irq_time.h)
 *
 * Wherever CPUs are sampled and not tasks, unless it was left out.  It is an addition: where it
 * cannot be had the recording goes on without, and its fact "irq_time" says why.
 */
#ifndef ASSAY_SESSION_RECORD_IRQ_H
#define ASSAY_SESSION_RECORD_IRQ_H

#include "sampler/irq_time.h"
#include "session/record_session.h"

/* After capture_new(), which says in @model how it samples. NULL where there is none. */
struct irq_time *record_irq_new(const struct record_options *options, struct model *model);

/* The others take NULL. */
void record_irq_enable(struct irq_time *irq_time);
void record_irq_disable(struct irq_time *irq_time);
void record_irq_read(struct irq_time *irq_time, struct model *model);

#endif
