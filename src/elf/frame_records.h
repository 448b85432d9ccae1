/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_records.h - walk the records of .eh_frame and .debug_frame
 *
 * Both sections hold two kinds of records. An FDE describes a range of code and has a program that
 * undoes a call from there. A CIE holds what several FDEs have in common. The functions here walk
 * the records and return each FDE with its CIE. The programs are interpreted elsewhere
 * (unwind/cfi.h).
 *
 * The records come from the first of these that exists: section .eh_frame, section .debug_frame,
 * or, in files without section headers, the place that PT_GNU_EH_FRAME leads to. The search table
 * in .eh_frame_hdr is not used, because it only repeats the records and may be missing.
 *
 * The walk takes linear time in the size of the section, whatever the section holds. A CIE is read
 * once, however many FDEs refer to it. All CIEs together may not have more bytes of instructions
 * than the section has bytes; otherwise each FDE could refer to another place inside one long CIE.
 *
 * The bytes are copied from the file and owned by struct frame_records. The readers and CIEs that
 * are returned point into that copy, and are valid as long as it is.
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
	bool readable;			/* false: its FDEs are counted as damaged */
	bool signal;			/* code is a signal trampoline, where handlers return */
	bool has_augmentation_data;
	uint8_t encoding;		/* DW_EH_PE_* encoding of the addresses in its FDEs */
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

/* Code of a section that a linker builds from pieces of assembly, which have no frame records. */
struct frame_code {
	uint64_t vaddr;
	size_t size_bytes;		/* 0: no such section, or larger than usual */
	uint8_t bytes[FRAME_CODE_MAX];
};

struct frame_records {
	struct frame_code init, fini;	/* the sections .init and .fini */
	uint8_t *bytes;			/* owned */
	struct byte_reader r;		/* reads all records; is at the next record */
	uint64_t vaddr;			/* of the first byte */
	uint64_t data_vaddr;		/* base address for DW_EH_PE_datarel; 0: unknown */
	bool is_elf64, is_debug;
	bool ends_at_zero;		/* size is an upper limit; a record of length 0 ends it */
	VEC(struct frame_cie) cies;	/* the CIEs that FDEs have referred to so far */
	struct u64map cie_index;	/* offset of a CIE -> its index */
	size_t last_at, last_cie;	/* offset and index of the CIE that was referred to last */
	size_t cie_bytes_left;
	uint32_t damaged_count;		/* number of FDEs that were skipped as damaged */
};

/*
 * Loads the frame records of @file. A file without records is not an error; the walk is then empty.
 * @bytes is the image itself (file->size_bytes long) if it is in memory, or NULL to read file->fd.
 * Returns 0, -ENOEXEC for a damaged file, -ENOTSUP for a compressed .debug_frame, -EFBIG, -ENOMEM,
 * or an error of read(2). On failure *ret_records is not written.
 */
int frame_records_read(const struct image_file *file, const void *bytes,
		       struct frame_records *ret_records);

/* Like frame_records_read(), if the caller has the section table already. Private to src/elf. */
int frame_records_find(const struct image_file *file, const struct elf_source *source,
		       const struct elf_sections *sections, struct frame_records *ret_records);

void frame_records_fini(struct frame_records *records);

/*
 * Returns 1 and the next FDE, or 0 at the end. Returns -ENOEXEC if a length is damaged, so that the
 * next record cannot be found, or -ENOMEM.
 */
int frame_records_next(struct frame_records *records, struct frame_fde *ret_fde);

/*
 * Reads an address in the encoding of @cie (an operand of DW_CFA_set_loc). @r must be inside an
 * FDE.
 */
uint64_t frame_records_address(const struct frame_records *records, const struct frame_cie *cie,
			       struct byte_reader *r);

/*
 * Parses @size_bytes of the .eh_frame_hdr that is mapped at @vaddr, and returns the address of
 * .eh_frame. Private to src/elf. Returns 0 or -ENOEXEC.
 */
int frame_header_parse(const struct image_file *file, const uint8_t *bytes, size_t size_bytes,
		       uint64_t vaddr, uint64_t *ret_vaddr);

#endif
