/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_format.h - the records of an ELF file in one shape, whatever its class and byte order
 *
 * Private to this room.  An elf_source is where bytes come from: a descriptor, read with
 * pread() into our own memory, or bytes that are in memory already.  Files are never mapped:
 * their owner may truncate them at any moment, and a mapped page that is gone is a SIGBUS.
 *
 * The parse functions take bytes and answer with host-order, 64-bit records.  They check that
 * a record is there, not that it makes sense: offsets and sizes found in a record are checked
 * by elf_source_read() against the size of the file when they are used.
 *
 * Layouts: System V ABI, chapter 4 "Object Files" and 5 "Program Loading" (<elf.h>).
 */
#ifndef ASSAY_ELF_ELF_FORMAT_H
#define ASSAY_ELF_ELF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_reader.h"
#include "base/vec.h"

struct elf_source {
	int fd;			/* borrowed; used when bytes is NULL */
	const uint8_t *bytes;	/* borrowed */
	uint64_t size_bytes;	/* of the file, as it was when opened */
};

/* All @size_bytes at @offset: 0, -ENOEXEC when the file has no such bytes, or -EIO and the like. */
int elf_source_read(const struct elf_source *source, uint64_t offset, size_t size_bytes,
		    void *ret_bytes);

/* The same into new memory, with one NUL behind it. -EFBIG above @limit_bytes, -ENOMEM. */
int elf_source_load(const struct elf_source *source, uint64_t offset, uint64_t size_bytes,
		    uint64_t limit_bytes, uint8_t **ret_bytes);

struct elf_header {
	bool is_elf64, swapped;
	uint16_t type, machine;
	uint64_t entry_vaddr;
	uint64_t phdr_offset, shdr_offset;
	uint16_t phdr_size_bytes, phdr_count;
	uint16_t shdr_size_bytes, shdr_count, shdr_names_index;
};

struct elf_phdr {
	uint32_t type, flags;
	uint64_t offset, vaddr, file_size_bytes, memory_size_bytes;
};

struct elf_shdr {
	uint32_t name;		/* offset into the section of names */
	uint32_t type;
	uint64_t flags, vaddr, offset, size_bytes;
	uint32_t link, info;
	uint64_t entry_size_bytes;
};

struct elf_sym {
	uint32_t name;		/* offset into the string table */
	uint8_t info;
	uint16_t section;
	uint64_t value, size_bytes;
};

/* How many bytes the largest header takes, and how many sections we look at. */
#define ELF_HEADER_MAX_BYTES 64
#define ELF_SECTIONS_MAX (UINT32_C(1) << 20)

/* 0, or -ENOEXEC for what is no ELF header. */
int elf_header_parse(const void *bytes, size_t size_bytes, struct elf_header *ret_header);

/* The next record of a table; the reader has the byte order, and fails at its end. */
struct elf_phdr elf_phdr_next(struct byte_reader *r, bool is_elf64);
struct elf_shdr elf_shdr_next(struct byte_reader *r, bool is_elf64);
struct elf_sym elf_sym_next(struct byte_reader *r, bool is_elf64);

static inline size_t elf_sym_size(bool is_elf64)
{
	return is_elf64 ? 24 : 16;
}

/* The whole section table with its names. */
struct elf_sections {
	struct elf_header header;
	VEC(struct elf_shdr) shdrs;
	uint8_t *names;		/* owned, NUL-terminated */
	uint64_t names_size_bytes;
};

/*
 * Reads header and sections; a file without section headers has shdrs.count 0 and that is no
 * error.  -ENOEXEC when the header or the table is damaged.
 */
int elf_sections_read(const struct elf_source *source, struct elf_sections *ret_sections);
void elf_sections_fini(struct elf_sections *sections);

/* Its name, "" when it has none. */
const char *elf_section_name(const struct elf_sections *sections, const struct elf_shdr *shdr);

/* The first section with this name that has bytes in the file, or NULL. */
const struct elf_shdr *elf_section_find(const struct elf_sections *sections, const char *name);

/*
 * The content of a section in new memory with one NUL behind it. -EFBIG above @limit_bytes.
 * -ENOTSUP when it is compressed: toolchains pack debugging information only, which is not read
 * here, and a table that is packed all the same wants to be larger than its file.
 */
int elf_section_load(const struct elf_source *source, const struct elf_shdr *shdr,
		     uint64_t limit_bytes, uint8_t **ret_bytes, size_t *ret_size_bytes);

#endif
