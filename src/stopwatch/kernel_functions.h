/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_functions.h - finds functions of the kernel in which probes can be set
 *
 * Not every text symbol is a function that is called: some are labels, or parts of functions. The
 * kernel lists those that can be traced, and those in which it allows no probe, because its own
 * handling of probes needs them.
 */
#ifndef ASSAY_STOPWATCH_KERNEL_FUNCTIONS_H
#define ASSAY_STOPWATCH_KERNEL_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "elf/kallsyms.h"

struct kernel_functions {
	VEC(uint32_t) list;	/* indices in kallsyms.symbols, each address once */
	size_t left_out;	/* that match, but cannot be probed */
};

/*
 * Finds the functions that match @pattern (base/pattern.h). Returns 0, or a negative errno with a
 * message that says why there is none: -ENOENT if no symbol matches, -EOPNOTSUPP if probes are not
 * possible.
 */
int kernel_functions_find(const struct kallsyms *kallsyms, const char *pattern,
			  struct kernel_functions *ret_functions, struct err *err);
void kernel_functions_fini(struct kernel_functions *functions);

#endif
