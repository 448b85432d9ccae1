/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat.h - prints counters as text (for people), JSON or CSV (for programs)
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
	/* name of each kind of counter, in the order of table->kinds */
	const char *const *events;
	/*
	 * names of the CPUs or threads that are shown separately; NULL: only sums over all of them
	 * are shown
	 */
	const char *const *places;
	double time_seconds;		/* end of the interval */
};

struct stat_print {
	enum stat_format format;
	const char *command;		/* command that was run; may be NULL */
	/* what was counted: "command", "system", "processes" or "threads" */
	const char *target;
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
 * Formats a number with its unit: "ns" as seconds, "events" as a plain number with grouped digits,
 * any other unit as the number followed by the unit.
 */
#define STAT_FIGURE_MAX 64
void stat_figure(double value, const char *unit, char ret_text[static STAT_FIGURE_MAX]);

/*
 * Returns true if the counter of @kind is to be shown for the CPU or thread with index @place. The
 * elapsed time is the same for all of them, so it is shown only once, for the last one.
 */
static inline bool stat_shows(const struct stat_show *show, size_t place, size_t kind)
{
	return kind < show->table->event_count || place + 1 == show->table->place_count;
}

#endif
