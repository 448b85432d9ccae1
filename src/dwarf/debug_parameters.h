/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_parameters.h - the parameters of a function, and in which registers they are passed
 *
 * Names and types come from debug information, which is read as debug_lines.h explains. Where a
 * parameter is when its function is entered follows from the types, by the calling convention of
 * the platform (System V AMD64 ABI; AAPCS64). DW_AT_location is not used: in code that was not
 * optimized it is right only after the function's first instructions.
 *
 * What cannot be told is PASSED_SOMEHOW, such as small structures, which may be in registers of
 * either kind, and all that follows them. So is everything if the result is a structure that may be
 * returned in memory, whose address is then the first argument.
 *
 * Compilers change the convention of copies of functions ("f.constprop.0", "f.isra.0"). The caller
 * must not ask for these.
 */
#ifndef ASSAY_DWARF_DEBUG_PARAMETERS_H
#define ASSAY_DWARF_DEBUG_PARAMETERS_H

#include "dwarf/debug_lines.h"

#define DEBUG_PARAMETERS_MAX 64u	/* further ones are left out */

enum debug_passed {
	PASSED_IN_REGISTER,	/* for integers and addresses */
	PASSED_AS_FLOAT,	/* in a register for floating-point numbers, or in memory */
	PASSED_IN_MEMORY,	/* on the stack */
	PASSED_SOMEHOW,		/* not known */
};

struct debug_parameter {
	const char *name;	/* "": it has none */
	enum debug_passed passed;
	/* in a register: its number among those for integers and addresses, from 0 on */
	uint8_t number;
	uint8_t size_bytes;	/* of PASSED_IN_REGISTER: 1, 2, 4 or 8 */
	bool is_signed;
};

/* Receives a parameter, in their order. Its name is valid only until the callback returns. */
typedef void (*debug_parameter_fn)(void *context, const struct debug_parameter *parameter);

/*
 * Finds the parameters of the function that begins at @vaddr. Returns 0, -ENOENT if there is no
 * debug information of it, or another error of debug_lines_resolve().
 */
int debug_parameters_find(const struct image_file *file, const struct debug_lines_options *options,
			  uint64_t vaddr, debug_parameter_fn see, void *context);

/* Does the same for an image in memory, whose e_machine is @machine. */
int debug_parameters_from_bytes(const void *bytes, size_t size_bytes, uint16_t machine,
				uint64_t vaddr, debug_parameter_fn see, void *context);

#endif
