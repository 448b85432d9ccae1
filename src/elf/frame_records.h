/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_records.h - the records of .eh_frame and .debug_frame, one after the other
 *
 * Both sections hold two sorts of records: an FDE says which code it describes, with a program
 * that undoes a call from there; a CIE says what several FDEs have in common.  This walks them and
 * hands out each FDE with its CIE; the programs are somebody else's (unwind/cfi.h).
 *
 * Where they come from, the first that exists: section .eh_frame, section .debug_frame, and, for
 * files without section headers, the place that PT_GNU_EH_FRAME leads to.  The search table of
 * .eh_frame_hdr itself is not used: it repeats what the records say, and may not be there.
 *
 * The walk is linear in the size of the section whatever it holds: a CIE is read once however
 * many FDEs name it, and the CIEs may not have more instructions between them than the section has
 * bytes (each FDE could name another place inside of one long CIE).
 *
 * The bytes are copied from the file and owned here; readers and CIEs that are handed out point
 * into them, and live as long.
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
	bool readable;			/* false: its FDEs are damaged */
	bool signal;			/* its code is where the kernel makes a handler return to */
	bool has_augmentation_data;
	uint8_t encoding;		/* of addresses in its FDEs: DW_EH_PE_* */
	uint8_t address_bytes;		/* size of a plain one */
	uint64_t code_align, ra_register;
	int64_t data_align;
	struct byte_reader instructions;
};

struct frame_fde {
	size_t cie;			/* index into frame_records.cies */
	uint64_t start_vaddr, size_bytes;
	struct byte_reader instructions;
};

#define FRAME_CODE_MAX 64u

/* Code that assembly without records makes up, as a linker puts it together. */
struct frame_code {
	uint64_t vaddr;
	size_t size_bytes;		/* 0: none, or too large to be the usual */
	uint8_t bytes[FRAME_CODE_MAX];
};

struct frame_records {
	struct frame_code init, fini;	/* the sections .init and .fini */
	uint8_t *bytes;			/* owned */
	struct byte_reader r;		/* over all of them, at the next record */
	uint64_t vaddr;			/* of the first byte */
	uint64_t data_vaddr;		/* what DW_EH_PE_datarel counts from; 0: not known */
	bool is_elf64, is_debug;
	bool ends_at_zero;		/* the size is a guess: a record of no length is the end */
	VEC(struct frame_cie) cies;	/* those that FDEs named so far */
	struct u64map cie_index;	/* offset of a CIE -> its index */
	size_t last_at, last_cie;	/* the one that was named last */
	size_t cie_bytes_left;
	uint32_t damaged_count;		/* FDEs that were left out */
};

/*
 * Loads what @file has; without records there is nothing to walk, which is no error.  @bytes is
 * the image itself (of file->size_bytes) when it is in memory, NULL to read file->fd.
 * -ENOEXEC for a damaged file, -ENOTSUP for a compressed .debug_frame, -EFBIG, -ENOMEM, or an
 * error of read(2).  On failure *ret_records is not written.
 */
int frame_records_read(const struct image_file *file, const void *bytes,
		       struct frame_records *ret_records);

/* The same for who has the section table already; this room only. */
int frame_records_find(const struct image_file *file, const struct elf_source *source,
		       const struct elf_sections *sections, struct frame_records *ret_records);

void frame_records_fini(struct frame_records *records);

/*
 * The next FDE: 1, 0 at the end, -ENOEXEC where a length is damaged, so that what follows cannot be
 * found, -ENOMEM.
 */
int frame_records_next(struct frame_records *records, struct frame_fde *ret_fde);

/* An address in the encoding of @cie (an operand of DW_CFA_set_loc); @r is inside of an FDE. */
uint64_t frame_records_address(const struct frame_records *records, const struct frame_cie *cie,
			       struct byte_reader *r);

/* The address that .eh_frame_hdr, @size_bytes of it shown at @vaddr, gives for .eh_frame; this
   room only. 0 or -ENOEXEC. */
int frame_header_parse(const struct image_file *file, const uint8_t *bytes, size_t size_bytes,
		       uint64_t vaddr, uint64_t *ret_vaddr);

#endif
