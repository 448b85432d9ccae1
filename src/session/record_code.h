/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_code.h - the code of what turned out to be hot goes into the recording
 */
#ifndef ASSAY_SESSION_RECORD_CODE_H
#define ASSAY_SESSION_RECORD_CODE_H

#include "store/recording.h"
#include "symbolize/jit.h"
#include "symbolize/symbolize.h"

/*
 * After recording_finish(): see model/code.h for what is kept. Files are those that @named was
 * told of; @jit: NULL, or who named generated code. What cannot be read or written is left out;
 * `assay annotate` then looks where the code was, and says so when it is gone.
 */
void record_code_keep(struct recording *recording, const struct model *model,
		      const struct symbolize_options *named, const struct jit *jit);

#endif
