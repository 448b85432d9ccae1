/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - prints an overview or a table as text, JSON or CSV
 *
 * Text is for people. The first screen answers the usual questions in at most 45 lines: what ran,
 * how far the figures can be trusted, and which applications, functions and waits have the largest
 * shares. The sections of the full report are in the same order as in the reports of the profiler
 * Prospect. The caller chooses the sections. Text is as wide as the terminal. If the output is not
 * a terminal, text is 100 columns wide (the first screen 80) unless names need more columns. Every
 * share is shown with its confidence interval, and a legend explains the marks.
 *
 * JSON and CSV are for programs: numbers are not rounded, names are unchanged as far as the format
 * allows, and the marks of the text output are left out. JSON contains "version": 1. As long as the
 * version stays the same, new fields may be added, but existing fields do not change. A function is
 * always accompanied by its image, because function names alone are not unique.
 *
 * All functions write to a FILE that the caller, a subcommand in src/cli, has opened. The caller
 * checks the FILE's error state. The functions return 0 or -ENOMEM.
 */
#ifndef ASSAY_PRESENT_REPORT_H
#define ASSAY_PRESENT_REPORT_H

#include <stdio.h>

#include "analyze/overview.h"
#include "present/advice.h"
#include "present/json.h"
#include "present/palette.h"
#include "present/setting_names.h"

/* maximum bytes of a label before escaping; longer labels are cut */
#define REPORT_LABEL_MAX 4096

/* In the order in which they are printed. */
enum report_section {
	/* the first screen */
	SECTION_HEADLINE,
	SECTION_TRUST,
	SECTION_TOP_APPLICATIONS,
	SECTION_TOP_FUNCTIONS,
	SECTION_TOP_WAITS,
	SECTION_TOP_CALLS,
	SECTION_ADVICE,
	SECTION_NEXT,
	/* the full report */
	SECTION_LEGEND,
	SECTION_RUN,
	SECTION_LOSSES,
	SECTION_HEALTH,
	SECTION_LEDGER,
	SECTION_APPLICATIONS,
	SECTION_FUNCTIONS,
	SECTION_PROCESSES,
	SECTION_PROFILES,
	SECTION_KERNEL,
	SECTION_IDLE,
	SECTION_INTERRUPTS,
	SECTION_LATE,
	SECTION_MORE,
	SECTION_COUNT
};

#define SECTIONS_FIRST_SCREEN ((UINT32_C(1) << SECTION_LEGEND) - 1)
#define SECTIONS_FULL (((UINT32_C(1) << SECTION_COUNT) - 1) & ~SECTIONS_FIRST_SCREEN)

/*
 * Parses a list of names such as "trust,losses" into a set with one bit for each section. A few
 * sections exist on the first screen and in the full report. @full chooses the second. Returns
 * -EINVAL with a message that names the unknown section and lists the known ones.
 */
int report_sections_parse(const char *text, bool full, uint32_t *ret_sections, struct err *err);

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report_style {
	size_t limit;		/* rows per table; 0: all */
	/* true if the user gave no limit; some tables then have fewer than @limit rows */
	bool brief;
	/* maximum number of profiles of applications and processes; 0: no limit */
	size_t profiles;
	size_t columns;		/* width of the terminal; 0: not a terminal, names are not cut */
	bool no_weight;		/* for tables by dimension: do not show weights */
	const struct setting_names *settings;
	uint32_t sections;	/* set of sections of the text; 0: the first screen */
	const struct advice_lines *advice;	/* NULL: none */
	const struct palette *palette;		/* NULL: no colors */
	/* sentence that names the next commands, for the first screen; NULL: none */
	const char *next;
};

int report_text(const struct overview *overview, const struct report_style *style, FILE *out);
int report_json(const struct overview *overview, const struct report_style *style, FILE *out);

/* Print one table whose rows are grouped by any dimensions (--by). */
int table_as_text(const struct profile *profile, const struct group_table *table,
		  const struct report_style *style, FILE *out);
int table_as_json(const struct profile *profile, const struct group_table *table,
		  const struct report_style *style, FILE *out);
int table_as_csv(const struct profile *profile, const struct group_table *table,
		 const struct report_style *style, FILE *out);

/*
 * Prints only the column titles and the rows, one line each, beginning with row @first. Prints at
 * most style->limit rows.
 */
int table_rows_as_text(const struct profile *profile, const struct group_table *table, size_t first,
		       const struct report_style *style, FILE *out);

/* Adds the members that describe the table and its rows to the open JSON object. */
void table_members(struct json *json, const struct profile *profile,
		   const struct group_table *table, const struct report_style *style);

#endif
