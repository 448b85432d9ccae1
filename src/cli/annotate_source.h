/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_source.h - source lines for annotated functions
 *
 * Lines are wanted for each instruction and not only for those that were hit, so the others get
 * locations, too, which no sample refers to.
 */
#ifndef ASSAY_CLI_ANNOTATE_SOURCE_H
#define ASSAY_CLI_ANNOTATE_SOURCE_H

#include "analyze/annotate.h"
#include "model/source.h"
#include "store/recording.h"
#include "symbolize/source_file.h"

#define ANNOTATE_LINES_MAX (1u << 18)	/* instructions of one function that get lines */

/* How much of a model came from its recording. */
struct lines_before {
	size_t locations, functions, lines, strings;
};

struct lines_before lines_before(const struct model *model);

/*
 * Gives lines to the rows of @annotations, whose profile is of @model; says why where none of an
 * image are known. *ret_made: there are new ones, worth to be kept. 0 or -ENOMEM.
 */
int annotate_make_lines(const char *path, struct model *model, struct annotation *annotations,
			size_t count, bool *ret_made, struct err *err);

/* In the recording at @path, which nobody has open here; where that cannot be, it is not. */
void annotate_keep_lines(const char *path, const struct model *model,
			 const struct lines_before *before);

/* The texts of the files of their rows, or why they are not here. 0 or -ENOMEM. */
int annotate_read_sources(const struct annotation *annotations, size_t count,
			  const struct source_options *options, struct source_list *sources,
			  struct err *err);

/*
 * One text from disk; as root only what all may read, see symbolize/source_file.h.  What is
 * there already stays, so what recording_read_sources() found comes first. 0 or -ENOMEM.
 */
int annotate_add_source(const struct model *model, uint32_t file,
			const struct source_options *options, struct source_list *sources);

#endif
