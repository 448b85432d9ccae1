/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks filters for wall time, and computes wall time in one pass over a recording. */
#include "analyze/wall.h"

#include <errno.h>

#include "base/cleanup.h"

/*
 * A filter on anything other than threads would select only a part of a thread's time. A share of
 * that part could not be computed, because its total time is not known.
 */
int wall_check_filter(const struct filter *filter, struct err *err)
{
	if (!filter)
		return 0;
	if (filter->images.list.count || filter->symbols.list.count || filter->events.list.count ||
	    filter->cpus.list.count || filter->contexts || filter->from_ns ||
	    filter->to_ns != UINT64_MAX || filter_has_spans(filter))
		return err_set(err, -EINVAL,
			       "wall time covers all the time of threads, so samples can be "
			       "selected only by comm, pid, tid or application");
	return 0;
}

static int visit(void *context, const struct sample_batch *batch)
{
	wall_batch(context, batch);
	return 0;
}

int wall_read(struct recording *recording, struct model *model, const struct filter *filter,
	      enum dimension by, struct wall *ret_wall, struct err *err)
{
	_cleanup_(wall_making_fini) struct wall_making making = { 0 };
	int rc = wall_begin(&making, model, filter);

	*ret_wall = (struct wall){ .by = by };
	if (rc < 0)
		return err_set(err, rc, "no memory for wall time");
	rc = recording_each_block(recording, model, NULL, visit, &making, err);
	if (rc < 0)
		return rc;
	rc = wall_end(&making, by, ret_wall);
	return rc < 0 ? err_set(err, rc, "no memory for wall time") : 0;
}
