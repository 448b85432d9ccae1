/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/elf_format.h"

#include <elf.h>
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"

#define NAMES_MAX_BYTES (UINT64_C(64) << 20)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_DATA ELFDATA2LSB
#else
#define HOST_DATA ELFDATA2MSB
#endif

int elf_source_read(const struct elf_source *source, uint64_t offset, size_t size_bytes,
		    void *ret_bytes)
{
	size_t done = 0;

	if (offset > source->size_bytes || size_bytes > source->size_bytes - offset)
		return -ENOEXEC;
	if (source->bytes) {
		memcpy(ret_bytes, source->bytes + offset, size_bytes);
		return 0;
	}
	while (done < size_bytes) {
		ssize_t n = pread(source->fd, (uint8_t *)ret_bytes + done, size_bytes - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENOEXEC;	/* the file was truncated after it was opened */
		done += (size_t)n;
	}
	return 0;
}

int elf_source_load(const struct elf_source *source, uint64_t offset, uint64_t size_bytes,
		    uint64_t limit_bytes, uint8_t **ret_bytes)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	int rc;

	if (size_bytes > limit_bytes)
		return -EFBIG;
	if (offset > source->size_bytes || size_bytes > source->size_bytes - offset)
		return -ENOEXEC;
	bytes = malloc(size_bytes + 1);
	if (!bytes)
		return -ENOMEM;
	rc = elf_source_read(source, offset, size_bytes, bytes);
	if (rc < 0)
		return rc;
	bytes[size_bytes] = '\0';
	*ret_bytes = TAKE_PTR(bytes);
	return 0;
}

int elf_section_load(const struct elf_source *source, const struct elf_shdr *shdr,
		     uint64_t limit_bytes, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	int rc;

	if (shdr->type == SHT_NOBITS)
		return -ENOEXEC;
	if (shdr->flags & SHF_COMPRESSED)
		return -ENOTSUP;
	rc = elf_source_load(source, shdr->offset, shdr->size_bytes, limit_bytes, ret_bytes);
	if (rc < 0)
		return rc;
	*ret_size_bytes = (size_t)shdr->size_bytes;
	return 0;
}

/* Reads an address or offset, which has 8 bytes in a 64-bit file and 4 bytes in a 32-bit file. */
static uint64_t word(struct byte_reader *r, bool is_elf64)
{
	return is_elf64 ? byte_reader_u64(r) : byte_reader_u32(r);
}

int elf_header_parse(const void *bytes, size_t size_bytes, struct elf_header *ret_header)
{
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	const uint8_t *ident = byte_reader_bytes(&r, EI_NIDENT);
	struct elf_header h = { 0 };

	if (!ident || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) ||
	    (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	h.is_elf64 = ident[EI_CLASS] == ELFCLASS64;
	h.swapped = r.swapped = ident[EI_DATA] != HOST_DATA;
	h.type = byte_reader_u16(&r);
	h.machine = byte_reader_u16(&r);
	byte_reader_skip(&r, 4);	/* e_version */
	h.entry_vaddr = word(&r, h.is_elf64);
	h.phdr_offset = word(&r, h.is_elf64);
	h.shdr_offset = word(&r, h.is_elf64);
	byte_reader_skip(&r, 4 + 2);	/* e_flags, e_ehsize */
	h.phdr_size_bytes = byte_reader_u16(&r);
	h.phdr_count = byte_reader_u16(&r);
	h.shdr_size_bytes = byte_reader_u16(&r);
	h.shdr_count = byte_reader_u16(&r);
	h.shdr_names_index = byte_reader_u16(&r);
	if (r.failed || (h.phdr_count && h.phdr_size_bytes != (h.is_elf64 ? 56 : 32)))
		return -ENOEXEC;
	*ret_header = h;
	return 0;
}

struct elf_phdr elf_phdr_next(struct byte_reader *r, bool is_elf64)
{
	struct elf_phdr phdr = { .type = byte_reader_u32(r) };

	if (is_elf64)
		phdr.flags = byte_reader_u32(r);
	phdr.offset = word(r, is_elf64);
	phdr.vaddr = word(r, is_elf64);
	(void)word(r, is_elf64);	/* p_paddr */
	phdr.file_size_bytes = word(r, is_elf64);
	phdr.memory_size_bytes = word(r, is_elf64);
	if (!is_elf64)
		phdr.flags = byte_reader_u32(r);
	(void)word(r, is_elf64);	/* p_align */
	return phdr;
}

struct elf_shdr elf_shdr_next(struct byte_reader *r, bool is_elf64)
{
	struct elf_shdr shdr = { .name = byte_reader_u32(r) };

	shdr.type = byte_reader_u32(r);
	shdr.flags = word(r, is_elf64);
	shdr.vaddr = word(r, is_elf64);
	shdr.offset = word(r, is_elf64);
	shdr.size_bytes = word(r, is_elf64);
	shdr.link = byte_reader_u32(r);
	shdr.info = byte_reader_u32(r);
	(void)word(r, is_elf64);	/* sh_addralign */
	shdr.entry_size_bytes = word(r, is_elf64);
	return shdr;
}

struct elf_sym elf_sym_next(struct byte_reader *r, bool is_elf64)
{
	struct elf_sym sym = { .name = byte_reader_u32(r) };

	if (!is_elf64) {
		sym.value = byte_reader_u32(r);
		sym.size_bytes = byte_reader_u32(r);
	}
	sym.info = byte_reader_u8(r);
	byte_reader_skip(r, 1);		/* st_other */
	sym.section = byte_reader_u16(r);
	if (is_elf64) {
		sym.value = byte_reader_u64(r);
		sym.size_bytes = byte_reader_u64(r);
	}
	return sym;
}

static int read_shdr(const struct elf_source *source, const struct elf_header *h, uint64_t index,
		     struct elf_shdr *ret_shdr)
{
	uint8_t bytes[64];
	struct byte_reader r = byte_reader_of(bytes, h->shdr_size_bytes);
	int rc = elf_source_read(source, h->shdr_offset + index * h->shdr_size_bytes,
				 h->shdr_size_bytes, bytes);

	if (rc < 0)
		return rc;
	r.swapped = h->swapped;
	*ret_shdr = elf_shdr_next(&r, h->is_elf64);
	return 0;
}

/*
 * Reads the number of sections, and the index of the section that contains the section names. If
 * these values do not fit into 16 bits, they are stored in section 0 (see SHN_XINDEX in <elf.h>).
 */
static int section_counts(const struct elf_source *source, const struct elf_header *h,
			  uint64_t *ret_count, uint32_t *ret_names_index)
{
	struct elf_shdr first;
	int rc = read_shdr(source, h, 0, &first);

	if (rc < 0)
		return rc;
	*ret_count = h->shdr_count ? h->shdr_count : first.size_bytes;
	*ret_names_index = h->shdr_names_index == SHN_XINDEX ? first.link : h->shdr_names_index;
	return *ret_count <= ELF_SECTIONS_MAX ? 0 : -ENOEXEC;
}

static int load_shdrs(const struct elf_source *source, uint64_t count,
		      struct elf_sections *sections)
{
	const struct elf_header *h = &sections->header;
	uint64_t size_bytes = count * h->shdr_size_bytes;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct byte_reader r;
	int rc;

	rc = elf_source_load(source, h->shdr_offset, size_bytes, size_bytes, &bytes);
	if (rc < 0)
		return rc;
	if (vec_reserve(&sections->shdrs, count) < 0)
		return -ENOMEM;
	r = byte_reader_of(bytes, size_bytes);
	r.swapped = h->swapped;
	for (uint64_t i = 0; i < count; i++)
		*vec_push(&sections->shdrs) = elf_shdr_next(&r, h->is_elf64);
	return 0;
}

static int read_table(const struct elf_source *source, struct elf_sections *sections)
{
	const struct elf_header *h = &sections->header;
	const struct elf_shdr *names;
	uint32_t names_index;
	uint64_t count;
	int rc;

	if (!h->shdr_offset)
		return 0;
	if (h->shdr_size_bytes != (h->is_elf64 ? 64 : 40))
		return -ENOEXEC;
	rc = section_counts(source, h, &count, &names_index);
	if (rc < 0)
		return rc;
	rc = load_shdrs(source, count, sections);
	if (rc < 0)
		return rc;
	if (names_index >= count)
		return 0;
	names = &sections->shdrs.at[names_index];
	rc = elf_source_load(source, names->offset, names->size_bytes, NAMES_MAX_BYTES,
			     &sections->names);
	if (rc < 0)
		/* without names, the sections can still be used by type */
		return rc == -ENOMEM ? rc : 0;
	sections->names_size_bytes = names->size_bytes;
	return 0;
}

static int read_sections(const struct elf_source *source, struct elf_sections *sections)
{
	uint8_t head[ELF_HEADER_MAX_BYTES];
	size_t size_bytes = source->size_bytes < sizeof(head) ? source->size_bytes : sizeof(head);
	int rc = elf_source_read(source, 0, size_bytes, head);

	if (rc < 0)
		return rc;
	rc = elf_header_parse(head, size_bytes, &sections->header);
	if (rc < 0)
		return rc;
	return read_table(source, sections);
}

int elf_sections_read(const struct elf_source *source, struct elf_sections *ret_sections)
{
	struct elf_sections sections = { 0 };
	int rc = read_sections(source, &sections);

	if (rc < 0) {
		elf_sections_fini(&sections);
		return rc;
	}
	*ret_sections = sections;
	return 0;
}

void elf_sections_fini(struct elf_sections *sections)
{
	vec_free(&sections->shdrs);
	free(sections->names);
	sections->names = NULL;
}

const char *elf_section_name(const struct elf_sections *sections, const struct elf_shdr *shdr)
{
	return shdr->name < sections->names_size_bytes ? (char *)sections->names + shdr->name : "";
}

const struct elf_shdr *elf_section_find(const struct elf_sections *sections, const char *name)
{
	for (size_t i = 0; i < sections->shdrs.count; i++) {
		const struct elf_shdr *shdr = &sections->shdrs.at[i];

		if (shdr->type != SHT_NULL && shdr->type != SHT_NOBITS &&
		    strcmp(elf_section_name(sections, shdr), name) == 0)
			return shdr;
	}
	return NULL;
}
