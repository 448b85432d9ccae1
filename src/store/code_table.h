/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_table.h - the code of hot functions, kept in the recording
 *
 * Written once, after recording_finish(), which knows what is hot; read for one function at a
 * time.  What is kept and how much of it: model/code.h.
 */
#ifndef ASSAY_STORE_CODE_TABLE_H
#define ASSAY_STORE_CODE_TABLE_H

#include "model/code.h"
#include "store/recording.h"

struct function_ids {
	VEC(uint32_t) list;
};

/*
 * Functions with at least one part in CODE_KEPT_SHARE of an event's samples outside idle time,
 * those with most of them first. For a recording that was finished. 0, or an error of reading.
 */
int recording_hot_functions(struct recording *recording, struct function_ids *ret_ids,
			    struct err *err);

/* One transaction. 0, or an error of writing: the recording is whole without it. */
int recording_keep_code(struct recording *recording, const struct code_list *codes,
			struct err *err);

/*
 * The bytes of @function, all of them, if they were kept: 1; 0 when they were not, or are
 * damaged; -ENOMEM or an error of reading. code_fini() after 1.
 */
int recording_read_code(struct recording *recording, const struct function *function,
			struct code *ret_code, struct err *err);

#endif
