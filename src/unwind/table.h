/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - how to unwind every instruction of an image
 *
 * Call frame information is a program per function (DWARF 5, 6.4): running it for each frame of
 * each sample is what makes unwinders slow.  Here it is run once for the whole image; what is left
 * is one row for each address where the rule changes, sorted, so that a frame costs one binary
 * search.  Rows name their rule by number: an image has ten to a hundred times as many rows as
 * different rules, and a rule has the room to be exact.
 *
 * Rows hold addresses as 32-bit distances from base_vaddr, the lowest described address; code
 * further away than 4 GiB is left out and counted.  A gap between functions is a row of rule 0,
 * which is UNWIND_GAP, and so is the last row; for UNWIND_PADDING see below.
 *
 * Where records overlap, an address belongs to the one that begins nearest below it, of several
 * with the same beginning to the last: what libgcc's search of .eh_frame_hdr finds.  Records
 * about what is no code of the image (functions that the linker dropped) are left out.
 *
 * A program's entry has no caller, which not every C library says: the record that begins there is
 * UNWIND_END, and where no record covers the entry its first bytes are.
 *
 * Nor has a frame whose return address is the first byte of a function with padding before it: no
 * call stands there, so it was not called but made up, as makecontext() does it (__start_context).
 * A search for the caller looks one byte before, so it comes to the last byte of the padding:
 * UNWIND_PADDING is what lies in front of a function that is aligned and is shorter than that
 * alignment, which makes the last byte known without a row of its own (rule.h).  A call that is the
 * last instruction of a function returns to the first byte behind it, be that padding or the next
 * function: the search comes to the call itself, whose function's rule counts, as in libgcc.  Other
 * gaps, and what returns to the midst of a short one, are code that no record covers.
 *
 * _init and _fini of x86_64, which no record covers, get rows from their bytes (init_code.h), and
 * so does the system call in clone() (clone_code.h).
 *
 * Few images count a CFA from the kept register (rule.h).  The first such rule of an image is where
 * its table is begun anew, now with what all rules say of kept.
 *
 * Two images of one build-id have equal tables: see table_cache.h.
 */
#ifndef ASSAY_UNWIND_TABLE_H
#define ASSAY_UNWIND_TABLE_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "elf/image_file.h"
#include "unwind/rule.h"

#define UNWIND_RULES_MAX 65536u
#define UNWIND_ROWS_MAX (1u << 24)	/* of one image, some seven times those of clang */
#define UNWIND_FUNCTIONS_MAX (1u << 22)

struct unwind_table {
	uint64_t base_vaddr;
	VEC(struct unwind_row) rows;	/* sorted by offset, no two alike in succession */
	VEC(struct unwind_rule) rules;	/* distinct; [0] is UNWIND_GAP, [1] UNWIND_UNSUPPORTED */
	uint32_t fde_count;		/* those that made rows, before overlaps */
	uint32_t
		damaged_count; /* records that could not be read: their code is a gap, or padding */
	uint32_t unsupported_rows;	/* before merging */
	uint32_t far_count;		/* functions beyond 4 GiB */
};

/*
 * From the records that elf/frame_records.h finds.  0 also for an image that describes nothing: its
 * table has no rows.  -ENOEXEC for a machine that is neither x86_64 nor aarch64 (64 bits, the
 * host's byte order) or a damaged file, -EFBIG, -ENOMEM, or an error of read(2).  The table is
 * written in any case; unwind_table_fini() after any of them.
 */
int unwind_table_build(const struct image_file *file, struct unwind_table *ret_table,
		       struct err *err);
/* The same of an image in memory (the vdso). */
int unwind_table_build_bytes(const void *bytes, size_t size_bytes, const char *name,
			     struct unwind_table *ret_table, struct err *err);
void unwind_table_fini(struct unwind_table *table);

/* The rule at @vaddr; never NULL: outside of all rows it is UNWIND_GAP. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t vaddr);

#endif
