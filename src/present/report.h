/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - an overview or a table, as text, JSON or CSV
 *
 * Text goes for people: Prospect's order of sections, as wide as the terminal or, elsewhere,
 * 100 columns where names allow it; every share with its interval, a legend at the top.  JSON
 * and CSV go for programs: numbers unrounded, names as they are (as far as the format can hold
 * them), nothing marked.  JSON carries "version": 1; fields may be added under that number, not
 * changed.  A function's image stands beside it everywhere, as names alone are not unique.
 *
 * All write to the FILE that cli gives and leave its error state for cli to look at.  They
 * return 0 or -ENOMEM.
 */
#ifndef ASSAY_PRESENT_REPORT_H
#define ASSAY_PRESENT_REPORT_H

#include <stdio.h>

#include "analyze/overview.h"
#include "present/json.h"

#define REPORT_LABEL_MAX 4096	/* bytes of a label before escaping; longer ones are cut */

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report_style {
	size_t limit;		/* rows of each table; 0: all */
	bool brief;		/* nobody asked for that limit: some tables may be shorter still */
	size_t profiles;	/* of applications and processes, at most; 0: any number */
	size_t columns;		/* of the terminal; 0: none, names are not cut */
	bool no_weight;		/* --by tables: hits and shares alone */
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

/* Titles and rows alone, from row @first on: one line each. */
int table_rows_as_text(const struct profile *profile, const struct group_table *table, size_t first,
		       const struct report_style *style, FILE *out);

/* Into the open object. */
void table_members(struct json *json, const struct profile *profile,
		   const struct group_table *table, const struct report_style *style);

#endif
