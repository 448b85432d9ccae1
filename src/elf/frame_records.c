/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/frame_records.h"

#include <errno.h>

#define AUGMENTATION_MAX 8

/*
 * DW_EH_PE_* encoding: the low four bits are the format of a pointer, and the next three bits
 * select the base address to which the pointer is relative.
 */
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
	PE_DATAREL = 0x30,
	PE_ALIGNED = 0x50,
	PE_FORMAT = 0x0f,
	PE_BASE = 0x70,
	PE_INDIRECT = 0x80,
};

/* A record whose kind is not known yet. Its reader ends at the end of the record. */
struct record {
	struct byte_reader r;		/* initially positioned right after the length field */
	size_t at;			/* offset of the record's content in the section */
	bool is_dwarf64;
};

static void fail(struct byte_reader *r)
{
	byte_reader_skip(r, SIZE_MAX);
}

static uint64_t read_value(struct byte_reader *r, unsigned int format, unsigned int address_bytes)
{
	switch (format) {
	case PE_ABSPTR:
		return address_bytes == 8 ? byte_reader_u64(r) : byte_reader_u32(r);
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
		fail(r);
		return 0;
	}
}

/*
 * Reads a pointer. @vaddr is the address of the first of the reader's bytes. @data_vaddr is the
 * base address for PE_DATAREL; 0: unknown.
 */
static uint64_t read_pointer(struct byte_reader *r, unsigned int encoding,
			     unsigned int address_bytes, uint64_t vaddr, uint64_t data_vaddr)
{
	uint64_t mask = address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t base = vaddr + r->at;
	uint64_t value = read_value(r, encoding & PE_FORMAT, address_bytes);

	switch (encoding & (PE_BASE | PE_INDIRECT)) {
	case 0:
		return value & mask;
	case PE_PCREL:
		return (value + base) & mask;
	case PE_DATAREL:
		if (data_vaddr)
			return (value + data_vaddr) & mask;
	}
	fail(r);	/* this encoding is not used for code, or requires the process's memory */
	return 0;
}

uint64_t frame_records_address(const struct frame_records *records, const struct frame_cie *cie,
			       struct byte_reader *r)
{
	return read_pointer(r, cie->encoding, cie->address_bytes,
			    records->vaddr + (uint64_t)(r->bytes - records->bytes),
			    records->data_vaddr);
}

int frame_header_parse(const struct image_file *file, const uint8_t *bytes, size_t size_bytes,
		       uint64_t vaddr, uint64_t *ret_vaddr)
{
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	uint8_t version, encoding;
	uint64_t found;

	r.swapped = file->swapped;
	version = byte_reader_u8(&r);
	encoding = byte_reader_u8(&r);
	byte_reader_skip(&r, 2);	/* skips the encodings of the search table */
	found = read_pointer(&r, encoding, file->is_elf64 ? 8 : 4, vaddr, vaddr);
	if (r.failed || version != 1)
		return -ENOEXEC;
	*ret_vaddr = found;
	return 0;
}

/* Reads the augmentation string. If the string is longer than any valid one, marks @r as failed. */
static const char *read_augmentation(struct byte_reader *r, size_t *ret_length)
{
	size_t left = byte_reader_left(r);
	struct byte_reader part = byte_reader_part(
		r, r->at, left < AUGMENTATION_MAX + 1 ? left : AUGMENTATION_MAX + 1);
	const char *augmentation = byte_reader_string(&part, ret_length);

	byte_reader_skip(r, part.failed ? SIZE_MAX : part.at);
	return augmentation;
}

/*
 * Reads the augmentation data. Each letter after the 'z' in the augmentation string describes one
 * item.
 */
static void read_augmentation_data(struct frame_cie *cie, const char *letters, size_t count,
				   struct byte_reader *r)
{
	for (size_t i = 0; i < count; i++) {
		switch (letters[i]) {
		case 'R':
			cie->encoding = byte_reader_u8(r);
			break;
		case 'L':
			(void)byte_reader_u8(r);
			break;
		case 'P': {
			unsigned int encoding = byte_reader_u8(r);

			if ((encoding & PE_BASE) == PE_ALIGNED)
				fail(r);
			(void)read_value(r, encoding & PE_FORMAT, cie->address_bytes);
			break;
		}
		case 'S':
			cie->signal = true;
			break;
		case 'B':	/* aarch64: return addresses are signed with key B */
		case 'G':	/* aarch64: the stack frame is tagged (MTE) */
			break;
		default:
			fail(r);
		}
	}
}

/* Parses a CIE. @r must be positioned right after the id of the CIE. */
static void parse_cie(struct frame_cie *cie, struct byte_reader *r)
{
	struct byte_reader data = { 0 };
	unsigned int version = byte_reader_u8(r);
	size_t length;
	const char *augmentation = read_augmentation(r, &length);

	if (version >= 4) {
		cie->address_bytes = byte_reader_u8(r);
		if (byte_reader_u8(r) != 0)	/* segment selector size */
			fail(r);
	}
	cie->code_align = byte_reader_uleb(r);
	cie->data_align = byte_reader_sleb(r);
	cie->ra_register = version == 1 ? byte_reader_u8(r) : byte_reader_uleb(r);
	if (length > 0) {
		uint64_t size_bytes = byte_reader_uleb(r);

		cie->has_augmentation_data = true;
		data = byte_reader_part(r, r->at, size_bytes);
		byte_reader_skip(r, data.failed ? SIZE_MAX : data.size_bytes);
		read_augmentation_data(cie, augmentation + 1, length - 1, &data);
	}
	cie->instructions = byte_reader_part(r, r->at, byte_reader_left(r));
	cie->readable = !r->failed && !data.failed && (length == 0 || augmentation[0] == 'z') &&
			version >= 1 && version <= 5 && version != 2 &&
			(cie->address_bytes == 4 || cie->address_bytes == 8);
}

/*
 * Reads the length field of a record, and sets *@ret_record to a reader for the record's content.
 * Moves @r to the next record. Returns false if the length is damaged.
 */
static bool next_record(struct byte_reader *r, struct record *ret_record)
{
	uint64_t size_bytes = byte_reader_u32(r);

	ret_record->is_dwarf64 = size_bytes == UINT32_MAX;
	if (ret_record->is_dwarf64)
		size_bytes = byte_reader_u64(r);
	ret_record->at = r->at;
	ret_record->r = byte_reader_part(r, r->at, size_bytes);
	byte_reader_skip(r, ret_record->r.size_bytes);
	return !r->failed && !ret_record->r.failed;
}

/*
 * Reads the field that distinguishes CIEs from FDEs. In an FDE, this field contains the position of
 * the FDE's CIE. Returns true for a CIE.
 */
static bool read_id(const struct frame_records *records, struct record *record, uint64_t *ret_id)
{
	bool wide = records->is_debug && record->is_dwarf64;

	*ret_id = wide ? byte_reader_u64(&record->r) : byte_reader_u32(&record->r);
	if (!records->is_debug)
		return *ret_id == 0;
	return *ret_id == (wide ? UINT64_MAX : UINT32_MAX);
}

/*
 * Reads the CIE whose length field is at offset @at. If there is no valid CIE at that offset, the
 * result has readable set to false.
 */
static struct frame_cie read_cie(struct frame_records *records, size_t at)
{
	struct frame_cie cie = { .address_bytes = records->is_elf64 ? 8 : 4 };
	struct byte_reader r = records->r;
	struct record record;
	uint64_t id;

	r.failed = false;
	byte_reader_seek(&r, at);
	if (!next_record(&r, &record) || !read_id(records, &record, &id))
		return cie;
	parse_cie(&cie, &record.r);
	if (cie.instructions.size_bytes > records->cie_bytes_left)
		cie.readable = false;
	else
		records->cie_bytes_left -= cie.instructions.size_bytes;
	return cie;
}

/*
 * Finds the CIE at offset @at. Reads the CIE unless an earlier call has read it. Returns 0,
 * -ENOMEM, or -ENOEXEC if there are too many CIEs.
 */
static int find_cie(struct frame_records *records, size_t at, size_t *ret_index)
{
	uint32_t index;
	struct frame_cie *cie;

	if (at == records->last_at) {
		*ret_index = records->last_cie;
		return 0;
	}
	if (!u64map_get(&records->cie_index, at, &index)) {
		if (records->cies.count >= FRAME_CIES_MAX)
			return -ENOEXEC;
		index = (uint32_t)records->cies.count;
		cie = vec_push(&records->cies);
		if (!cie || u64map_put(&records->cie_index, at, index) < 0)
			return -ENOMEM;
		*cie = read_cie(records, at);
	}
	records->last_at = at;
	*ret_index = records->last_cie = index;
	return 0;
}

/* Reads the rest of an FDE whose CIE is known. Returns false if the FDE is damaged. */
static bool read_fde(const struct frame_records *records, struct byte_reader *r,
		     struct frame_fde *fde)
{
	const struct frame_cie *cie = &records->cies.at[fde->cie];

	if (!cie->readable)
		return false;
	fde->start_vaddr = frame_records_address(records, cie, r);
	fde->size_bytes = read_value(r, cie->encoding & PE_FORMAT, cie->address_bytes);
	if (cie->address_bytes == 4)
		fde->size_bytes &= UINT32_MAX;
	if (cie->has_augmentation_data)
		byte_reader_skip(r, byte_reader_uleb(r));
	fde->instructions = byte_reader_part(r, r->at, byte_reader_left(r));
	return !r->failed && fde->size_bytes <= UINT64_MAX - fde->start_vaddr;
}

/*
 * Returns 1 if the record is a valid FDE. Returns 0 for any other record; a damaged FDE is counted.
 * Returns -ENOMEM if out of memory.
 */
static int read_record(struct frame_records *records, struct record *record,
		       struct frame_fde *ret_fde)
{
	struct frame_fde fde = { 0 };
	uint64_t id;
	int rc;

	if (record->r.size_bytes == 0 || read_id(records, record, &id))
		return 0;
	rc = -ENOEXEC;
	if (!record->r.failed && (records->is_debug || id <= record->at))
		rc = find_cie(records, records->is_debug ? id : record->at - id, &fde.cie);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 || !read_fde(records, &record->r, &fde)) {
		records->damaged_count++;
		return 0;
	}
	*ret_fde = fde;
	return 1;
}

int frame_records_next(struct frame_records *records, struct frame_fde *ret_fde)
{
	while (byte_reader_left(&records->r) > 0) {
		struct record record;
		int rc;

		if (!next_record(&records->r, &record))
			return -ENOEXEC;
		if (record.r.size_bytes == 0 && records->ends_at_zero)
			return 0;
		rc = read_record(records, &record, ret_fde);
		if (rc != 0)
			return rc;
	}
	return 0;
}

void frame_records_fini(struct frame_records *records)
{
	free(records->bytes);
	records->bytes = NULL;
	vec_free(&records->cies);
	u64map_fini(&records->cie_index);
}
