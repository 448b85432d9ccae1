/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plausible.h - removes counts that no run can have produced
 *
 * Samples are stored one by one, so a hostile file cannot claim more samples than it contains. A
 * sum is only a number, which the author of such a file can choose freely. Sums are therefore
 * accepted only if they are consistent with each other and with the length of the run. Inconsistent
 * sums are removed and counted as damaged rows. The remaining sums cannot make a share larger than
 * its whole, and cannot overflow when they are added up:
 *
 *	CPU times	the modes of a CPU together at most twice as long as the CPU was recorded
 *	walks by image	at most the number of samples; no part exceeds the total of its image
 *	interrupts	on each CPU at most the length of the run and one interrupt per nanosecond
 *	victims		interrupt time by interrupted process: in total at most the measured time
 *
 * The measurement does not start and stop at exactly the same moments as the run. So the limits are
 * a tenth higher than stated here, plus one second for times, and plus about a thousand for the
 * number of interrupts of victims.
 */
#ifndef ASSAY_STORE_PLAUSIBLE_H
#define ASSAY_STORE_PLAUSIBLE_H

#include "store/recording.h"

/*
 * Removes impossible counts from @model, which must have been read from @recording. Each removed
 * row counts as damage of the recording. Returns 0 or -ENOMEM.
 */
int plausible_settle(struct recording *recording, struct model *model, struct err *err);

#endif
