/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row_json.h - JSON members that every table row has
 *
 *	"samples", "weight", "seconds" (timed events only), "share", "low", "high"
 *
 * Shares are in [0, 1]. "low" and "high" are the ends of the share's 95 % confidence interval.
 */
#ifndef ASSAY_PRESENT_ROW_JSON_H
#define ASSAY_PRESENT_ROW_JSON_H

#include "analyze/overview.h"
#include "present/json.h"
#include "present/report.h"

/* Adds the members listed above to the open object. The share is relative to @total. */
void json_figures(struct json *json, const struct count *count, const struct count *total,
		  const struct event *event);

/* Returns the event with the number @event, or a zeroed event if there is none. */
const struct event *json_event(const struct profile *profile, uint8_t event);

/*
 * Adds a member whose value is the label of @key. The member's name is the name of the dimension.
 * For a function also adds the members of json_quality() in function_note.h.
 */
void json_label(struct json *json, const struct profile *profile, enum dimension dimension,
		uint64_t key);

#endif
