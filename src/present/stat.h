/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat.h - prints counters for people (text) and for programs (JSON, CSV)
 *
 *	stat_begin(&print, out)
 *	stat_print(&print, &show)	once, or for each interval
 *	stat_end(&print)
 *
 * JSON is one object with an array of results, one per interval. Its structure is described in
 * assay-stat(1), and store/stat_file.h reads it.
 */
#ifndef ASSAY_PRESENT_STAT_H
#define ASSAY_PRESENT_STAT_H

#include <stdio.h>

#include "analyze/counter_table.h"
#include "present/json.h"

enum stat_format { STAT_TEXT, STAT_JSON, STAT_CSV };

struct stat_show {
	const struct counter_table *table;
	const char *const *events;	/* names by kind, in the order of table->kinds */
	const char *const *places;	/* names of the places; NULL if all places are summed up */
	double time_seconds;		/* end of the interval */
};

struct stat_print {
	enum stat_format format;
	const char *command;		/* may be NULL */
	const char *target;		/* "command", "system", "processes", "threads" */
	bool intervals;
	bool user_only;
	FILE *out;
	struct json json;
};

void stat_begin(struct stat_print *print, FILE *out);
int stat_print(struct stat_print *print, const struct stat_show *show);	/* returns 0 or -ENOMEM */
void stat_end(struct stat_print *print);

/* Print text. Called by stat_print(). */
int stat_as_text(const struct stat_show *show, FILE *out);
int stat_interval_as_text(const struct stat_show *show, FILE *out);

/*
 * Formats a figure: "ns" as seconds, "events" with grouped digits, other units with the unit
 * appended.
 */
#define STAT_FIGURE_MAX 64
void stat_figure(double value, const char *unit, char ret_text[static STAT_FIGURE_MAX]);

/* Elapsed times are the same at all places, so they are shown once, at the last place. */
static inline bool stat_shows(const struct stat_show *show, size_t place, size_t kind)
{
	return kind < show->table->event_count || place + 1 == show->table->place_count;
}

#endif
