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

#define ANNOTATE_LINES_MAX (1u << 18)	/* instructions per function that get lines */

/*
 * How many rows of each table of a model were loaded from the recording, before lines were added.
 */
struct lines_before {
	size_t locations, functions, lines, strings;
};

struct lines_before lines_before(const struct model *model);

/*
 * Gives source lines to the rows of @annotations, whose profile belongs to @model. Prints a message
 * for each image whose lines are unknown. Sets *ret_made if new lines were added that are worth
 * saving in the recording. Returns 0 or -ENOMEM.
 */
int annotate_make_lines(const char *path, struct model *model, struct annotation *annotations,
			size_t count, bool *ret_made, struct err *err);

/*
 * Saves the lines in the recording at @path, which this process must not have open. Does nothing if
 * the recording cannot be written or has changed since it was loaded.
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
 * Reads one source file from disk. If the caller is root, only files that all users may read are
 * accepted, see symbolize/source_file.h. A file that is already in @sources is not read again, so
 * files found by recording_read_sources() take precedence. Returns 0 or -ENOMEM.
 */
int annotate_add_source(const struct model *model, uint32_t file,
			const struct source_options *options, struct source_list *sources);

#endif
