/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embed_sources.h - --embed-sources: stores the source files of hot functions in the recording
 *
 * A recording may be passed on to other people, and it is the recorded programs that name the files
 * to store. So a file is stored only if all users may read it, even if assay runs as root. Files in
 * a directory that the user named with --source-dir may also be stored (symbolize/source_file.h).
 */
#ifndef ASSAY_SESSION_EMBED_SOURCES_H
#define ASSAY_SESSION_EMBED_SOURCES_H

#include "store/recording.h"
#include "symbolize/source_file.h"
#include "symbolize/symbolize.h"

/*
 * Stores the source files of hot functions in @recording, beginning with the files of the hottest
 * functions. @recording must be complete and open for writing. @model is the model of @recording,
 * with all indices built (model_index_loaded()).
 *
 * Before that, resolves the source lines of all locations and of all instructions of the hot
 * functions, and stores these lines too. @named gives the paths of image files. If a source file
 * cannot be read now but the recording already contains its text, this text is kept. A source file
 * that could not be stored counts as LOSS_SOURCE_LEFT_OUT. Returns 0, -ENOMEM or a write error.
 */
int embed_sources(struct recording *recording, struct model *model,
		  const struct symbolize_options *named, const struct source_options *options,
		  struct err *err);

/* Adds the value of a --source-dir option. Returns false if there are too many directories. */
bool source_dir_add(struct source_options *options, const char *dir);

#endif
