/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_code.h - stores the code of hot functions in the recording */
#ifndef ASSAY_SESSION_RECORD_CODE_H
#define ASSAY_SESSION_RECORD_CODE_H

#include "store/recording.h"
#include "symbolize/jit.h"
#include "symbolize/symbolize.h"

/*
 * Stores the code of hot functions as model/code.h describes it. Call this after
 * recording_finish(). @named gives the paths of image files. @jit provides generated code and may
 * be NULL, as may @kcore, which is /proc/kcore if it is open already. Code that cannot be read or
 * written is left out; `assay annotate` then looks for the original file and reports if the file is
 * missing.
 */
void record_code_keep(struct recording *recording, const struct model *model,
		      const struct symbolize_options *named, const struct jit *jit,
		      const struct image_file *kcore);

#endif
