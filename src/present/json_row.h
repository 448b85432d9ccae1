/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_row.h - the members that every row of figures has in JSON
 *
 *	"samples", "weight", "seconds" (timed events only), "share", "low", "high"
 *
 * Shares are in [0, 1]; low and high are the ends of the 95 % interval.
 */
#ifndef ASSAY_PRESENT_JSON_ROW_H
#define ASSAY_PRESENT_JSON_ROW_H

#include "analyze/overview.h"
#include "present/json.h"
#include "present/report.h"

/* Into the open object; the share is of @total. */
void json_figures(struct json *json, const struct count *count, const struct count *total,
		  const struct event *event);

/* The event's row, a zeroed one where there is none. */
const struct event *json_event(const struct profile *profile, uint8_t event);

/* "key": the label of a row's key, under the dimension's own name. */
void json_label(struct json *json, const struct profile *profile, enum dimension dimension,
		uint64_t key);

#endif
