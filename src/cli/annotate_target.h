/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_target.h - finds the functions or source lines that the user asked for
 *
 * The text may name a function, an image or an address, as described in analyze/annotate_find.h. If
 * none of these matches, the text may name a source file or line, as described in
 * analyze/source_find.h. If the text is ambiguous or matches nothing, the user gets a message that
 * says why.
 */
#ifndef ASSAY_CLI_ANNOTATE_TARGET_H
#define ASSAY_CLI_ANNOTATE_TARGET_H

#include "analyze/source_find.h"
#include "cli/annotate_main.h"

struct annotate_meant {
	const char *path;			/* path of the recording */
	const struct annotate_options *options;
	/* profile of the recording; must have been read with the option by_address */
	const struct profile *profile;
	const struct group_selection *selection;
	/* Results of annotate_find_meant(). */
	/*
	 * the functions that match; if found.by is ANNOTATE_PLACE, the functions with hits in @file
	 */
	struct annotate_found found;
	/* string id of the source file, or 0 if the text does not name a source file */
	uint32_t file;
	uint32_t line;				/* line number in @file, or 0 for the whole file */
};

/* Returns true if source lines must be loaded to carry out @options. */
bool annotate_wants_lines(const struct annotate_options *options);

/*
 * Finds the functions or source lines that the text options->what names, and stores them in @meant.
 * If the text is invalid, is ambiguous or matches nothing, prints a message and sets *ret_status to
 * the exit status. Otherwise leaves *ret_status unchanged. Returns 0 or a negative errno. In all
 * cases the caller must call annotate_meant_fini().
 */
int annotate_find_meant(struct annotate_meant *meant, int *ret_status, struct err *err);
void annotate_meant_fini(struct annotate_meant *meant);

/*
 * Prints the reason why no code was found for meant->line: either the file has fewer lines, or no
 * function with samples has code from that line. The first reason can be recognized only if @text
 * is not NULL and contains the file's text. Returns the exit status.
 */
int annotate_no_such_line(const struct annotate_meant *meant, const struct source_text *text);

/*
 * annotate_load() opens the recording and loads its model. It also loads source lines if @options
 * require them. annotate_read_profile() reads the samples with the option by_address.
 */
int annotate_load(const char *path, const struct annotate_options *options,
		  struct recording **ret_recording, struct model *model, struct err *err);
int annotate_read_profile(struct recording *recording, struct model *model,
			  const struct annotate_options *options, struct profile *profile,
			  struct err *err);
struct group_selection annotate_selection(const struct profile *profile,
					  const struct annotate_options *options);

#endif
