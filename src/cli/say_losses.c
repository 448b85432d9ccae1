/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/say_losses.h"

#include "analyze/lookup.h"
#include "cli/command.h"
#include "cli/symbolize_now.h"
#include "present/losses.h"

static int count_samples(void *context, const struct sample_batch *batch)
{
	struct model *model = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample sample = batch->samples.at[i];
		uint64_t room = UINT64_MAX - model->kept_samples, count;

		sample_make_safe(model, &sample);
		count = model_samples(model, &sample);
		model->kept_samples += count < room ? count : room;
	}
	return 0;
}

int cli_count_kept(struct recording *recording, struct model *model, struct err *err)
{
	const struct losses losses = model->losses;
	int rc;

	model->kept_samples = 0;
	if (!account_lost_samples(&losses))
		return 0;
	rc = recording_each_block(recording, model, NULL, count_samples, model, err);
	model->losses = losses;		/* this pass counts the same damaged blocks again */
	return rc;
}

int cli_say_losses(const char *path, struct recording *recording, struct model *model,
		   struct err *err)
{
	int rc = cli_count_kept(recording, model, err);
	struct shortfall shortfall = shortfall_of(model);
	char text[LOSSES_TEXT_MAX];

	if (rc < 0)
		return rc;
	if (cli_said_unfinished())
		shortfall.cut = false;
	if (losses_text(&shortfall, text))
		cli_message("%s: %s; see assay report --section losses", path, text);
	return 0;
}
