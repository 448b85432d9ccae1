/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h - the running kernel's own symbol table
 *
 * /proc/kallsyms (or a copy given with --kallsyms) lists text symbols of the kernel, its
 * modules and BPF programs with run-time addresses.  They have no sizes: a symbol ends where
 * the next begins, or at the end of its text range.  The file reads as all zeros for those
 * whom kptr_restrict refuses; that is reported as -EACCES, not taken for an empty table.
 *
 * The table is read once, at the start of a recording: capture takes the text ranges from
 * it (see model/context.h for what they mean), symbolize the names.
 */
#ifndef ASSAY_ELF_KALLSYMS_H
#define ASSAY_ELF_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct kernel_symbol {
	uint64_t addr;
	uint32_t name;		/* offset into names */
	uint32_t module;	/* offset of the module's name, 0: the kernel itself */
};

struct kallsyms {
	VEC(struct kernel_symbol) symbols;	/* text only, sorted by addr; aliases and markers
						   (__irqentry_text_start) are all kept, the best
						   name first among equal addresses */
	VEC(char) names;			/* NUL-terminated; [0] is "" */
	uint64_t text_start_addr, text_end_addr;/* _stext, _etext */
};

int kallsyms_read(const char *path, struct kallsyms *ret_kallsyms, struct err *err);
void kallsyms_fini(struct kallsyms *kallsyms);

/* The address of the symbol called @name (linear), or 0. */
uint64_t kallsyms_addr(const struct kallsyms *kallsyms, const char *name);

/* The symbol that covers @addr and where it ends, or NULL. */
const struct kernel_symbol *kallsyms_lookup(const struct kallsyms *kallsyms, uint64_t addr,
					    uint64_t *ret_end_addr);

static inline const char *kallsyms_string(const struct kallsyms *kallsyms, uint32_t offset)
{
	return kallsyms->names.at + offset;
}

#endif
