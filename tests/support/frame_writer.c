/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "frame_writer.h"

#include <string.h>

#define PCREL_SDATA4 0x1b

static const struct elf_writer host = { 0 };

static void put(struct frame_writer *frames, uint64_t value, size_t size_bytes)
{
	elf_writer_put(&host, &frames->bytes, value, size_bytes);
}

static void put_program(struct frame_writer *frames, struct writer_program program)
{
	elf_writer_put_bytes(&frames->bytes, program.bytes, program.size_bytes);
}

/* Reserves space for the length, which end_record() fills in. Returns the offset of the content. */
static size_t begin_record(struct frame_writer *frames)
{
	if (frames->is_dwarf64)
		put(frames, UINT32_MAX, 4);
	put(frames, 0, frames->is_dwarf64 ? 8 : 4);
	return frames->bytes.data.count;
}

static void end_record(struct frame_writer *frames, size_t at)
{
	size_t width = frames->is_dwarf64 ? 8 : 4;
	uint64_t size_bytes = frames->bytes.data.count - at;

	memcpy(frames->bytes.data.at + at - width, &size_bytes, width);
}

static void put_id(struct frame_writer *frames, uint64_t id)
{
	put(frames, id, frames->is_debug && frames->is_dwarf64 ? 8 : 4);
}

size_t frame_writer_cie(struct frame_writer *frames, const struct writer_cie *cie)
{
	const char *augmentation = cie->augmentation ? cie->augmentation
						     : (frames->is_debug ? "" : "zR");
	size_t start = frames->bytes.data.count, at = begin_record(frames);
	unsigned int version = cie->version ? cie->version : 1;

	put_id(frames, frames->is_debug ? UINT64_MAX : 0);
	put(frames, version, 1);
	elf_writer_put_bytes(&frames->bytes, augmentation, strlen(augmentation) + 1);
	if (version >= 4)
		put(frames, 8, 2);	/* address size 8, segment size 0 */
	put(frames, cie->code_align ? cie->code_align : 1, 1);
	put(frames, (cie->data_align ? cie->data_align : -8) & 0x7f, 1);
	put(frames, cie->ra_register ? cie->ra_register : 16, 1);
	if (augmentation[0] == 'z') {
		put(frames, strchr(augmentation, 'R') ? 1 : 0, 1);
		if (strchr(augmentation, 'R'))
			put(frames, cie->encoding ? cie->encoding : PCREL_SDATA4, 1);
	}
	if (cie->initial.size_bytes)
		put_program(frames, cie->initial);
	else
		put_program(frames, FRAME_BYTES(0x0c, 7, 8, 0x90, 1));
	end_record(frames, at);
	return start;
}

void frame_writer_raw_fde(struct frame_writer *frames, size_t cie, struct writer_program head,
			  struct writer_program program)
{
	size_t at = begin_record(frames);

	put_id(frames, frames->is_debug ? cie : at - cie);
	put_program(frames, head);
	put_program(frames, program);
	end_record(frames, at);
}

void frame_writer_fde(struct frame_writer *frames, size_t cie, uint64_t start_vaddr,
		      uint64_t size_bytes, struct writer_program program)
{
	size_t pointer_at = frames->bytes.data.count + (frames->is_dwarf64 ? 12 : 4) + 4;
	struct writer_bytes head = { 0 };

	if (frames->is_debug) {
		elf_writer_put(&host, &head, start_vaddr, 8);
		elf_writer_put(&host, &head, size_bytes, 8);
	} else {
		elf_writer_put(&host, &head, start_vaddr - frames->vaddr - pointer_at, 4);
		elf_writer_put(&host, &head, size_bytes, 4);
		elf_writer_put(&host, &head, 0, 1);
	}
	frame_writer_raw_fde(frames, cie, (struct writer_program){ head.data.at, head.data.count },
			     program);
	vec_free(&head.data);
}

/* Adds an .eh_frame_hdr that contains only the pointer to .eh_frame. */
static void add_header(struct elf_writer *writer, uint64_t vaddr)
{
	struct writer_section header = {
		.name = ".eh_frame_hdr",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC,
		.vaddr = 0x8000,
	};

	elf_writer_put_bytes(&header.content, "\x01\x1b\xff\xff", 4);
	elf_writer_put(writer, &header.content, vaddr - (header.vaddr + 4), 4);
	(void)elf_writer_section(writer, &header, NULL, 0);
}

uint8_t *frame_writer_image(struct frame_writer *frames, const struct elf_writer_options *options,
			    size_t *ret_size_bytes)
{
	struct writer_section section = {
		.name = frames->is_debug ? ".debug_frame" : ".eh_frame",
		.type = SHT_PROGBITS,
		.flags = frames->is_debug ? 0 : SHF_ALLOC,
		.vaddr = frames->vaddr,
		.content = frames->bytes,
	};
	struct elf_writer writer;

	elf_writer_init(&writer, options ? options : &(struct elf_writer_options){ 0 });
	(void)elf_writer_text(&writer, ".text", 0x1000, 0x2000);
	(void)elf_writer_section(&writer, &section, NULL, 0);
	if (writer.options.no_sections)
		add_header(&writer, frames->vaddr);
	frames->bytes = (struct writer_bytes){ 0 };
	return elf_writer_finish(&writer, ret_size_bytes);
}
