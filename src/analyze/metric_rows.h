/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metric_rows.h - the rows that a metric (metric.h) adds to the model */
#ifndef ASSAY_ANALYZE_METRIC_ROWS_H
#define ASSAY_ANALYZE_METRIC_ROWS_H

#include "base/err.h"
#include "model/model.h"
#include "model/wait.h"

#define METRIC_EVENTS_MAX 256u	/* struct sample has 8 bits for the event */

/* Adds an event that equals @like except for its name. Returns 0, -ENOMEM or -E2BIG. */
int metric_row_event(struct model *model, const struct event *like, const char *name,
		     uint8_t *ret_event, struct err *err);

/*
 * Adds a stack: the frame @name, called from the stack @parent. The frame is in the image
 * METRIC_IMAGE. Returns 0 or -ENOMEM.
 */
int metric_row_stack(struct model *model, uint32_t parent, const char *name, uint32_t *ret_stack);

#define METRIC_IMAGE "[off-cpu]"

/* Writes the name of the frame that tells a state, such as "[blocked]". */
#define METRIC_STATE_MAX 64
void metric_state_name(enum thread_state state, char name[static METRIC_STATE_MAX]);

#endif
