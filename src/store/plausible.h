/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plausible.h - removes counts that no run can have produced
 *
 * Samples are stored one by one, so their number cannot be invented. A sum is only a number, which
 * the author of a hostile file can choose freely. Sums are therefore accepted only if they are
 * consistent with each other and with the length of the run. Inconsistent sums are removed and
 * counted as damaged rows. The remaining sums cannot make a share larger than its whole, and cannot
 * overflow when they are added up:
 *
 *	walks by image	at most the number of samples; no part exceeds the total of its image
 *	interrupts	on each CPU at most the length of the run and one interrupt per nanosecond
 *	victims		interrupt time by interrupted process: in total at most the measured time
 *
 * Measuring does not start and stop at exactly the same moments as the run. The limits therefore
 * allow a tenth more, plus one second of time or a thousand interrupts of victims.
 */
#ifndef ASSAY_STORE_PLAUSIBLE_H
#define ASSAY_STORE_PLAUSIBLE_H

#include "store/recording.h"

/*
 * Removes impossible counts from @model, which was read from @recording, and adds the removed rows
 * to the damage found in the recording. Returns 0 or -ENOMEM.
 */
int plausible_settle(struct recording *recording, struct model *model, struct err *err);

#endif
