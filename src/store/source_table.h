/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_table.h - source files, kept in the recording
 *
 * Only where somebody asked for it: sources can be more than the samples, and can be secret.
 * What is kept and how much of it: model/source.h.
 */
#ifndef ASSAY_STORE_SOURCE_TABLE_H
#define ASSAY_STORE_SOURCE_TABLE_H

#include "model/source.h"
#include "store/recording.h"

/*
 * Those of @sources that are here, in place of what was kept before; one transaction. 0, or an
 * error of writing: the recording is whole without it.
 */
int recording_keep_sources(struct recording *recording, const struct model *model,
			   const struct source_list *sources, struct err *err);

/*
 * Appends all that were kept; their paths become strings of @model.  A damaged block has none. 0,
 * -ENOMEM or an error of reading.
 */
int recording_read_sources(struct recording *recording, struct model *model,
			   struct source_list *sources, struct err *err);

#endif
