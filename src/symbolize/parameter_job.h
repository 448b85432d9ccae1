/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parameter_job.h - finds the parameters of a function in a reader (readers/readers.h)
 *
 * The request is where debug files are (debug_access.h), and u64 vaddr of the function. The reply
 * is u32 count, and for each parameter u32 passed (enum debug_passed), u32 register, u32 size, u32
 * is_signed, and its name. Numbers are in the host's byte order.
 */
#ifndef ASSAY_SYMBOLIZE_PARAMETER_JOB_H
#define ASSAY_SYMBOLIZE_PARAMETER_JOB_H

#include "base/vec.h"
#include "dwarf/debug_parameters.h"
#include "readers/readers.h"

extern const struct reader_job parameter_job;

struct found_parameters {
	VEC(struct debug_parameter) list;	/* in their order */
	uint8_t *reply;				/* has the names; owned */
};

/*
 * Finds the parameters of the function at @vaddr of @fd, which stays open. @readers may be NULL:
 * then this process reads the file. Returns 0, -ENOENT if there is no debug information of it, or
 * another negative errno.
 */
int parameters_find(struct readers *readers, int fd, uint64_t vaddr,
		    struct found_parameters *ret_parameters);
void found_parameters_fini(struct found_parameters *parameters);

/*
 * Reads a reply into *@parameters, which is empty and then owns @reply. Returns 0, -EBADMSG or
 * -ENOMEM; call found_parameters_fini() in any case. For parameters_find() and tests.
 */
int parameters_take(uint8_t *reply, size_t size_bytes, struct found_parameters *parameters);

#endif
