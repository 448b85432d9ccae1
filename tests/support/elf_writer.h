/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_writer.h - creates small ELF files in memory for tests
 *
 *	struct elf_writer w;
 *	elf_writer_init(&w, &(struct elf_writer_options){ .machine = EM_X86_64 });
 *	text = elf_writer_text(&w, ".text", 0x1000, 0x200);
 *	elf_writer_symbol(&w, SHT_SYMTAB, &(struct writer_symbol){ "main", 0x1000, 16, ... });
 *	bytes = elf_writer_finish(&w, &size_bytes);	from malloc; the writer is empty again
 *
 * Sections are written in the order in which they were created. Each allocated section gets a
 * program header: PT_NOTE for notes, the matching type for .eh_frame_hdr and .interp, and PT_LOAD
 * for the others. Symbol tables, their strings, relocations and .eh_frame are created on first use.
 * Both ELF classes and both byte orders are supported. If memory runs out, abort() ends the test.
 */
#ifndef ASSAY_TESTS_ELF_WRITER_H
#define ASSAY_TESTS_ELF_WRITER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct elf_writer_options {
	uint16_t type;		/* 0 means ET_DYN */
	uint16_t machine;	/* 0 means EM_X86_64 */
	bool is_elf32;
	bool swapped;		/* use the byte order that is not the host's */
	bool no_sections;	/* without section headers, as after sstrip */
	uint64_t entry_vaddr;	/* 0 means 0x1000 */
};

/* A growing buffer. Values are written in the file's byte order and word size. */
struct writer_bytes {
	VEC(uint8_t) data;
};

struct writer_section {
	const char *name;	/* borrowed until elf_writer_finish() */
	uint32_t type, link, info;
	uint64_t flags, vaddr, entry_size_bytes;
	struct writer_bytes content;
	uint64_t offset;	/* set by elf_writer_finish() */
};

struct writer_symbol {
	const char *name;
	uint64_t vaddr, size_bytes;
	unsigned int binding;	/* STB_LOCAL, ... */
	unsigned int type;	/* STT_NOTYPE, ... */
	unsigned int section;	/* section index, SHN_UNDEF or SHN_ABS */
};

struct elf_writer {
	struct elf_writer_options options;
	VEC(struct writer_section) sections;	/* [0] is the null section */
};

void elf_writer_init(struct elf_writer *writer, const struct elf_writer_options *options);

/* Adds a section with this content (zeros if @bytes is NULL). Returns its index. */
unsigned int elf_writer_section(struct elf_writer *writer, const struct writer_section *section,
				const void *bytes, size_t size_bytes);
unsigned int elf_writer_text(struct elf_writer *writer, const char *name, uint64_t vaddr,
			     size_t size_bytes);
void elf_writer_build_id(struct elf_writer *writer, const void *id, size_t size_bytes);

/*
 * Appends a symbol to the SHT_SYMTAB or SHT_DYNSYM table. Returns the symbol's index in the table.
 */
unsigned int elf_writer_symbol(struct elf_writer *writer, uint32_t table,
			       const struct writer_symbol *symbol);

/*
 * Adds a relocation: the dynamic linker stores the address of symbol @symbol of .dynsym at
 * @slot_vaddr.
 */
void elf_writer_relocation(struct elf_writer *writer, uint64_t slot_vaddr, uint32_t type,
			   unsigned int symbol);

/* Adds an FDE with pc-relative 32-bit addresses to the .eh_frame at @eh_frame_vaddr. */
void elf_writer_fde(struct elf_writer *writer, uint64_t eh_frame_vaddr, uint64_t start_vaddr,
		    uint32_t size_bytes);

uint8_t *elf_writer_finish(struct elf_writer *writer, size_t *ret_size_bytes);

/* For content that a test lays out itself: appends @value as @size_bytes bytes. */
void elf_writer_put(const struct elf_writer *writer, struct writer_bytes *bytes, uint64_t value,
		    size_t size_bytes);
void elf_writer_put_bytes(struct writer_bytes *bytes, const void *more, size_t size_bytes);

#endif
