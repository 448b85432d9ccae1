/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_source.h - source lines for annotated functions
 *
 * Annotation needs the source line of every instruction, not only of the instructions that have
 * samples. So locations are added to the model for the other instructions, too. No sample refers to
 * these locations.
 */
#ifndef ASSAY_CLI_ANNOTATE_SOURCE_H
#define ASSAY_CLI_ANNOTATE_SOURCE_H

#include "analyze/annotate.h"
#include "model/source.h"
#include "store/recording.h"
#include "symbolize/source_file.h"

#define ANNOTATE_LINES_MAX (1u << 18)	/* instructions per function with source lines */

/* Number of rows in each table of a model after loading, before source lines were added. */
struct lines_before {
	size_t locations, functions, lines, strings;
};

struct lines_before lines_before(const struct model *model);

/*
 * Looks up the source line of each row of @annotations. @model is the model of their profile.
 * Prints a message for each image whose lines are unknown. Sets *ret_made if the model has new
 * lines that are worth saving in the recording. Returns 0 or -ENOMEM.
 */
int annotate_make_lines(const char *path, struct model *model, struct annotation *annotations,
			size_t count, bool *ret_made, struct err *err);

/*
 * Saves the new lines in the recording at @path. The caller must have closed the recording. Does
 * nothing if the recording cannot be written or has changed since it was loaded.
 */
void annotate_keep_lines(const char *path, const struct model *model,
			 const struct lines_before *before);

/*
 * Reads the source files of all rows, or records why a file cannot be read. Returns 0 or -ENOMEM.
 */
int annotate_read_sources(const struct annotation *annotations, size_t count,
			  const struct source_options *options, struct source_list *sources,
			  struct err *err);

/*
 * Reads one source file from disk. If assay runs as root, it accepts only files that all users may
 * read, see symbolize/source_file.h. Files that are already in @sources are not read again. So a
 * file that recording_read_sources() found in the recording takes precedence. Returns 0 or -ENOMEM.
 */
int annotate_add_source(const struct model *model, uint32_t file,
			const struct source_options *options, struct source_list *sources);

#endif
