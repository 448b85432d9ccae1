/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_job.h - finds the functions of an image by name, in a reader (readers/readers.h)
 *
 * The other way round than name_job.h: from names to addresses, and to where the functions end.
 * The request is where debug files are (debug_access.h), and the pattern. The reply is u32 machine,
 * u32 flags, u32 number of functions, and for each function u64 vaddr, u64 file offset, u64 size,
 * its first FUNCTION_CODE_BYTES, u32 is_decoded, u32 number of exits, u64 file offset of each exit,
 * and its name. Numbers are in the host's byte order.
 *
 * An exit is an instruction after which the function is left: a return, or a jump to another
 * function (a tail call). A jump to an address that is known only at run time may be either a tail
 * call or a part of a switch, and a conditional jump is not always taken. So exits may be missing;
 * those that are found are right, if the stack pointer is there what it was at the entry.
 */
#ifndef ASSAY_SYMBOLIZE_FUNCTION_JOB_H
#define ASSAY_SYMBOLIZE_FUNCTION_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "readers/readers.h"

#define FUNCTION_CODE_BYTES 16u
#define FUNCTIONS_FOUND_MAX 100000u
#define FUNCTION_EXITS_MAX 1000u

extern const struct reader_job function_job;

struct found_function {
	uint64_t vaddr, offset;		/* of its first instruction; @offset is in the file */
	uint64_t size_bytes;		/* 0: unknown */
	uint8_t code[FUNCTION_CODE_BYTES];	/* its first bytes; zeros follow a shorter one */
	bool is_decoded;		/* its exits could be looked for */
	uint32_t first_exit, exit_count;	/* in found_functions.exits */
	const char *name;		/* demangled; owned by the list */
};

struct found_functions {
	VEC(struct found_function) list;	/* by rising address */
	VEC(uint64_t) exits;		/* file offsets */
	uint16_t machine;		/* e_machine */
	bool is_go;			/* a Go program: its stacks move */
	bool has_all_names;		/* no function without a name can be there */
	bool has_resolver;		/* a name that matches is chosen at run time (IFUNC) */
	uint8_t *reply;			/* has the names; owned */
};

/*
 * Finds the functions of @fd, which stays open, that match @pattern (base/pattern.h), as they are
 * called in the file or demangled. @readers may be NULL: then this process reads the file. Returns
 * 0, -ENOEXEC if @fd is no ELF image, -E2BIG if more than FUNCTIONS_FOUND_MAX match, or an error of
 * readers_ask(). Finding none is no error.
 */
int functions_find(struct readers *readers, int fd, const char *pattern,
		   struct found_functions *ret_functions);
void found_functions_fini(struct found_functions *functions);

/*
 * Reads a reply into *@functions, which is empty and then owns @reply. Returns 0, -EBADMSG or
 * -ENOMEM; call found_functions_fini() in any case. For functions_find() and tests.
 */
int functions_take(uint8_t *reply, size_t size_bytes, struct found_functions *functions);

#endif
