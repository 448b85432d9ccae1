/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loss.h - counts of missing data, by reason
 *
 * Losing data is not an error. Code that drops data counts the loss here, under a reason from
 * loss.def. The recording stores the counts, and every report shows the counts that are not zero.
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

/*
 * Adds @count to the count of @reason. The sum saturates at INT64_MAX, the largest number that a
 * recording can hold, because the counts in input files are arbitrary.
 */
static inline void loss_add(struct losses *losses, enum loss reason, uint64_t count)
{
	uint64_t room = INT64_MAX - losses->count[reason];

	losses->count[reason] += count < room ? count : room;
}

const char *loss_name(enum loss reason);	/* returns for example "sample-ring-full" */
const char *loss_unit(enum loss reason);	/* returns for example "samples" */
const char *loss_meaning(enum loss reason);
int loss_of_name(const char *name);		/* returns -1 for an unknown name */

#endif
