/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function bounds from .eh_frame: each FDE says where the code begins that it describes, and
 * how long it is.  The instructions behind that are of no interest here.
 * Format: Linux Standard Base, Core, chapter "Exception Frames"; pointer encodings likewise.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "elf/symbol_sources.h"

#define AUGMENTATION_MAX 8

/* DW_EH_PE_*: the low four bits say how a pointer is stored, the others what it is added to. */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
	PE_FORMAT = 0x0f,
	PE_BASE = 0xf0,
};

struct walk {
	struct byte_reader r;		/* over the whole section */
	uint64_t section_vaddr;
	bool is_elf64;
	size_t cie_at;			/* the CIE that encoding is of; SIZE_MAX: none yet */
	int encoding;			/* of the addresses in its FDEs; -1: not understood */
};

static uint64_t read_encoded(struct byte_reader *r, int encoding, bool is_elf64)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
		return is_elf64 ? byte_reader_u64(r) : byte_reader_u32(r);
	case PE_ULEB128:
		return byte_reader_uleb(r);
	case PE_SLEB128:
		return (uint64_t)byte_reader_sleb(r);
	case PE_UDATA2:
		return byte_reader_u16(r);
	case PE_SDATA2:
		return (uint64_t)(int64_t)(int16_t)byte_reader_u16(r);
	case PE_UDATA4:
		return byte_reader_u32(r);
	case PE_SDATA4:
		return (uint64_t)(int64_t)(int32_t)byte_reader_u32(r);
	case PE_UDATA8:
	case PE_SDATA8:
		return byte_reader_u64(r);
	default:
		byte_reader_skip(r, SIZE_MAX);	/* unknown: fail the reader */
		return 0;
	}
}

/* Its augmentation string; fails @r where it is longer than any that means something. */
static const char *read_augmentation(struct byte_reader *r, size_t *ret_length)
{
	size_t left = byte_reader_left(r);
	struct byte_reader part = byte_reader_part(
		r, r->at, left < AUGMENTATION_MAX + 1 ? left : AUGMENTATION_MAX + 1);
	const char *augmentation = byte_reader_string(&part, ret_length);

	byte_reader_skip(r, part.failed ? SIZE_MAX : part.at);
	return augmentation;
}

/* The encoding that a CIE gives for addresses; @r stands behind the CIE's id. */
static int parse_cie(struct byte_reader *r, bool is_elf64)
{
	uint8_t version = byte_reader_u8(r);
	size_t length;
	const char *augmentation = read_augmentation(r, &length);
	int encoding = PE_ABSPTR;

	if (length == 0)
		return r->failed ? -1 : PE_ABSPTR;
	if (augmentation[0] != 'z')
		return -1;
	if (version == 4)
		byte_reader_skip(r, 2);		/* address and segment size */
	(void)byte_reader_uleb(r);		/* code alignment */
	(void)byte_reader_sleb(r);		/* data alignment */
	if (version == 1)
		(void)byte_reader_u8(r);	/* return address register */
	else
		(void)byte_reader_uleb(r);
	(void)byte_reader_uleb(r);		/* size of what follows */
	for (size_t i = 1; i < length; i++) {
		if (augmentation[i] == 'R')
			encoding = byte_reader_u8(r);
		else if (augmentation[i] == 'L')
			(void)byte_reader_u8(r);
		else if (augmentation[i] == 'P')
			(void)read_encoded(r, byte_reader_u8(r), is_elf64);
		else if (augmentation[i] != 'S' && augmentation[i] != 'B')
			return -1;
	}
	return r->failed ? -1 : encoding;
}

/* The length field of a record, and a reader over what it counts. False at the end. */
static bool next_record(struct byte_reader *r, struct byte_reader *ret_record, size_t *ret_at)
{
	uint64_t size_bytes = byte_reader_u32(r);

	if (size_bytes == UINT32_MAX)
		size_bytes = byte_reader_u64(r);
	*ret_at = r->at;
	*ret_record = byte_reader_part(r, r->at, size_bytes);
	byte_reader_skip(r, ret_record->size_bytes);
	return !r->failed && !ret_record->failed;
}

/* Makes the CIE that begins (with its length field) at @at the current one. */
static void use_cie(struct walk *walk, size_t at)
{
	struct byte_reader r = walk->r, cie;
	size_t body_at;

	if (at == walk->cie_at)
		return;
	walk->cie_at = at;
	walk->encoding = -1;
	r.failed = false;
	byte_reader_seek(&r, at);
	if (!next_record(&r, &cie, &body_at))
		return;
	if (byte_reader_u32(&cie) == 0)
		walk->encoding = parse_cie(&cie, walk->is_elf64);
}

static int add_range(struct symbol_table *table, uint64_t start_vaddr, uint64_t size_bytes)
{
	const struct code_range *section = code_range_find(table->sections.at,
							   table->sections.count, start_vaddr);
	struct code_range *range;

	if (!section || size_bytes == 0 || size_bytes > section->end_vaddr - start_vaddr)
		return 0;
	range = vec_push(&table->ranges);
	if (!range)
		return -ENOMEM;
	range->start_vaddr = start_vaddr;
	range->end_vaddr = start_vaddr + size_bytes;
	return 0;
}

/* One record whose content is at @at in the section. */
static int read_record(struct walk *walk, struct byte_reader *record, size_t at,
		       struct symbol_table *table)
{
	uint64_t mask = walk->is_elf64 ? UINT64_MAX : UINT32_MAX;
	uint32_t back = byte_reader_u32(record);
	uint64_t start_vaddr, size_bytes;

	if (record->failed || back == 0 || back > at)
		return 0;	/* a CIE, or damaged */
	use_cie(walk, at - back);
	if (walk->encoding < 0)
		return 0;
	start_vaddr = read_encoded(record, walk->encoding, walk->is_elf64);
	if ((walk->encoding & PE_BASE) == PE_PCREL)
		start_vaddr += walk->section_vaddr + at + sizeof(back);
	else if ((walk->encoding & PE_BASE) != 0)
		return 0;	/* relative to data or indirect: no compiler does it */
	size_bytes = read_encoded(record, walk->encoding & PE_FORMAT, walk->is_elf64);
	return record->failed ? 0 : add_range(table, start_vaddr & mask, size_bytes & mask);
}

int eh_frame_ranges(const struct elf_source *source, const struct elf_sections *sections,
		    struct symbol_table *table)
{
	const struct elf_shdr *shdr = elf_section_find(sections, ".eh_frame");
	struct walk walk = { .is_elf64 = sections->header.is_elf64, .cie_at = SIZE_MAX };
	_cleanup_free_ uint8_t *bytes = NULL;
	struct byte_reader record;
	size_t size_bytes, at;
	int rc;

	if (!shdr)
		return 0;
	rc = elf_section_load(source, shdr, TABLE_MAX_BYTES, &bytes, &size_bytes);
	walk.r = byte_reader_of(bytes, rc < 0 ? 0 : size_bytes);
	walk.r.swapped = sections->header.swapped;
	walk.section_vaddr = shdr->vaddr;
	while (rc == 0 && byte_reader_left(&walk.r) > 0) {
		if (!next_record(&walk.r, &record, &at))
			return -ENOEXEC;
		rc = read_record(&walk, &record, at, table);
	}
	return rc;
}
