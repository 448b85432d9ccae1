/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_writer.h - creates Go's table of functions (elf/go_functions.h)
 *
 *	struct go_writer go = { .format = GO_1_18, .text_vaddr = 0x1000 };
 *	go_writer_function(&go, "main.f", 0x1000, FRAME_BYTES(2, 64), 0);
 *	go_writer_end(&go, 0x1040);
 *	bytes = go_writer_image(&go, NULL, &size_bytes);
 *
 * Functions must be added by rising address.
 */
#ifndef ASSAY_TESTS_GO_WRITER_H
#define ASSAY_TESTS_GO_WRITER_H

#include "frame_writer.h"

enum {
	GO_1_2 = 0xfffffffb,
	GO_1_16 = 0xfffffffa,
	GO_1_18 = 0xfffffff0,
	GO_1_20 = 0xfffffff1,
};

#define GO_OUTERMOST 1u
#define GO_SWITCHES_STACK 2u
#define GO_ASSEMBLY 4u

struct writer_function {
	const char *name;
	uint64_t start_vaddr;
	struct writer_bytes frames;
	uint8_t flags;
};

struct go_writer {
	uint32_t format;
	uint64_t text_vaddr;		/* start of the code in the header */
	const char *section;		/* NULL means ".gopclntab" */
	size_t before_bytes;		/* size of other data before the table in its section */
	uint8_t code_unit;		/* 0 means 1 */
	VEC(struct writer_function) functions;
	uint64_t end_vaddr;
	struct writer_bytes text;	/* code from 0x1000 on; zeros follow */
};

/*
 * Adds a function. @name is borrowed. @frames are the frame sizes, as in the file; a 0 is added at
 * their end. If @frames is empty, the function has no frame sizes.
 */
void go_writer_function(struct go_writer *go, const char *name, uint64_t start_vaddr,
			struct writer_program frames, uint8_t flags);

/* Says where the last function ends. Must be called after all functions were added. */
void go_writer_end(struct go_writer *go, uint64_t end_vaddr);

/* Appends only the table to @bytes. */
void go_writer_table(struct go_writer *go, struct writer_bytes *bytes);

/* Adds the table as a section at 0x8000. Frees what @go contains. */
void go_writer_section(struct go_writer *go, struct elf_writer *writer);

/* Returns an image with .text from 0x1000 to 0x3000 and the table. Frees what @go contains. */
uint8_t *go_writer_image(struct go_writer *go, const struct elf_writer_options *options,
			 size_t *ret_size_bytes);

#endif
