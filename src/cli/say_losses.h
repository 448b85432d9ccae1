/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say_losses.h - says on stderr what a recording lacks
 *
 * Every command that reads a recording calls this after it has read the samples, and before it
 * closes the recording.
 */
#ifndef ASSAY_CLI_SAY_LOSSES_H
#define ASSAY_CLI_SAY_LOSSES_H

#include "store/recording.h"

/*
 * Sets model->kept_samples if samples were lost. A filter must not change their share. So if only a
 * range of time was read, this reads the recording once more. Returns 0 or the error of
 * recording_each_block().
 */
int cli_count_kept(struct recording *recording, struct model *model, struct err *err);

/*
 * Calls cli_count_kept(), then prints one line if anything that matters is missing
 * (analyze/trust.h). Does not repeat that the recording is unfinished if loading it said so.
 */
int cli_say_losses(const char *path, struct recording *recording, struct model *model,
		   struct err *err);

/*
 * Prints the same line for a recording of which only the losses and the number of its samples are
 * known.
 */
void cli_say_losses_of(const char *path, const struct losses *losses, uint64_t kept_samples);

#endif
