/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_wall.h - prints wall time (analyze/wall.h) as text, JSON or CSV
 *
 * In text, each process or thread has a tree. The root is its wall time (100 %), and the nodes
 * below are the parts of that time. The first tree is the sum over all processes or threads; it is
 * left out if there is only one. JSON and CSV have all nodes of all trees, including nodes without
 * any time. As in report.h, all functions return 0 or -ENOMEM, and the caller checks the error
 * state of the FILE.
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

/* Returns the number of rows to show. */
static inline size_t wall_rows_shown(const struct wall *wall, const struct report_style *style)
{
	return style->limit && style->limit < wall->rows.count ? style->limit : wall->rows.count;
}

#endif
