/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_table.h - the code of hot functions, kept in the recording
 *
 * The code is written once, after recording_finish(). The totals that recording_finish() writes
 * determine which functions are hot. The code is read for one function at a time. model/code.h
 * defines which code is kept and how much.
 */
#ifndef ASSAY_STORE_CODE_TABLE_H
#define ASSAY_STORE_CODE_TABLE_H

#include "model/code.h"
#include "store/recording.h"

struct function_ids {
	VEC(uint32_t) list;
};

/*
 * Lists the functions that have at least 1/CODE_KEPT_SHARE of an event's samples outside idle time,
 * most samples first. The recording must be finished. Returns 0 or a read error.
 */
int recording_hot_functions(struct recording *recording, struct function_ids *ret_ids,
			    struct err *err);

/*
 * Writes @codes in one transaction. Returns 0 or a write error; after an error the recording is
 * intact, but does not contain the code.
 */
int recording_keep_code(struct recording *recording, const struct code_list *codes,
			struct err *err);

/*
 * Reads the code of @function. Returns 1 if all its bytes were kept. The caller then frees
 * *@ret_code with code_fini(). Returns 0 if the bytes were not kept or are damaged, -ENOMEM, or a
 * read error.
 */
int recording_read_code(struct recording *recording, const struct function *function,
			struct code *ret_code, struct err *err);

#endif
