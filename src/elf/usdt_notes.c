/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/usdt_notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_reader.h"
#include "elf/elf_format.h"

#define NOTES_BYTES_MAX (UINT64_C(16) << 20)
#define NOTE_ALIGN 4u
#define OWNER "stapsdt"
#define TYPE_PROBE 3u

/* Returns where the byte at @vaddr is in the file, or 0. */
static uint64_t offset_of(const struct image_file *file, uint64_t vaddr, bool is_code)
{
	const struct elf_segment *segment = image_file_segment(file, vaddr);

	if (!segment || (is_code && !segment->executable) ||
	    vaddr - segment->vaddr >= segment->file_size_bytes)
		return 0;
	return vaddr - segment->vaddr + segment->offset;
}

/* @r has the description of one note. @base_vaddr: of .stapsdt.base, or 0. */
static bool read_probe(const struct image_file *file, struct byte_reader *r, uint64_t base_vaddr,
		       struct usdt_probe *ret_probe)
{
	uint64_t vaddr = byte_reader_u64(r), base = byte_reader_u64(r);
	uint64_t semaphore = byte_reader_u64(r);
	uint64_t moved = base && base_vaddr ? base_vaddr - base : 0;
	size_t length;

	*ret_probe = (struct usdt_probe){
		.offset = offset_of(file, vaddr + moved, true),
		.semaphore_offset = semaphore ? offset_of(file, semaphore + moved, false) : 0,
	};
	ret_probe->provider = byte_reader_string(r, &length);
	ret_probe->name = byte_reader_string(r, &length);
	ret_probe->arguments = byte_reader_string(r, &length);
	return !r->failed && ret_probe->offset && (!semaphore || ret_probe->semaphore_offset);
}

static void skip_padding(struct byte_reader *r)
{
	size_t padding = -r->at % NOTE_ALIGN;

	if (padding <= byte_reader_left(r))
		byte_reader_skip(r, padding);
}

static int read_notes(const struct image_file *file, struct byte_reader *r, uint64_t base_vaddr,
		      struct usdt_probes *probes)
{
	while (byte_reader_left(r)) {
		uint32_t owner_bytes = byte_reader_u32(r), bytes = byte_reader_u32(r);
		uint32_t type = byte_reader_u32(r);
		const char *owner = byte_reader_bytes(r, owner_bytes);
		struct byte_reader part;
		struct usdt_probe probe, *slot;

		skip_padding(r);
		part = byte_reader_part(r, r->at, bytes);
		byte_reader_skip(r, bytes);
		if (r->failed)
			return 0;
		skip_padding(r);
		if (type != TYPE_PROBE || owner_bytes != sizeof(OWNER) ||
		    memcmp(owner, OWNER, sizeof(OWNER)) != 0 ||
		    !read_probe(file, &part, base_vaddr, &probe))
			continue;
		if (probes->list.count == USDT_PROBES_MAX)
			return -E2BIG;
		slot = vec_push(&probes->list);
		if (!slot)
			return -ENOMEM;
		*slot = probe;
	}
	return 0;
}

static int read_probes(const struct image_file *file, const struct elf_source *source,
		       struct usdt_probes *ret_probes)
{
	struct usdt_probes probes = { 0 };
	struct elf_sections sections = { 0 };
	const struct elf_shdr *notes, *base;
	size_t size_bytes;
	int rc = file->is_elf64 ? elf_sections_read(source, &sections) : 0;

	notes = rc == 0 ? elf_section_find(&sections, ".note.stapsdt") : NULL;
	base = rc == 0 ? elf_section_find(&sections, ".stapsdt.base") : NULL;
	if (notes)
		rc = elf_section_load(source, notes, NOTES_BYTES_MAX, &probes.bytes, &size_bytes);
	if (notes && rc == 0) {
		struct byte_reader r = byte_reader_of(probes.bytes, size_bytes);

		r.swapped = file->swapped;
		rc = read_notes(file, &r, base ? base->vaddr : 0, &probes);
	}
	elf_sections_fini(&sections);
	if (rc < 0)
		usdt_probes_fini(&probes);
	else
		*ret_probes = probes;
	return rc;
}

int usdt_probes_read(const struct image_file *file, struct usdt_probes *ret_probes)
{
	const struct elf_source source = { .fd = file->fd, .size_bytes = file->size_bytes };

	return read_probes(file, &source, ret_probes);
}

int usdt_probes_from_bytes(const void *bytes, size_t size_bytes, struct usdt_probes *ret_probes)
{
	const struct elf_source source = { .fd = -1, .bytes = bytes, .size_bytes = size_bytes };
	struct image_file file;
	int rc = image_file_from_bytes(bytes, size_bytes, "image", &file, NULL);

	if (rc < 0)
		return rc;
	rc = read_probes(&file, &source, ret_probes);
	image_file_fini(&file);
	return rc;
}

void usdt_probes_fini(struct usdt_probes *probes)
{
	vec_free(&probes->list);
	free(probes->bytes);
	*probes = (struct usdt_probes){ 0 };
}
