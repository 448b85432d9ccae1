/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_functions.h - the functions of a Go program, from the table that Go itself uses
 *
 * Each Go program contains a table of its functions (.gopclntab, the "pclntab"). Go's runtime needs
 * the table to walk stacks, so it is present in stripped programs, too. For each function the table
 * says where the function begins, what it is called, and how large its frame is at each
 * instruction. Go's linker writes .debug_frame from the same data. That section is not used here,
 * because it is compressed, is missing in stripped programs, and does not say what the flags say
 * (see struct go_function).
 *
 * The frame size at an instruction is the distance in bytes from the stack pointer to the place
 * where the stack pointer was at the function's first instruction. Go calls this the SP delta. Its
 * encoding is a sequence of pairs of numbers: by how much the size changes, and for how many bytes
 * of code it then holds.
 *
 * Programs that a host linker linked as position-independent have the table inside .data.rel.ro.
 * There, the table is found by its first bytes.
 *
 * All offsets and sizes are untrusted. A function whose description is damaged is counted and left
 * out. Functions are returned by rising address, and do not overlap, so the time to read all of
 * them is linear in the size of the code.
 *
 * Sources: Go's debug/gosym/pclntab.go, runtime/symtab.go and cmd/link/internal/ld/pcln.go, for
 * the four formats (Go 1.2, 1.16, 1.18 and 1.20), which differ in the first bytes of the table.
 */
#ifndef ASSAY_ELF_GO_FUNCTIONS_H
#define ASSAY_ELF_GO_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_reader.h"
#include "elf/image_file.h"

struct elf_source;
struct elf_sections;

struct go_functions {
	uint8_t *bytes;			/* owned; a NUL follows the table. NULL: no table */
	size_t size_bytes;
	uint32_t format;		/* the first four bytes of the table */
	uint32_t code_unit;		/* sizes of code are multiples of this many bytes */
	uint64_t text_vaddr;		/* added to the addresses in the table */
	uint64_t names_at, frames_at;	/* offsets in the table: names, frame sizes */
	uint64_t functions_at;		/* offset of the list of functions */
	uint64_t records_at;		/* offset from which offsets of functions count */
	uint64_t count, next;		/* number of functions; index of the next one to return */
	uint64_t end_vaddr;		/* end of the function that was returned last */
	uint32_t damaged_count;		/* number of functions that were left out */
};

struct go_function {
	uint64_t start_vaddr;
	uint64_t size_bytes;		/* up to the next function; includes padding */
	const char *name;		/* "" if unknown. Valid as long as the table. */
	bool is_outermost;		/* the function has no caller on its stack */
	/* the function sets the stack pointer to a value that its frame sizes do not express */
	bool switches_stack;
	bool is_assembly;		/* written in assembly (known from Go 1.18 on) */
	uint32_t code_unit;
	struct byte_reader frames;	/* frame sizes; failed if there are none */
};

/* The frame size that holds for a part of a function. */
struct go_frame_part {
	uint64_t start, end;		/* offsets from the start of the function */
	/* can be negative or odd in functions that were written in assembly */
	int32_t frame_bytes;
};

/*
 * Loads the table of @file. If @file has no such table, succeeds, and there are no functions.
 * @bytes is the whole image (file->size_bytes long) if it is in memory, or NULL to read file->fd.
 *
 * Returns 0, -ENOEXEC for a damaged file, -EFBIG, -ENOMEM, or an error of read(2). On failure
 * *@ret_functions is not written.
 */
int go_functions_read(const struct image_file *file, const void *bytes,
		      struct go_functions *ret_functions);

/*
 * Like go_functions_read(), for a caller that has already read the section table. Private to
 * src/elf.
 */
int go_functions_find(const struct image_file *file, const struct elf_source *source,
		      const struct elf_sections *sections, struct go_functions *ret_functions);

void go_functions_fini(struct go_functions *functions);

/* Gets the next function. Returns false at the end. */
bool go_functions_next(struct go_functions *functions, struct go_function *ret_function);

/*
 * Gets the next part of @function. *@part is the part before it, and receives the new one. Before
 * the first call it must be { 0 }. Returns 1, 0 at the end of the function, or -EBADMSG if the
 * frame sizes are damaged.
 */
int go_function_part(struct go_function *function, struct go_frame_part *part);

#endif
