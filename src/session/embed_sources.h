/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embed_sources.h - --embed-sources: the source files of hot functions go into the recording
 *
 * A recording is handed on, and its programs say which files these are.  So only what all users
 * may read is taken, whoever asks, unless --source-dir names where it lies
 * (symbolize/source_file.h).
 */
#ifndef ASSAY_SESSION_EMBED_SOURCES_H
#define ASSAY_SESSION_EMBED_SOURCES_H

#include "store/recording.h"
#include "symbolize/source_file.h"
#include "symbolize/symbolize.h"

/*
 * For a recording that is finished and can be written, and its model, with all of its indices
 * (model_index_loaded()).  Makes the lines of all instructions of its hot functions and of all
 * locations, with files as @named says, and keeps them and their files, those of the hottest
 * functions first; one that is not here now stays as it was kept.  What could not be kept is
 * counted (LOSS_SOURCE_LEFT_OUT). 0, -ENOMEM or an error of writing.
 */
int embed_sources(struct recording *recording, struct model *model,
		  const struct symbolize_options *named, const struct source_options *options,
		  struct err *err);

/* Takes the value of --source-dir; false, where they are too many. */
bool source_dir_add(struct source_options *options, const char *dir);

#endif
