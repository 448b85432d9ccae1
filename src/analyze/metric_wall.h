/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metric_wall.h - the part of metric.c that makes samples of wall time */
#ifndef ASSAY_ANALYZE_METRIC_WALL_H
#define ASSAY_ANALYZE_METRIC_WALL_H

#include "analyze/metric.h"

struct metric_thread {
	uint64_t running_ns;		/* wall time without waits */
	uint64_t samples;		/* number of samples that share the running time */
	uint64_t taken;			/* number of these samples taken in this pass */
	uint64_t last_ns;		/* timestamp of the last sample */
};

int metric_make_wall(struct metric *metric, struct recording *recording, struct model *model,
		     const struct metric_options *options, struct err *err);
void metric_begin_wall(struct metric *metric);
bool metric_take_wall(struct metric *metric, struct sample *sample);

#endif
