/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/metric_options.h"

#include <errno.h>

enum { OPTION_WALL = 256 };

static const struct argp_option wall_list[] = {
	{ "wall", OPTION_WALL, NULL, 0,
	  "Count all the time of threads: running, runnable and blocked", 1 },
	{ 0 },
};

static error_t parse_wall(int key, char *arg, struct argp_state *state)
{
	struct filter *filter = state->input;

	(void)arg;
	if (key != OPTION_WALL)
		return ARGP_ERR_UNKNOWN;
	filter->wall = true;
	return 0;
}

const struct argp wall_argp = { .options = wall_list, .parser = parse_wall };

int cli_metric_err(const char *path, int rc, struct err *err)
{
	const struct err said = *err;

	if (rc == -ENODATA)
		return err_set(err, rc, "%s: %s; record with --off-cpu", path, said.text);
	return rc == -EINVAL ? err_prefix(err, "%s", path) : rc;
}

int cli_metric_make(const char *path, struct recording *recording, struct model *model,
		    const struct metric_options *options, struct metric *ret_metric,
		    struct err *err)
{
	int rc = metric_make(recording, model, options, ret_metric, err);

	return rc < 0 ? cli_metric_err(path, rc, err) : 0;
}
