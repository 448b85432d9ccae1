/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_writer.h - small ELF files, made in memory for tests
 *
 *	struct elf_writer w;
 *	elf_writer_init(&w, &(struct elf_writer_options){ .machine = EM_X86_64 });
 *	text = elf_writer_text(&w, ".text", 0x1000, 0x200);
 *	elf_writer_symbol(&w, SHT_SYMTAB, &(struct writer_symbol){ "main", 0x1000, 16, ... });
 *	bytes = elf_writer_finish(&w, &size_bytes);	from malloc; the writer is empty again
 *
 * Sections are written in the order they were made; each allocated one gets a PT_LOAD, notes a
 * PT_NOTE, .eh_frame_hdr and .interp what their names say.  Tables of symbols, their strings,
 * relocations and .eh_frame are made as they are first used.  Both classes and byte orders.
 * Running out of memory ends the test by abort().
 */
#ifndef ASSAY_TESTS_ELF_WRITER_H
#define ASSAY_TESTS_ELF_WRITER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct elf_writer_options {
	uint16_t type;		/* 0: ET_DYN */
	uint16_t machine;	/* 0: EM_X86_64 */
	bool is_elf32;
	bool swapped;		/* the byte order that the host has not */
	bool no_sections;	/* as sstrip leaves it */
	uint64_t entry_vaddr;	/* 0: 0x1000 */
};

/* Bytes that grow, written in a file's order and width. */
struct writer_bytes {
	VEC(uint8_t) data;
};

struct writer_section {
	const char *name;	/* borrowed until the end */
	uint32_t type, link, info;
	uint64_t flags, vaddr, entry_size_bytes;
	struct writer_bytes content;
	uint64_t offset;	/* known when finished */
};

struct writer_symbol {
	const char *name;
	uint64_t vaddr, size_bytes;
	unsigned int binding;	/* STB_LOCAL ... */
	unsigned int type;	/* STT_NOTYPE ... */
	unsigned int section;	/* index, SHN_UNDEF, SHN_ABS */
};

struct elf_writer {
	struct elf_writer_options options;
	VEC(struct writer_section) sections;	/* [0] is the null section */
};

void elf_writer_init(struct elf_writer *writer, const struct elf_writer_options *options);

/* A section with this content (NULL: zeros); its index. */
unsigned int elf_writer_section(struct elf_writer *writer, const struct writer_section *section,
				const void *bytes, size_t size_bytes);
unsigned int elf_writer_text(struct elf_writer *writer, const char *name, uint64_t vaddr,
			     size_t size_bytes);
void elf_writer_build_id(struct elf_writer *writer, const void *id, size_t size_bytes);

/* Appends to the SHT_SYMTAB or SHT_DYNSYM; the index of the symbol in it. */
unsigned int elf_writer_symbol(struct elf_writer *writer, uint32_t table,
			       const struct writer_symbol *symbol);

/* "The dynamic linker puts the address of symbol @symbol of .dynsym at @slot_vaddr." */
void elf_writer_relocation(struct elf_writer *writer, uint64_t slot_vaddr, uint32_t type,
			   unsigned int symbol);

/* An FDE with pc-relative 32-bit addresses, in the .eh_frame at @eh_frame_vaddr. */
void elf_writer_fde(struct elf_writer *writer, uint64_t eh_frame_vaddr, uint64_t start_vaddr,
		    uint32_t size_bytes);

uint8_t *elf_writer_finish(struct elf_writer *writer, size_t *ret_size_bytes);

/* For content that a test lays out itself. */
void elf_writer_put(const struct elf_writer *writer, struct writer_bytes *bytes, uint64_t value,
		    size_t size_bytes);
void elf_writer_put_bytes(struct writer_bytes *bytes, const void *more, size_t size_bytes);

#endif
