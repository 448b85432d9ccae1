/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans_recorded.h - what a recording knows of spans (model/span.h), for spans.h to print */
#ifndef ASSAY_PRESENT_SPANS_RECORDED_H
#define ASSAY_PRESENT_SPANS_RECORDED_H

#include "analyze/filter.h"
#include "model/model.h"
#include "present/spans.h"

struct spans_recorded {
	VEC(struct span_row) rows;	/* what took most time first */
	VEC(char *) images;		/* that rows borrow; owned */
};

/* Makes a row of all spans whose name matches @filter (NULL: all). Returns 0 or -ENOMEM. */
int spans_recorded_make(const struct model *model, const struct filter *filter,
			struct spans_recorded *ret_spans);

/* Adds the member "spans" to the open object, if the recording has any. Returns 0 or -ENOMEM. */
int spans_recorded_json(struct json *json, const struct model *model);
void spans_recorded_fini(struct spans_recorded *spans);

#endif
