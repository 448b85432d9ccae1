/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embed_sources.h - --embed-sources: stores the source files of hot functions in the recording
 *
 * A recording may be passed on to other people, and the recorded programs determine which files are
 * stored. So a file is only taken if all users may read it, no matter who runs assay, or if it is
 * in a directory that the user named with --source-dir (symbolize/source_file.h).
 */
#ifndef ASSAY_SESSION_EMBED_SOURCES_H
#define ASSAY_SESSION_EMBED_SOURCES_H

#include "store/recording.h"
#include "symbolize/source_file.h"
#include "symbolize/symbolize.h"

/*
 * Stores the source files of hot functions, those of the hottest functions first, in @recording,
 * which must be finished and writable. @model is its model, with all indices built
 * (model_index_loaded()). First resolves the lines of all locations and of all instructions of the
 * hot functions, and stores them too; @named says where image files are. If a file cannot be read
 * now but the recording already has its text, the old text is kept. A file that could not be stored
 * is counted as LOSS_SOURCE_LEFT_OUT. Returns 0, -ENOMEM or a write error.
 */
int embed_sources(struct recording *recording, struct model *model,
		  const struct symbolize_options *named, const struct source_options *options,
		  struct err *err);

/* Adds the value of a --source-dir option. Returns false if there are too many. */
bool source_dir_add(struct source_options *options, const char *dir);

#endif
