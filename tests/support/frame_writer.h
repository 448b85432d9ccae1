/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_writer.h - creates .eh_frame and .debug_frame sections, record by record
 *
 *	struct frame_writer frames = { .vaddr = 0x4000 };
 *	cie = frame_writer_cie(&frames, &(struct writer_cie){ 0 });
 *	frame_writer_fde(&frames, cie, 0x1000, 0x40, FRAME_BYTES(0x41, 0x0e, 0x10));
 *	bytes = frame_writer_image(&frames, NULL, &size_bytes);
 *
 * Records are in the host's byte order and for 64-bit ELF files.
 */
#ifndef ASSAY_TESTS_FRAME_WRITER_H
#define ASSAY_TESTS_FRAME_WRITER_H

#include "elf_writer.h"

struct writer_program {
	const uint8_t *bytes;
	size_t size_bytes;
};

/* A program of DW_CFA operations, to be used as an argument. */
#define FRAME_BYTES(...)						\
	(struct writer_program)						\
	{								\
		(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })	\
	}

struct frame_writer {
	struct writer_bytes bytes;
	uint64_t vaddr;		/* address of the section */
	bool is_debug;		/* .debug_frame: different CIE ids, absolute addresses */
	bool is_dwarf64;	/* 64-bit lengths */
};

struct writer_cie {
	uint8_t version;		/* 0 means 1 */
	const char *augmentation;	/* NULL means "zR", or "" in .debug_frame */
	uint8_t encoding;		/* pointer encoding for 'R'; 0 means pcrel sdata4 */
	uint8_t code_align;		/* 0 means 1 */
	int8_t data_align;		/* 0 means -8 */
	uint8_t ra_register;		/* 0 means 16 */
	struct writer_program initial;	/* default: CFA = rsp + 8, return address at CFA - 8 */
};

/* Adds a CIE. Returns its offset in the section. */
size_t frame_writer_cie(struct frame_writer *frames, const struct writer_cie *cie);

/* Adds an FDE with addresses as pcrel sdata4, or absolute addresses in .debug_frame. */
void frame_writer_fde(struct frame_writer *frames, size_t cie, uint64_t start_vaddr,
		      uint64_t size_bytes, struct writer_program program);

/*
 * Adds an FDE without interpreting its fields: @head contains everything between the CIE pointer
 * and the program.
 */
void frame_writer_raw_fde(struct frame_writer *frames, size_t cie, struct writer_program head,
			  struct writer_program program);

/*
 * Returns a library with code at [0x1000, 0x3000) and these records, allocated with malloc().
 * @options may be NULL. If it asks for a file without sections, the library has a PT_GNU_EH_FRAME.
 * The writer is empty afterwards.
 */
uint8_t *frame_writer_image(struct frame_writer *frames, const struct elf_writer_options *options,
			    size_t *ret_size_bytes);

#endif
