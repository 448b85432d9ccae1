/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the frame records of an image. */
#include <errno.h>

#include "elf/elf_format.h"
#include "elf/frame_records.h"

#define RECORDS_MAX_BYTES (UINT64_C(256) << 20)
#define HEADER_BYTES 12u	/* number of bytes of .eh_frame_hdr that are needed */

static int load_section(const struct elf_source *source, const struct elf_shdr *shdr,
			struct frame_records *records)
{
	size_t size_bytes;
	int rc = elf_section_load(source, shdr, RECORDS_MAX_BYTES, &records->bytes, &size_bytes);

	if (rc < 0)
		return rc;
	records->r = byte_reader_of(records->bytes, size_bytes);
	records->vaddr = shdr->vaddr;
	return 0;
}

/* Loads the bytes of @file from @vaddr to the end of its segment, at most RECORDS_MAX_BYTES. */
static int load_at(const struct image_file *file, const struct elf_source *source, uint64_t vaddr,
		   struct frame_records *records)
{
	for (size_t i = 0; i < file->segments.count; i++) {
		const struct elf_segment *segment = &file->segments.at[i];
		uint64_t from = vaddr - segment->vaddr, left = segment->file_size_bytes - from;
		int rc;

		if (vaddr < segment->vaddr || from >= segment->file_size_bytes)
			continue;
		if (left > RECORDS_MAX_BYTES)
			left = RECORDS_MAX_BYTES;
		rc = elf_source_load(source, segment->offset + from, left, left, &records->bytes);
		if (rc < 0)
			return rc;
		records->r = byte_reader_of(records->bytes, (size_t)left);
		records->vaddr = vaddr;
		records->ends_at_zero = true;
		return 0;
	}
	return -ENOEXEC;
}

static int load_by_header(const struct image_file *file, const struct elf_source *source,
			  struct frame_records *records)
{
	const struct elf_segment *segment = &file->eh_frame_hdr;
	uint8_t bytes[HEADER_BYTES];
	size_t size_bytes = sizeof(bytes);
	uint64_t vaddr;
	int rc;

	if (segment->file_size_bytes < size_bytes)
		size_bytes = (size_t)segment->file_size_bytes;
	if (size_bytes == 0)
		return 0;
	rc = elf_source_read(source, segment->offset, size_bytes, bytes);
	if (rc < 0)
		return rc;
	rc = frame_header_parse(file, bytes, size_bytes, segment->vaddr, &vaddr);
	if (rc < 0)
		return rc;
	return load_at(file, source, vaddr, records);
}

static int load_records(const struct image_file *file, const struct elf_source *source,
			const struct elf_sections *sections, struct frame_records *records)
{
	const struct elf_shdr *eh_frame = elf_section_find(sections, ".eh_frame");
	const struct elf_shdr *debug_frame = elf_section_find(sections, ".debug_frame");

	if (eh_frame)
		return load_section(source, eh_frame, records);
	if (debug_frame) {
		records->is_debug = true;
		return load_section(source, debug_frame, records);
	}
	return sections->shdrs.count == 0 ? load_by_header(file, source, records) : 0;
}

/*
 * Loads the code of .init or .fini. A failure is not an error. It only means that there will be no
 * unwind rules for this code (rules for finding the caller).
 */
static void load_code(const struct elf_source *source, const struct elf_shdr *shdr,
		      struct frame_code *code)
{
	if (!shdr || shdr->size_bytes > sizeof(code->bytes) ||
	    elf_source_read(source, shdr->offset, (size_t)shdr->size_bytes, code->bytes) < 0)
		return;
	code->vaddr = shdr->vaddr;
	code->size_bytes = (size_t)shdr->size_bytes;
}

int frame_records_find(const struct image_file *file, const struct elf_source *source,
		       const struct elf_sections *sections, struct frame_records *ret_records)
{
	struct frame_records records = { .is_elf64 = file->is_elf64, .last_at = SIZE_MAX };
	const struct elf_shdr *got = elf_section_find(sections, ".got.plt");
	const struct elf_shdr *plt = elf_section_find(sections, ".plt");
	int rc = load_records(file, source, sections, &records);

	if (rc < 0)
		return rc;
	if (!got)
		got = elf_section_find(sections, ".got");
	load_code(source, elf_section_find(sections, ".init"), &records.init);
	load_code(source, elf_section_find(sections, ".fini"), &records.fini);
	if (plt) {
		records.plt_vaddr = plt->vaddr;
		records.plt_bytes = plt->size_bytes;
	}
	records.data_vaddr = got ? got->vaddr : 0;
	records.r.swapped = file->swapped;
	records.cie_bytes_left = records.r.size_bytes;
	*ret_records = records;
	return 0;
}

int frame_records_read(const struct image_file *file, const void *bytes,
		       struct frame_records *ret_records)
{
	struct elf_source source = {
		.fd = file->fd,
		.bytes = bytes,
		.size_bytes = file->size_bytes,
	};
	struct elf_sections sections;
	int rc = elf_sections_read(&source, &sections);

	if (rc < 0)
		return rc;
	rc = frame_records_find(file, &source, &sections, ret_records);
	elf_sections_fini(&sections);
	return rc;
}
