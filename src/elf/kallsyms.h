/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h - the symbol table of the running kernel
 *
 * /proc/kallsyms (or a copy passed with --kallsyms) lists text symbols of the kernel, its modules
 * and BPF programs with their run-time addresses. The symbols have no sizes. A symbol ends where
 * the next symbol begins, or at the end of the text (of the kernel or a module) that contains it.
 * If the kptr_restrict setting denies access, all addresses in the file read as zero. In this case
 * kallsyms_read() returns -EACCES instead of an empty table.
 *
 * The table is read once, at the start of a recording. capture uses the text ranges in the table
 * (see model/context.h for their meaning), and symbolize uses the names.
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
	uint32_t name;		/* offset in names */
	uint32_t module;	/* offset of the module's name in names; 0: the kernel itself */
};

struct kallsyms {
	/*
	 * Text symbols only, sorted by addr. All aliases and markers (such as
	 * __irqentry_text_start) are kept. If several symbols have the same address, the most
	 * useful name comes first.
	 */
	VEC(struct kernel_symbol) symbols;
	/* strings, each with its NUL; the string at offset 0 is "" */
	VEC(char) names;
	uint64_t text_start_addr, text_end_addr;/* addresses of _stext and _etext */
};

int kallsyms_read(const char *path, struct kallsyms *ret_kallsyms, struct err *err);
void kallsyms_fini(struct kallsyms *kallsyms);

/* Returns the address of the symbol @name, or 0. Searches linearly. */
uint64_t kallsyms_addr(const struct kallsyms *kallsyms, const char *name);

/* Returns the symbol that covers @addr, or NULL. *@ret_end_addr is the symbol's end address. */
const struct kernel_symbol *kallsyms_lookup(const struct kallsyms *kallsyms, uint64_t addr,
					    uint64_t *ret_end_addr);

static inline const char *kallsyms_string(const struct kallsyms *kallsyms, uint32_t offset)
{
	return kallsyms->names.at + offset;
}

#endif
