/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_back.h - reads rows from the file that the model has released
 *
 * While recording, the model releases threads, processes and stacks that are written
 * (model_release_rows(), model_forget_stacks()). To count the totals at the end, all stacks are
 * needed again (recording_read_stacks() in recording.h), but only one column of threads and one of
 * processes.
 */
#ifndef ASSAY_STORE_READ_BACK_H
#define ASSAY_STORE_READ_BACK_H

#include "store/recording-private.h"

struct owners {
	VEC(uint32_t) process_of;	/* indexed by thread */
	VEC(uint32_t) application_of;	/* indexed by process */
};

/*
 * Reads both columns. Each has as many elements as the model has rows, and each element is an id of
 * the model; 0 if the file lacks the row. Call owners_fini() after success and failure. Returns 0
 * or a negative errno.
 */
int owners_read(struct recording *recording, const struct model *model, struct owners *ret_owners,
		struct err *err);
void owners_fini(struct owners *owners);

#endif
