/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_view.h - prints source files with the samples of each line, as text, JSON or CSV
 *
 * The rules are those of annotate.h. Shares are relative to the selection and to all samples, each
 * with its interval.
 */
#ifndef ASSAY_PRESENT_SOURCE_VIEW_H
#define ASSAY_PRESENT_SOURCE_VIEW_H

#include "analyze/source_view.h"
#include "model/source.h"
#include "present/report.h"

struct source_style {
	const struct source_list *sources;
	size_t files;		/* maximum number of files, those with the most samples */
	size_t limit;		/* lines per file; 0: all */
	uint32_t line;		/* requested line, shown before all others; 0: none */
	size_t columns;		/* width of the terminal; 0: not a terminal */
};

int source_views_as_text(const struct source_views *views, const struct source_style *style,
			 FILE *out);
int source_views_as_json(const struct source_views *views, const struct source_style *style,
			 FILE *out);
int source_views_as_csv(const struct source_views *views, const struct source_style *style,
			FILE *out);

#endif
