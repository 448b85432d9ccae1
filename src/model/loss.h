/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loss.h - what is missing, by cause
 *
 * Losing data is not an error, it is a number: each place that drops something counts it here
 * under the reason that loss.def lists, the recording keeps the counts and every report shows
 * those that are not zero.
 */
#ifndef ASSAY_MODEL_LOSS_H
#define ASSAY_MODEL_LOSS_H

#include <stdint.h>

enum loss {
#define LOSS(name, unit, text, meaning) LOSS_##name,
#include "model/loss.def"
#undef LOSS
	LOSS_COUNT
};

struct losses {
	uint64_t count[LOSS_COUNT];
};

/* Files have numbers as they like: past what a recording can say there is only "that many". */
static inline void loss_add(struct losses *losses, enum loss reason, uint64_t count)
{
	uint64_t room = INT64_MAX - losses->count[reason];

	losses->count[reason] += count < room ? count : room;
}

const char *loss_name(enum loss reason);	/* "sample-ring-full" */
const char *loss_unit(enum loss reason);	/* "samples" */
const char *loss_meaning(enum loss reason);
int loss_of_name(const char *name);		/* the reason, or -1 */

#endif
