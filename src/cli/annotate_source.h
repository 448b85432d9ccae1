/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_source.h - source lines for annotated functions
 *
 * Annotation needs the source line of every instruction, even if the instruction has no samples.
 * Therefore each instruction without a location gets one in the model. No sample refers to these
 * additional locations.
 */
#ifndef ASSAY_CLI_ANNOTATE_SOURCE_H
#define ASSAY_CLI_ANNOTATE_SOURCE_H

#include "analyze/annotate.h"
#include "model/source.h"
#include "store/recording.h"
#include "symbolize/source_file.h"

/* maximum number of instructions of a function whose source lines are looked up */
#define ANNOTATE_LINES_MAX (1u << 18)

/* Number of rows in each table of a model after loading, before source lines were added. */
struct lines_before {
	size_t locations, functions, lines, strings;
};

struct lines_before lines_before(const struct model *model);

/*
 * Looks up the source line of each row of @annotations. @model must be the model of the profile
 * from which the functions were annotated. Prints a message for each image whose lines cannot be
 * found. Sets *ret_made to true if lines were added to @model, so that the caller knows that they
 * can be saved in the recording. Returns 0 or -ENOMEM.
 */
int annotate_make_lines(const char *path, struct model *model, struct annotation *annotations,
			size_t count, bool *ret_made, struct err *err);

/*
 * Saves the lines that were added to @model in the recording at @path. The caller must have closed
 * the recording. Does nothing if the recording is not writable, is unfinished or damaged, or has
 * changed since @before was filled in.
 */
void annotate_keep_lines(const char *path, const struct model *model,
			 const struct lines_before *before);

/*
 * Reads the source file of each row into @sources. If a file cannot be read, stores the reason in
 * @sources instead. Returns 0 or -ENOMEM.
 */
int annotate_read_sources(const struct annotation *annotations, size_t count,
			  const struct source_options *options, struct source_list *sources,
			  struct err *err);

/*
 * Reads one source file from disk into @sources, unless @sources already contains the file. So a
 * copy of the file that recording_read_sources() found in the recording takes precedence over the
 * file on disk. If assay runs as root, the file must be readable for all users, or be below a
 * directory that the user named (symbolize/source_file.h). Returns 0 or -ENOMEM.
 */
int annotate_add_source(const struct model *model, uint32_t file,
			const struct source_options *options, struct source_list *sources);

#endif
