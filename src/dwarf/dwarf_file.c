/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the debug sections of one ELF file, decompresses them, and reads parts of them. */
#include <elf.h>
#include <errno.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "dwarf/dwarf_file.h"

#define PACKED_ZSTD 2	/* value of ELFCOMPRESS_ZSTD, which older <elf.h> do not define */
#define PACKED_GNU 3	/* .zdebug_* sections: "ZLIB", 8-byte big-endian size, zlib data */
#define GNU_HEADER_BYTES 12

/*
 * Maximum ratio of uncompressed to compressed size. Neither zlib nor zstd achieves a higher ratio,
 * so a section with a higher ratio is invalid.
 */
#define UNPACKED_PER_BYTE 1100
#define TEXT_FIRST_BYTES 256
/* number of bytes that can be copied or searched at the cost of one step */
#define BYTES_PER_STEP 64

static const char *const section_names[DWARF_SECTION_COUNT] = {
	[DWARF_INFO] = "info",
	[DWARF_ABBREV] = "abbrev",
	[DWARF_LINE] = "line",
	[DWARF_STR] = "str",
	[DWARF_LINE_STR] = "line_str",
	[DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists",
	[DWARF_ADDR] = "addr",
	[DWARF_STR_OFFSETS] = "str_offsets",
	[DWARF_CU_INDEX] = "cu_index",
};

int dwarf_spend(struct dwarf_file *file, uint64_t steps)
{
	if (file->budget->steps < steps) {
		file->budget->steps = 0;
		return -E2BIG;
	}
	file->budget->steps -= steps;
	return 0;
}

int dwarf_spend_bytes(struct dwarf_file *file, uint64_t size_bytes)
{
	return dwarf_spend(file, size_bytes / BYTES_PER_STEP);
}

int dwarf_take_memory(struct dwarf_file *file, uint64_t size_bytes)
{
	if (size_bytes > file->budget->memory_bytes)
		return -E2BIG;
	file->budget->memory_bytes -= size_bytes;
	file->taken_bytes += size_bytes;
	return 0;
}

void dwarf_give_memory(struct dwarf_file *file, uint64_t size_bytes)
{
	file->budget->memory_bytes += size_bytes;
	file->taken_bytes -= size_bytes;
}

/* ---- finding the sections ---- */

/*
 * Returns the id of the section called @name, for example DWARF_INFO for ".debug_info". If @split
 * is true, the name must end in ".dwo", except for ".debug_cu_index". Returns -1 for any other
 * name.
 */
static int section_of_name(const char *name, bool split, bool *ret_gnu_packed)
{
	static const char plain[] = ".debug_", packed[] = ".zdebug_";
	bool has_suffix;
	size_t length;

	*ret_gnu_packed = strncmp(name, packed, strlen(packed)) == 0;
	if (*ret_gnu_packed)
		name += strlen(packed);
	else if (strncmp(name, plain, strlen(plain)) == 0)
		name += strlen(plain);
	else
		return -1;
	length = strlen(name);
	has_suffix = length > 4 && strcmp(name + length - 4, ".dwo") == 0;
	length -= has_suffix ? 4 : 0;
	for (int id = 0; id < DWARF_SECTION_COUNT; id++)
		if (strlen(section_names[id]) == length &&
		    strncmp(name, section_names[id], length) == 0)
			return has_suffix == (split && id != DWARF_CU_INDEX) ? id : -1;
	return -1;
}

/* Reads the header of a compressed section and moves the section's start past the header. */
static int read_packing(const struct dwarf_file *file, bool is_elf64, bool gnu,
			struct dwarf_section *section)
{
	uint8_t head[sizeof(Elf64_Chdr)];
	size_t head_bytes = gnu	       ? GNU_HEADER_BYTES
			    : is_elf64 ? sizeof(Elf64_Chdr)
				       : sizeof(Elf32_Chdr);
	struct byte_reader r = byte_reader_of(head, head_bytes);

	if (section->stored_bytes < head_bytes ||
	    elf_source_read(&file->source, section->offset, head_bytes, head) < 0)
		return -EBADMSG;
	section->offset += head_bytes;
	section->stored_bytes -= head_bytes;
	if (gnu) {
		section->packing = PACKED_GNU;
		section->size_bytes = 0;
		for (size_t i = 4; i < GNU_HEADER_BYTES; i++)
			section->size_bytes = section->size_bytes << 8 | head[i];
	} else {
		r.swapped = file->swapped;
		section->packing = byte_reader_u32(&r);
		byte_reader_skip(&r, is_elf64 ? 4 : 0);
		section->size_bytes = is_elf64 ? byte_reader_u64(&r) : byte_reader_u32(&r);
	}
	if (section->size_bytes / UNPACKED_PER_BYTE > section->stored_bytes)
		return -EBADMSG;
	return 0;
}

static void take_section(struct dwarf_file *file, const struct elf_sections *sections,
			 const struct elf_shdr *shdr, bool split)
{
	bool gnu;
	int id = section_of_name(elf_section_name(sections, shdr), split, &gnu);
	struct dwarf_section *section;

	if (id < 0 || shdr->type == SHT_NOBITS || file->sections[id].size_bytes)
		return;
	section = &file->sections[id];
	*section = (struct dwarf_section){
		.offset = shdr->offset,
		.stored_bytes = shdr->size_bytes,
		.size_bytes = shdr->size_bytes,
	};
	if (shdr->offset > file->source.size_bytes ||
	    shdr->size_bytes > file->source.size_bytes - shdr->offset ||
	    ((gnu || shdr->flags & SHF_COMPRESSED) &&
	     read_packing(file, sections->header.is_elf64, gnu, section) < 0))
		*section = (struct dwarf_section){ 0 };
}

int dwarf_file_init(struct dwarf_file *file, const struct elf_source *source, int owned_fd,
		    bool split, struct dwarf_budget *budget)
{
	struct elf_sections sections;
	int rc = elf_sections_read(source, &sections);

	*file = (struct dwarf_file){ .source = *source, .owned_fd = owned_fd, .budget = budget };
	if (rc < 0)
		return rc == -ENOEXEC ? -EBADMSG : rc;
	file->swapped = sections.header.swapped;
	for (size_t i = 0; i < sections.shdrs.count; i++)
		take_section(file, &sections, &sections.shdrs.at[i], split);
	elf_sections_fini(&sections);
	return 0;
}

void dwarf_file_fini(struct dwarf_file *file)
{
	for (size_t i = 0; i < DWARF_SECTION_COUNT; i++)
		free(file->sections[i].loaded);
	for (size_t i = 0; i < DWARF_FOREIGN_TABLES; i++)
		dwarf_abbrevs_fini(&file->foreign[i].table);
	vec_free(&file->units);
	if (file->budget)
		dwarf_give_memory(file, file->taken_bytes);
	if (file->owned_fd >= 0)
		(void)close(file->owned_fd);
	*file = (struct dwarf_file){ .owned_fd = -1 };
}

/* ---- reading the sections ---- */

static int unpack(const struct dwarf_section *section, const uint8_t *stored, uint8_t *bytes)
{
	uLongf size_bytes = section->size_bytes;

	switch (section->packing) {
	case ELFCOMPRESS_ZLIB:
	case PACKED_GNU:
		if (uncompress(bytes, &size_bytes, stored, section->stored_bytes) != Z_OK)
			return -EBADMSG;
		return size_bytes == section->size_bytes ? 0 : -EBADMSG;
	case PACKED_ZSTD:
		return ZSTD_decompress(bytes, section->size_bytes, stored, section->stored_bytes) ==
				       section->size_bytes
			       ? 0
			       : -EBADMSG;
	default:
		return -EBADMSG;
	}
}

static int load(struct dwarf_file *file, struct dwarf_section *section)
{
	_cleanup_free_ uint8_t *stored = NULL, *bytes = NULL;
	int rc = dwarf_take_memory(file, section->size_bytes);

	if (rc < 0)
		return rc;
	rc = elf_source_load(&file->source, section->offset, section->stored_bytes, UINT64_MAX,
			     &stored);
	if (rc < 0)
		return rc == -ENOEXEC ? -EBADMSG : rc;
	if (!section->packing) {
		section->loaded = TAKE_PTR(stored);
		return 0;
	}
	bytes = malloc(section->size_bytes);
	if (!bytes)
		return -ENOMEM;
	rc = unpack(section, stored, bytes);
	if (rc < 0)
		return rc;
	section->loaded = TAKE_PTR(bytes);
	return 0;
}

/*
 * If the section is compressed, decompresses all of it into memory, because a part cannot be
 * decompressed separately. Any other section is already readable.
 */
static int make_readable(struct dwarf_file *file, struct dwarf_section *section)
{
	return section->packing && !section->loaded ? load(file, section) : 0;
}

int dwarf_window_open(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
		      uint64_t size_bytes, struct dwarf_window *ret_window)
{
	struct dwarf_section *section = &file->sections[id];
	struct dwarf_window window = { .size_bytes = size_bytes };
	int rc;

	if (at > section->size_bytes || size_bytes > section->size_bytes - at)
		return -EBADMSG;
	rc = make_readable(file, section);
	if (rc < 0)
		return rc;
	if (section->loaded) {
		window.bytes = section->loaded + at;
	} else if (file->source.bytes) {
		window.bytes = file->source.bytes + section->offset + at;
	} else {
		if (dwarf_spend_bytes(file, size_bytes) < 0 ||
		    dwarf_take_memory(file, size_bytes) < 0)
			return -E2BIG;
		rc = elf_source_load(&file->source, section->offset + at, size_bytes, UINT64_MAX,
				     &window.owned);
		if (rc < 0) {
			dwarf_give_memory(file, size_bytes);
			return rc == -ENOEXEC ? -EBADMSG : rc;
		}
		window.bytes = window.owned;
		window.file = file;
	}
	*ret_window = window;
	return 0;
}

void dwarf_window_close(struct dwarf_window *window)
{
	if (window->file)
		dwarf_give_memory(window->file, window->size_bytes);
	free(window->owned);
	*window = (struct dwarf_window){ 0 };
}

struct byte_reader dwarf_window_reader(const struct dwarf_file *file,
				       const struct dwarf_window *window)
{
	struct byte_reader r = byte_reader_of(window->bytes, window->size_bytes);

	r.swapped = file->swapped;
	return r;
}

int dwarf_section_reader(struct dwarf_file *file, enum dwarf_section_id id,
			 struct byte_reader *ret_reader)
{
	struct dwarf_section *section = &file->sections[id];
	struct dwarf_window window = { .bytes = (const uint8_t *)"" };
	int rc;

	if (section->size_bytes && !section->loaded && !file->source.bytes) {
		rc = load(file, section);
		if (rc < 0)
			return rc;
	}
	if (section->size_bytes) {
		rc = dwarf_window_open(file, id, 0, section->size_bytes, &window);
		if (rc < 0)
			return rc;
	}
	*ret_reader = dwarf_window_reader(file, &window);
	return 0;
}

uint64_t dwarf_number(struct byte_reader *r, unsigned int size_bytes)
{
	uint64_t low;

	switch (size_bytes) {
	case 1:
		return byte_reader_u8(r);
	case 2:
		return byte_reader_u16(r);
	case 3:
		low = byte_reader_u8(r);
		return r->swapped ? low << 16 | byte_reader_u16(r)
				  : low | (uint64_t)byte_reader_u16(r) << 8;
	case 4:
		return byte_reader_u32(r);
	default:
		return byte_reader_u64(r);
	}
}

/* Reads a few bytes of a section into the caller's buffer. */
static int read_bytes(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
		      size_t size_bytes, void *ret_bytes)
{
	struct dwarf_section *section = &file->sections[id];
	int rc;

	if (at > section->size_bytes || size_bytes > section->size_bytes - at)
		return -EBADMSG;
	rc = make_readable(file, section);
	if (rc < 0)
		return rc;
	if (section->loaded) {
		memcpy(ret_bytes, section->loaded + at, size_bytes);
		return 0;
	}
	rc = elf_source_read(&file->source, section->offset + at, size_bytes, ret_bytes);
	return rc == -ENOEXEC ? -EBADMSG : rc;
}

int dwarf_section_number(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
			 unsigned int size_bytes, uint64_t *ret_number)
{
	uint8_t bytes[8];
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	int rc = size_bytes > sizeof(bytes) ? -EBADMSG
					    : read_bytes(file, id, at, size_bytes, bytes);

	if (rc < 0)
		return rc;
	r.swapped = file->swapped;
	*ret_number = dwarf_number(&r, size_bytes);
	return 0;
}

int dwarf_section_text(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
		       char ret_text[static DWARF_TEXT_MAX])
{
	uint64_t size_bytes = file->sections[id].size_bytes;
	uint64_t left = at < size_bytes ? size_bytes - at : 0;
	size_t want = TEXT_FIRST_BYTES;

	for (;; want = DWARF_TEXT_MAX) {
		size_t got = left < want ? (size_t)left : want;
		int rc = read_bytes(file, id, at, got, ret_text);

		if (rc < 0)
			return rc;
		rc = dwarf_spend_bytes(file, got);
		if (rc < 0)
			return rc;
		if (memchr(ret_text, 0, got))
			return 0;
		if (got == left)
			return -EBADMSG;
		if (want == DWARF_TEXT_MAX)
			break;
	}
	ret_text[DWARF_TEXT_MAX - 1] = '\0';
	return 0;
}
