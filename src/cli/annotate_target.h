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
	/* profile of the recording; must have been read with by_address */
	const struct profile *profile;
	const struct group_selection *selection;
	/* Results of annotate_find_meant(). */
	/* the functions; for ANNOTATE_PLACE, the functions with hits in @file */
	struct annotate_found found;
	/* string id of the source file, or 0 if the text does not name a source file */
	uint32_t file;
	uint32_t line;				/* line number in @file, or 0 for the whole file */
};

/* Returns true if source lines must be loaded to carry out @options. */
bool annotate_wants_lines(const struct annotate_options *options);

/*
 * Finds what the user asked for and stores it in @meant. If the text is ambiguous or matches
 * nothing, prints a message and sets *ret_status to the exit status; otherwise does not change
 * *ret_status. Returns 0 or a negative errno. Call annotate_meant_fini() in either case.
 */
int annotate_find_meant(struct annotate_meant *meant, int *ret_status, struct err *err);
void annotate_meant_fini(struct annotate_meant *meant);

/*
 * Prints why no code was found for meant->line. There are two reasons: the file has fewer lines
 * (known only if @text is available), or no sampled function has code from that line. Returns the
 * exit status.
 */
int annotate_no_such_line(const struct annotate_meant *meant, const struct source_text *text);

/*
 * annotate_load() opens the recording and loads its model, with source lines if they are needed.
 * annotate_read_profile() reads its samples by address.
 */
int annotate_load(const char *path, const struct annotate_options *options,
		  struct recording **ret_recording, struct model *model, struct err *err);
int annotate_read_profile(struct recording *recording, struct model *model,
			  const struct annotate_options *options, struct profile *profile,
			  struct err *err);
struct group_selection annotate_selection(const struct profile *profile,
					  const struct annotate_options *options);

#endif
