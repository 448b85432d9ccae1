/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_table.h - unwind tables, which say how to unwind every instruction of an image
 *
 * Call frame information has a program for each function (DWARF 5, 6.4). Unwinders are slow if they
 * run that program for each frame of each sample. Here all programs of an image are run once, in
 * advance. The result is a sorted array with one row for each address at which the rule changes, so
 * that a frame costs one binary search. (A rule says how to undo one call, see rule.h.) Rows refer
 * to their rule by number, because an image has ten to a hundred times as many rows as different
 * rules. So each rule can be large enough to be exact.
 *
 * Rows store addresses as 32-bit distances from base_vaddr, the lowest described address. Code more
 * than 4 GiB above base_vaddr is left out and counted. A gap between functions is a row with rule
 * 0, which is UNWIND_GAP. The last row also has rule 0. UNWIND_PADDING is described below.
 *
 * If records overlap, an address belongs to the record with the nearest start at or below the
 * address. If several records have the same start, the address belongs to the last of them.
 * libgcc's search of .eh_frame_hdr finds the same record. Records for addresses that are not code
 * of the image (functions that the linker dropped) are left out.
 *
 * The function at which a program is entered has no caller, but not every C library says so. The
 * table therefore has UNWIND_END for the whole record that begins at the entry. If no record covers
 * the entry, the table has UNWIND_END for the first bytes from the entry on.
 *
 * A frame also has no caller if its return address is the first byte of a function with padding
 * before it. There is no call in the padding, so the frame was not made by a call. It was set up by
 * hand, as makecontext() does (__start_context). The lookup of a return address uses the address
 * minus 1, which here is the last byte of the padding. UNWIND_PADDING is the rule for a gap before
 * an aligned function if the gap is shorter than the alignment. The alignment alone identifies the
 * last byte of such a gap, so no separate row is needed (rule.h).
 *
 * The case of a function whose last instruction is a call is different. The return address is then
 * the first byte after the function, which may be padding or the next function. The lookup with the
 * address minus 1 finds the call itself. So the rule of the calling function is used, as in libgcc.
 * Other gaps, and return addresses inside a short gap, are treated as code that no record covers.
 *
 * In a Go program, Go's own table of functions takes precedence over records (go_frames.h).
 *
 * No record covers _init and _fini of x86_64, so their rows are made from their code (init_code.h).
 * The same is done for the system call in clone() (clone_code.h).
 *
 * Few images compute a CFA from the register kept (rule.h). When the first such rule of an image is
 * found, the table is built again from the start. All rules of the new table say where kept is
 * saved.
 *
 * Two images with the same build-id have equal tables; table_cache.h relies on this.
 */
#ifndef ASSAY_UNWIND_UNWIND_TABLE_H
#define ASSAY_UNWIND_UNWIND_TABLE_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "elf/image_file.h"
#include "unwind/rule.h"

#define UNWIND_RULES_MAX 65536u
#define UNWIND_ROWS_MAX (1u << 24)	/* maximum per image; about 7 times the rows of clang */
#define UNWIND_FUNCTIONS_MAX (1u << 22)

struct unwind_table {
	uint64_t base_vaddr;
	VEC(struct unwind_row) rows;	/* sorted by offset; successive rows have different rules */
	/* all different; [0] is UNWIND_GAP, [1] UNWIND_UNSUPPORTED */
	VEC(struct unwind_rule) rules;
	/* number of functions that were put into the table, counted before overlaps are resolved */
	uint32_t fde_count;
	/* number of unreadable records; the table has a gap or padding for their code */
	uint32_t damaged_count;
	/* number of rows with UNWIND_UNSUPPORTED, counted before equal rows are merged */
	uint32_t unsupported_rows;
	/* number of functions left out because they are more than 4 GiB above base_vaddr */
	uint32_t far_count;
};

/*
 * Builds the table of an image from what elf/frame_records.h and elf/go_functions.h find. Returns 0
 * even for an image without any records; its table then has no rows. Returns -ENOEXEC if the file
 * is damaged or is not for a supported machine: x86_64 or aarch64, with 64 bits and the host's byte
 * order.
 * Other errors are -EFBIG, -ENOMEM, and those of read(2). *@ret_table is written in all cases, and
 * the caller must call unwind_table_fini() even after an error.
 */
int unwind_table_build(const struct image_file *file, struct unwind_table *ret_table,
		       struct err *err);
/* Builds the table of an image in memory (the vdso), as unwind_table_build() does for a file. */
int unwind_table_build_bytes(const void *bytes, size_t size_bytes, const char *name,
			     struct unwind_table *ret_table, struct err *err);
void unwind_table_fini(struct unwind_table *table);

/*
 * Returns the rule that holds at @vaddr. Never returns NULL: if no row covers @vaddr, the rule is
 * UNWIND_GAP.
 */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t vaddr);

#endif
