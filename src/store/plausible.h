/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plausible.h - counts that a file claims, and that no run can have made
 *
 * Rows of samples prove themselves: each is there.  A sum is only a number, and whoever made the
 * file chose it.  So sums are believed as far as they agree with each other and with the length
 * of the run; those that do not are taken out and counted as damaged rows.  What is left cannot
 * make a share larger than its whole, nor overflow when it is added up:
 *
 *	walks by image	no more than the samples, and no part larger than the image's own whole
 *	interrupts	on no CPU longer than the run, nor more than one each nanosecond
 *	their victims	no more than was measured, all together
 *
 * Measuring does not begin and end in the very moment in which the run does: a tenth more is
 * allowed, and a second of time or a thousand victims' interrupts.
 */
#ifndef ASSAY_STORE_PLAUSIBLE_H
#define ASSAY_STORE_PLAUSIBLE_H

#include "store/recording.h"

/*
 * Takes what cannot be out of @model, which was read from @recording, and counts its rows with the
 * damage that was found. 0 or -ENOMEM.
 */
int plausible_settle(struct recording *recording, struct model *model, struct err *err);

#endif
