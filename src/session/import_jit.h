/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_jit.h - names of generated code in an imported recording (symbolize/jit.h)
 *
 * The names come only from jitdump files. A jitdump is read from the path in the recording if this
 * is the machine that was recorded. Otherwise it is read from the directory of the imported file,
 * under its own name.
 */
#ifndef ASSAY_SESSION_IMPORT_JIT_H
#define ASSAY_SESSION_IMPORT_JIT_H

#include "import/import.h"
#include "symbolize/jit.h"

struct import_jit {
	struct model *model;
	const char *imported;	/* path of the imported file; borrowed */
	struct jit *jit;	/* NULL if memory was short; generated code has no names then */
};

void import_jit_init(struct import_jit *jit, struct model *model, const char *imported);
void import_jit_fini(struct import_jit *jit);

/*
 * Opens the jitdump. If it is missing or cannot belong to the process, counts it as
 * LOSS_JITDUMP_REFUSED.
 */
void import_jit_see(struct import_jit *jit, const struct import_jitdump *dump);

/* Must be called before each flush. */
void import_jit_settle(struct import_jit *jit, struct sample_batch *batch);

#endif
