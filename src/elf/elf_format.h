/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_format.h - read the records of an ELF file of either class and byte order
 *
 * The bytes come from an elf_source. It is either a file descriptor, from which pread() copies the
 * bytes, or a range of memory. Files are never mapped, because their owner may truncate them at any
 * time, and an access to a mapped page that no longer exists raises SIGBUS.
 *
 * Neither this code nor the readers of symbols and call frames in this directory use libelf. libelf
 * maps files or reads them whole, and allocates as much memory as a hostile file claims to hold.
 * The code here compares every size with the size of the file before it uses the size.
 *
 * The parse functions take bytes and return records with 64-bit fields in host byte order. They
 * fail if the record is incomplete, but do not check whether its contents make sense. A record can
 * contain offsets and sizes. When these are used, elf_source_read() checks them against the size of
 * the file.
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
	int fd;			/* borrowed; used if bytes is NULL */
	const uint8_t *bytes;	/* borrowed */
	uint64_t size_bytes;	/* size of the file when it was opened */
};

/*
 * Reads all @size_bytes at @offset. Returns 0, -ENOEXEC if the file does not have these bytes, or
 * an error such as -EIO.
 */
int elf_source_read(const struct elf_source *source, uint64_t offset, size_t size_bytes,
		    void *ret_bytes);

/*
 * Like elf_source_read(), but allocates *@ret_bytes, which the caller frees, and appends one NUL
 * byte. Also returns -EFBIG if @size_bytes exceeds @limit_bytes, or -ENOMEM.
 */
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
	/* offset of the name in the section that contains the section names */
	uint32_t name;
	uint32_t type;
	uint64_t flags, vaddr, offset, size_bytes;
	uint32_t link, info;
	uint64_t entry_size_bytes;
};

struct elf_sym {
	uint32_t name;		/* offset of the name in the string table */
	uint8_t info;
	uint16_t section;
	uint64_t value, size_bytes;
};

/* Size of the largest ELF header, and the limit on the number of sections. */
#define ELF_HEADER_MAX_BYTES 64
#define ELF_SECTIONS_MAX (UINT32_C(1) << 20)

/* Parses an ELF header. Returns 0, or -ENOEXEC if it is not valid. */
int elf_header_parse(const void *bytes, size_t size_bytes, struct elf_header *ret_header);

/*
 * Each function reads the next record of a table from @r, in the byte order of @r. If the table has
 * no further record, @r is marked as failed.
 */
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
 * Reads the header and the section table. If the file has no section headers, succeeds with
 * shdrs.count 0. Returns -ENOEXEC if the header or the table is damaged.
 */
int elf_sections_read(const struct elf_source *source, struct elf_sections *ret_sections);
void elf_sections_fini(struct elf_sections *sections);

/* Returns the name of a section, or "" if it has none. */
const char *elf_section_name(const struct elf_sections *sections, const struct elf_shdr *shdr);

/* Returns the first section with this name that has bytes in the file, or NULL. */
const struct elf_shdr *elf_section_find(const struct elf_sections *sections, const char *name);

/*
 * Loads the contents of a section into new memory, which the caller frees, and appends a NUL byte.
 * Returns -EFBIG if the section is larger than @limit_bytes. Returns -ENOTSUP if the section is
 * compressed. Toolchains compress only debug information. If any other section is compressed, this
 * is probably an attempt to make a small file expand to a huge size.
 */
int elf_section_load(const struct elf_source *source, const struct elf_shdr *shdr,
		     uint64_t limit_bytes, uint8_t **ret_bytes, size_t *ret_size_bytes);

#endif
