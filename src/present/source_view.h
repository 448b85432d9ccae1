/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_view.h - prints source files with the samples of each line, as text, JSON or CSV
 *
 * The output follows the rules of annotate.h. Each line has two shares, each with its confidence
 * interval: the line's share of the samples that the user asked for, and its share of all samples.
 */
#ifndef ASSAY_PRESENT_SOURCE_VIEW_H
#define ASSAY_PRESENT_SOURCE_VIEW_H

#include "analyze/source_view.h"
#include "model/source.h"
#include "present/report.h"

struct source_style {
	const struct source_list *sources;
	size_t files;		/* maximum number of files; those with the most samples are shown */
	size_t limit;		/* maximum number of lines per file; 0: all */
	uint32_t line;		/* line that the user asked for; chosen before any other; 0: none */
	size_t columns;		/* width of the terminal; 0: not a terminal */
	const struct setting_names *settings;
};

int source_views_as_text(const struct source_views *views, const struct source_style *style,
			 FILE *out);
int source_views_as_json(const struct source_views *views, const struct source_style *style,
			 FILE *out);
int source_views_as_csv(const struct source_views *views, const struct source_style *style,
			FILE *out);

#endif
