/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - prints an overview or a table as text, JSON or CSV
 *
 * Text is for people. Its sections are in the same order as in Prospect's reports. It is as wide as
 * the terminal; without a terminal it has 100 columns if the names fit. Every share has its
 * interval, and a legend is at the top. JSON and CSV are for programs: numbers are not rounded,
 * names are unchanged as far as the format allows, and nothing is marked. JSON carries "version":
 * 1. Within this version, fields may be added but not changed. A function is always accompanied by
 * its image, because names alone are not unique.
 *
 * All functions write to the FILE that cli passes, and cli checks its error state. They return 0 or
 * -ENOMEM.
 */
#ifndef ASSAY_PRESENT_REPORT_H
#define ASSAY_PRESENT_REPORT_H

#include <stdio.h>

#include "analyze/overview.h"
#include "present/json.h"

#define REPORT_LABEL_MAX 4096	/* maximum bytes of a label before escaping; longer ones are cut */

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report_style {
	size_t limit;		/* rows per table; 0: all */
	bool brief;		/* the user gave no limit; some tables may then be even shorter */
	/* maximum number of profiles of applications and processes; 0: no limit */
	size_t profiles;
	size_t columns;		/* width of the terminal; 0: not a terminal, names are not cut */
	bool no_weight;		/* --by tables: show only hits and shares */
};

int report_text(const struct overview *overview, const struct report_style *style, FILE *out);
int report_json(const struct overview *overview, const struct report_style *style, FILE *out);

/* One table by any dimensions (--by). */
int table_as_text(const struct profile *profile, const struct group_table *table,
		  const struct report_style *style, FILE *out);
int table_as_json(const struct profile *profile, const struct group_table *table,
		  const struct report_style *style, FILE *out);
int table_as_csv(const struct profile *profile, const struct group_table *table,
		 const struct report_style *style, FILE *out);

/* Prints only titles and the rows from @first on, one line each. */
int table_rows_as_text(const struct profile *profile, const struct group_table *table, size_t first,
		       const struct report_style *style, FILE *out);

/* Adds the table's members to the open object. */
void table_members(struct json *json, const struct profile *profile,
		   const struct group_table *table, const struct report_style *style);

#endif
