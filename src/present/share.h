/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share.h - prints a share of a total with its 95 % interval
 *
 * A share of measured weights (count_is_exact()) has no interval: text shows none, the members of
 * JSON are null, the columns of CSV are empty.
 */
#ifndef ASSAY_PRESENT_SHARE_H
#define ASSAY_PRESENT_SHARE_H

#include <stdio.h>

#include "analyze/count.h"
#include "present/json.h"

struct share {
	const struct count *part, *whole;
	bool by_weight;			/* see count.h */
};

/* Prints "12.34% [11.90-12.80]". */
void share_text(const struct share *share, FILE *out);

/* Prints the members "share", "low" and "high". */
void share_json(const struct share *share, struct json *json);

/* Prints three columns, each with a comma before it. */
void share_csv(const struct share *share, FILE *out);

/* Writes ", 1.2345 s" if shares of the event go by time (count.h), otherwise "". */
#define AMOUNT_TEXT_MAX 40
void amount_text(const struct count *count, const struct event *event,
		 char text[static AMOUNT_TEXT_MAX]);

#endif
