/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_wall.h - wall time (analyze/wall.h), as text, JSON or CSV
 *
 * Text is one tree of 100 % for each process or thread, and in front one of all together.  JSON
 * and CSV have all parts of all of them, also those of no time.  As in report.h: all return 0 or
 * -ENOMEM and leave the FILE's error state for cli.
 */
#ifndef ASSAY_PRESENT_REPORT_WALL_H
#define ASSAY_PRESENT_REPORT_WALL_H

#include "analyze/wall.h"
#include "present/report.h"

int wall_as_text(const struct model *model, const struct wall *wall,
		 const struct report_style *style, FILE *out);
int wall_as_json(const struct model *model, const struct wall *wall,
		 const struct report_style *style, FILE *out);
int wall_as_csv(const struct model *model, const struct wall *wall,
		const struct report_style *style, FILE *out);

/* Rows to show. */
static inline size_t wall_rows_shown(const struct wall *wall, const struct report_style *style)
{
	return style->limit && style->limit < wall->rows.count ? style->limit : wall->rows.count;
}

#endif
