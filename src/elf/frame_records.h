/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_records.h - walk the records of .eh_frame and .debug_frame
 *
 * Both sections hold two kinds of records. An FDE describes a range of code. The FDE contains a
 * program that computes, for each address of the range, the registers of the caller. A CIE holds
 * the data that several FDEs have in common. The functions here walk the records and return each
 * FDE with its CIE. unwind/cfi.h interprets the programs.
 *
 * The records come from the first of these that exists:
 * - section .eh_frame
 * - section .debug_frame
 * - the .eh_frame data that PT_GNU_EH_FRAME leads to, in files without section headers
 *
 * The search table in .eh_frame_hdr is not used, because it only repeats data of the records and
 * may be missing.
 *
 * The time of the walk is linear in the size of the section, even if the contents are malicious. A
 * CIE is read only once, even if many FDEs refer to it. The total size of the instructions of all
 * CIEs is limited to the size of the section. Without this limit, each FDE could refer to a
 * different CIE that begins somewhere inside one long CIE.
 *
 * libdw's dwarf_next_cfi() and dwarf_cfi_addrframe() are not used. They look up one address at a
 * time, and do not limit the work that overlapping records cause. Unwind tables need all records of
 * a file in one pass.
 *
 * The bytes are copied from the file and owned by struct frame_records. The readers and CIEs that
 * are returned point into that copy, so they are valid until the struct is freed.
 *
 * Sources: Linux Standard Base, Core, "Exception Frames" (.eh_frame, .eh_frame_hdr, encodings);
 * DWARF 2 to 5, section 6.4.1 (.debug_frame).
 */
#ifndef ASSAY_ELF_FRAME_RECORDS_H
#define ASSAY_ELF_FRAME_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_reader.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "elf/image_file.h"

struct elf_source;
struct elf_sections;

#define FRAME_CIES_MAX 65536u

struct frame_cie {
	/* false: the CIE cannot be used, and its FDEs are counted as damaged */
	bool readable;
	/* the code is a signal trampoline, to which signal handlers return */
	bool signal;
	bool has_augmentation_data;
	uint8_t encoding;		/* DW_EH_PE_* encoding of addresses in FDEs */
	uint8_t address_bytes;		/* size of an address */
	uint64_t code_align, ra_register;
	int64_t data_align;
	struct byte_reader instructions;
};

struct frame_fde {
	size_t cie;			/* index in frame_records.cies */
	uint64_t start_vaddr, size_bytes;
	struct byte_reader instructions;
};

#define FRAME_CODE_MAX 64u

/*
 * The code of .init or .fini. The linker builds these sections from pieces of assembly that have no
 * frame records.
 */
struct frame_code {
	uint64_t vaddr;
	/* 0: the section is missing, larger than FRAME_CODE_MAX, or not readable */
	size_t size_bytes;
	uint8_t bytes[FRAME_CODE_MAX];
};

struct frame_records {
	struct frame_code init, fini;	/* the sections .init and .fini */
	uint64_t plt_vaddr, plt_bytes;	/* the section .plt; 0: there is none */
	uint8_t *bytes;			/* owned */
	struct byte_reader r;		/* reader over all records, positioned at the next record */
	uint64_t vaddr;			/* vaddr of the first byte */
	uint64_t data_vaddr;		/* base address for DW_EH_PE_datarel; 0: unknown */
	bool is_elf64, is_debug;
	/* true: a record of length 0 ends the records, and r.size_bytes is only an upper limit */
	bool ends_at_zero;
	VEC(struct frame_cie) cies;	/* the CIEs that FDEs have referred to so far */
	struct u64map cie_index;	/* offset of a CIE -> its index in @cies */
	/* offset and index of the CIE that the most recent FDE referred to */
	size_t last_at, last_cie;
	size_t cie_bytes_left;
	/* number of FDEs that were skipped because they are damaged */
	uint32_t damaged_count;
};

/*
 * Loads the frame records of @file. If @file has no records, succeeds, and the walk returns no FDE.
 * @bytes is the whole image (file->size_bytes long) if it is in memory, or NULL to read file->fd.
 *
 * Returns 0, -ENOEXEC for a damaged file, -ENOTSUP for a compressed .debug_frame, -EFBIG, -ENOMEM,
 * or an error of read(2). On failure *ret_records is not written.
 */
int frame_records_read(const struct image_file *file, const void *bytes,
		       struct frame_records *ret_records);

/*
 * Like frame_records_read(), for a caller that has already read the section table. Private to
 * src/elf.
 */
int frame_records_find(const struct image_file *file, const struct elf_source *source,
		       const struct elf_sections *sections, struct frame_records *ret_records);

void frame_records_fini(struct frame_records *records);

/*
 * Reads the next FDE. Returns 1 if there is one, and 0 at the end. Returns -ENOMEM, or -ENOEXEC if
 * a damaged length makes it impossible to find the next record.
 */
int frame_records_next(struct frame_records *records, struct frame_fde *ret_fde);

/*
 * Reads an address that is encoded as @cie specifies, such as the operand of DW_CFA_set_loc. @r
 * must read the bytes of an FDE.
 */
uint64_t frame_records_address(const struct frame_records *records, const struct frame_cie *cie,
			       struct byte_reader *r);

/*
 * Reads the address of .eh_frame from the first @size_bytes of .eh_frame_hdr. @vaddr is the address
 * of .eh_frame_hdr. Private to src/elf. Returns 0 or -ENOEXEC.
 */
int frame_header_parse(const struct image_file *file, const uint8_t *bytes, size_t size_bytes,
		       uint64_t vaddr, uint64_t *ret_vaddr);

#endif
