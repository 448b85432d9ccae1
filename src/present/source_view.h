/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_view.h - source files with the samples of each line, as text, JSON or CSV
 *
 * As with annotate.h. Shares are of what was asked for and of all, each with its interval.
 */
#ifndef ASSAY_PRESENT_SOURCE_VIEW_H
#define ASSAY_PRESENT_SOURCE_VIEW_H

#include "analyze/source_view.h"
#include "model/source.h"
#include "present/report.h"

struct source_style {
	const struct source_list *sources;
	size_t files;		/* at most, those with the most samples */
	size_t limit;		/* lines of each; 0: all */
	uint32_t line;		/* that was asked for: shown before all others; 0: none */
	size_t columns;		/* of the terminal; 0: none */
};

int source_views_as_text(const struct source_views *views, const struct source_style *style,
			 FILE *out);
int source_views_as_json(const struct source_views *views, const struct source_style *style,
			 FILE *out);
int source_views_as_csv(const struct source_views *views, const struct source_style *style,
			FILE *out);

#endif
