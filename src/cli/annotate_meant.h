/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_meant.h - which functions or source lines somebody means, or why that cannot be told
 *
 * A function, an image or an address as in analyze/annotate_find.h; where none is meant, a source
 * line or file as in analyze/source_find.h.
 */
#ifndef ASSAY_CLI_ANNOTATE_MEANT_H
#define ASSAY_CLI_ANNOTATE_MEANT_H

#include "analyze/source_find.h"
#include "cli/annotate_main.h"

struct annotate_meant {
	const char *path;			/* of the recording */
	const struct annotate_options *options;
	const struct profile *profile;		/* read with by_address */
	const struct group_selection *selection;
	/* what was found */
	struct annotate_found found;		/* ANNOTATE_PLACE: who has hits from @file */
	uint32_t file;				/* string; 0: no place is meant */
	uint32_t line;				/* 0: all of the file */
};

/* Can it be told only with source lines? */
bool annotate_wants_lines(const struct annotate_options *options);

/*
 * Fills the rest of @meant. *ret_status is written where nothing or several things are meant,
 * which is said. 0, or an error; annotate_meant_fini() after either.
 */
int annotate_find_meant(struct annotate_meant *meant, int *ret_status, struct err *err);
void annotate_meant_fini(struct annotate_meant *meant);

/* No code comes from meant->line: because the file ends before, where @text is here? */
int annotate_no_such_line(const struct annotate_meant *meant, const struct source_text *text);

/* Opens the recording, with lines where they are wanted, and reads its samples by address. */
int annotate_load(const char *path, const struct annotate_options *options,
		  struct recording **ret_recording, struct model *model, struct err *err);
int annotate_read_profile(struct recording *recording, struct model *model,
			  const struct annotate_options *options, struct profile *profile,
			  struct err *err);
struct group_selection annotate_selection(const struct profile *profile,
					  const struct annotate_options *options);

#endif
