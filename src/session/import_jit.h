/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_jit.h - names generated code in an imported recording (symbolize/jit.h)
 *
 * The names come only from jitdump files. If this is the machine that was recorded, a jitdump is
 * read from the path in the recording. Otherwise the file jit-PID.dump in the directory of the
 * imported file is read.
 */
#ifndef ASSAY_SESSION_IMPORT_JIT_H
#define ASSAY_SESSION_IMPORT_JIT_H

#include "import/import.h"
#include "symbolize/jit.h"

struct import_jit {
	struct model *model;
	const char *imported;	/* path of the imported file; borrowed */
	/* NULL if it could not be allocated; generated code then has no names */
	struct jit *jit;
};

void import_jit_init(struct import_jit *jit, struct model *model, const char *imported);
void import_jit_fini(struct import_jit *jit);

/*
 * Opens the jitdump. If it is missing or does not belong to the process, counts it as
 * LOSS_JITDUMP_REFUSED.
 */
void import_jit_see(struct import_jit *jit, const struct import_jitdump *dump);

/*
 * Assigns those samples of @batch that hit generated code to named functions. Must be called before
 * each flush.
 */
void import_jit_settle(struct import_jit *jit, struct sample_batch *batch);

#endif
