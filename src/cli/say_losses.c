/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/say_losses.h"

#include "analyze/profile.h"
#include "cli/command.h"
#include "cli/symbolize_now.h"
#include "present/losses.h"

static int count_samples(void *context, const struct sample_batch *batch)
{
	profile_count_kept(context, batch);
	return 0;
}

int cli_count_kept(struct recording *recording, struct model *model, struct err *err)
{
	const struct losses losses = model->losses;
	int rc;

	if (model->kept_known || !account_lost_samples(&losses))
		return 0;
	model->kept_samples = 0;
	rc = recording_each_block(recording, model, NULL, count_samples, model, err);
	model->kept_known = rc == 0;
	model->losses = losses;		/* this pass counts the same damaged blocks again */
	return rc;
}

static void say(const char *path, const struct model *model)
{
	struct shortfall shortfall = shortfall_of(model);
	char text[LOSSES_TEXT_MAX];

	if (cli_said_unfinished())
		shortfall.cut = false;
	if (losses_text(&shortfall, text))
		cli_message("%s: %s; see assay report --section losses", path, text);
}

int cli_say_losses(const char *path, struct recording *recording, struct model *model,
		   struct err *err)
{
	int rc = cli_count_kept(recording, model, err);

	if (rc < 0)
		return rc;
	say(path, model);
	return 0;
}

void cli_say_losses_of(const char *path, const struct losses *losses, uint64_t kept_samples)
{
	const struct model model = {
		.losses = *losses,
		.kept_samples = kept_samples,
		.kept_known = true,
	};

	say(path, &model);
}
