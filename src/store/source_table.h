/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_table.h - source files, kept in the recording
 *
 * Sources are kept only if the user asks for them, because they can be larger than the samples and
 * can be secret. model/source.h defines which files are kept and how much.
 */
#ifndef ASSAY_STORE_SOURCE_TABLE_H
#define ASSAY_STORE_SOURCE_TABLE_H

#include "model/source.h"
#include "store/recording.h"

/*
 * Writes those files of @sources whose content is loaded, in one transaction. The written files
 * replace the files kept earlier. Returns 0 or a write error. After an error the recording is
 * intact and still has the earlier files.
 */
int recording_keep_sources(struct recording *recording, const struct model *model,
			   const struct source_list *sources, struct err *err);

/*
 * Appends all kept files to @sources and adds their paths to the strings of @model. A damaged block
 * is treated as empty. Returns 0, -ENOMEM or a read error.
 */
int recording_read_sources(struct recording *recording, struct model *model,
			   struct source_list *sources, struct err *err);

#endif
