/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_jit.h - the names of generated code in an imported recording (symbolize/jit.h)
 *
 * They come from jitdumps alone, which are still where the recording says, on the machine that was
 * recorded, or lie beside the imported file under their own name.
 */
#ifndef ASSAY_SESSION_IMPORT_JIT_H
#define ASSAY_SESSION_IMPORT_JIT_H

#include "import/import.h"
#include "symbolize/jit.h"

struct import_jit {
	struct model *model;
	const char *imported;	/* its path; borrowed */
	struct jit *jit;	/* NULL without memory: generated code has no names then */
};

void import_jit_init(struct import_jit *jit, struct model *model, const char *imported);
void import_jit_fini(struct import_jit *jit);

/* Opens it; one that is not there, or cannot be his, is LOSS_JITDUMP_REFUSED. */
void import_jit_see(struct import_jit *jit, const struct import_jitdump *dump);

/* Before each flush. */
void import_jit_settle(struct import_jit *jit, struct sample_batch *batch);

#endif
