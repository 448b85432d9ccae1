/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/loss.h"

#include <string.h>

static const struct {
	const char *name, *unit, *meaning;
} losses[LOSS_COUNT] = {
#define LOSS(reason, unit_, text, meaning_) \
	[LOSS_##reason] = { .name = text, .unit = unit_, .meaning = meaning_ },
#include "model/loss.def"
#undef LOSS
};

const char *loss_name(enum loss reason)
{
	return losses[reason].name;
}

const char *loss_unit(enum loss reason)
{
	return losses[reason].unit;
}

const char *loss_meaning(enum loss reason)
{
	return losses[reason].meaning;
}

int loss_of_name(const char *name)
{
	for (int reason = 0; reason < LOSS_COUNT; reason++)
		if (strcmp(name, losses[reason].name) == 0)
			return reason;
	return -1;
}
