/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads units: their headers and their first entries. Also reads data in other sections to which
 * entries refer.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "dwarf/dwarf.h"

#define HEADER_BYTES_MAX 40
#define UNITS_MAX (UINT32_C(1) << 20)
#define ROOT_FIRST_BYTES 1024u
#define ROOT_BYTES (64u << 10)

/* ---- headers ---- */

static void read_header(struct byte_reader *r, struct dwarf_unit *unit)
{
	uint64_t length = byte_reader_u32(r);

	unit->offset_size = 4;
	if (length == UINT32_MAX) {
		unit->offset_size = 8;
		length = byte_reader_u64(r);
	}
	unit->end = length;	/* number of bytes after the length field */
	length = r->at;
	unit->end = unit->end > UINT64_MAX / 2 ? UINT64_MAX : unit->end + length;
	unit->version = byte_reader_u16(r);
	if (unit->version >= 5) {
		unit->type = byte_reader_u8(r);
		unit->address_size = byte_reader_u8(r);
		unit->abbrev_offset = dwarf_number(r, unit->offset_size);
		if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
			unit->dwo_id = byte_reader_u64(r);
		else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
			byte_reader_skip(r, 8 + unit->offset_size);
	} else {
		unit->abbrev_offset = dwarf_number(r, unit->offset_size);
		unit->address_size = byte_reader_u8(r);
	}
	unit->header_bytes = (uint8_t)r->at;
}

int dwarf_unit_read(struct dwarf_file *file, uint64_t offset, struct dwarf_unit *ret_unit)
{
	uint64_t size_bytes = file->sections[DWARF_INFO].size_bytes;
	uint64_t left = offset < size_bytes ? size_bytes - offset : 0;
	struct dwarf_unit unit = { .offset = offset };
	struct dwarf_window window;
	struct byte_reader r;
	int rc = dwarf_window_open(file, DWARF_INFO, offset,
				   left < HEADER_BYTES_MAX ? left : HEADER_BYTES_MAX, &window);

	if (rc < 0)
		return rc;
	r = dwarf_window_reader(file, &window);
	read_header(&r, &unit);
	dwarf_window_close(&window);
	if (r.failed || unit.end > left || unit.end <= unit.header_bytes)
		return -EBADMSG;
	unit.end += offset;
	*ret_unit = unit;
	return dwarf_spend(file, 1);
}

static bool is_understood(const struct dwarf_unit *unit)
{
	return unit->version >= 2 && unit->version <= 5 &&
	       (unit->address_size == 4 || unit->address_size == 8);
}

int dwarf_units_read(struct dwarf_file *file)
{
	uint64_t size_bytes = file->sections[DWARF_INFO].size_bytes, offset = 0;
	struct dwarf_unit unit, *added;

	if (file->has_units)
		return 0;
	file->has_units = true;
	while (offset < size_bytes) {
		int rc = dwarf_unit_read(file, offset, &unit);

		if (rc < 0)
			return rc;
		if (file->units.count >= UNITS_MAX)
			return -E2BIG;
		offset = unit.end;
		if (!is_understood(&unit))
			continue;
		added = vec_push(&file->units);
		if (!added)
			return -ENOMEM;
		*added = unit;
	}
	return 0;
}

const struct dwarf_unit *dwarf_unit_at(struct dwarf_file *file, uint64_t offset)
{
	size_t low = 0, high;

	(void)dwarf_units_read(file);
	high = file->units.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->units.at[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == file->units.count || file->units.at[low].offset > offset)
		return NULL;
	return &file->units.at[low];
}

/* ---- first entries ---- */

/*
 * Some sections contain a separate part for each unit. Finds the offset of this unit's part in each
 * of these sections. Split units have no attributes that give these offsets. The part of a split
 * unit begins right after the header of the section.
 */
static int find_bases(struct dwarf_cu *cu)
{
	uint64_t header_bytes = cu->unit.offset_size == 8 ? 16 : 8;
	const struct dwarf_value *low_pc = die_value(&cu->root, SLOT_LOW_PC);
	bool is_new = cu->unit.version >= 5;

	cu->addr_file = cu->ranges_file = cu->file;
	cu->str_offsets_base = die_number_or(&cu->root, SLOT_STR_OFFSETS_BASE,
					     is_new ? header_bytes : 0);
	cu->addr_base = die_number_or(&cu->root, SLOT_ADDR_BASE, is_new ? header_bytes : 0);
	cu->rnglists_base = die_number_or(&cu->root, SLOT_RNGLISTS_BASE, header_bytes + 4);
	return low_pc ? dwarf_cu_address(cu, low_pc, &cu->low_pc) : 0;
}

/* Reads the first @size_bytes of the unit, and parses the first entry from them. */
static int open_part(struct dwarf_cu *cu, uint64_t size_bytes, bool all_abbrevs)
{
	struct dwarf_file *file = cu->file;
	struct byte_reader r, code;
	int rc = dwarf_window_open(file, DWARF_INFO, cu->unit.offset, size_bytes, &cu->info);

	if (rc < 0)
		return rc;
	r = dwarf_window_reader(file, &cu->info);
	byte_reader_seek(&r, cu->unit.header_bytes);
	code = r;
	rc = dwarf_abbrevs_read(file, cu->unit.abbrev_offset,
				all_abbrevs ? 0 : byte_reader_uleb(&code), &cu->abbrevs);
	if (rc < 0)
		return rc;
	rc = dwarf_die_read(file, &cu->unit, &cu->abbrevs, &r, &cu->root);
	if (rc < 0)
		return rc;
	return cu->root.abbrev ? 0 : -EBADMSG;
}

static int open_root(struct dwarf_cu *cu, bool whole)
{
	uint64_t size_bytes = cu->unit.end - cu->unit.offset, part = ROOT_FIRST_BYTES;
	int rc;

	if (whole || part > size_bytes)
		part = size_bytes;
	rc = open_part(cu, part, whole);
	/*
	 * The data may be valid: perhaps @part was too short because of long strings. Read more
	 * bytes.
	 */
	if (rc == -EBADMSG && part < size_bytes) {
		dwarf_window_close(&cu->info);
		rc = open_part(cu, size_bytes < ROOT_BYTES ? size_bytes : ROOT_BYTES, whole);
	}
	if (rc < 0)
		return rc;
	return find_bases(cu);
}

int dwarf_cu_open(struct dwarf_file *file, const struct dwarf_unit *unit, bool whole,
		  struct dwarf_cu *ret_cu)
{
	int rc;

	memset(ret_cu, 0, sizeof(*ret_cu));
	ret_cu->file = file;
	ret_cu->unit = *unit;
	if (!is_understood(unit))
		return -EBADMSG;
	rc = open_root(ret_cu, whole);
	if (rc < 0)
		dwarf_cu_close(ret_cu);
	return rc;
}

void dwarf_cu_close(struct dwarf_cu *cu)
{
	dwarf_window_close(&cu->info);
	dwarf_abbrevs_fini(&cu->abbrevs);
}

/* ---- values in other sections ---- */

static int copy_text(const char *from, char ret_text[static DWARF_TEXT_MAX])
{
	size_t length = strnlen(from, DWARF_TEXT_MAX - 1);

	memcpy(ret_text, from, length);
	ret_text[length] = '\0';
	return 0;
}

/*
 * Reads the number at index @index of a table that begins at offset @base. Returns -EBADMSG if the
 * calculation of the number's offset could overflow.
 */
static int table_entry(struct dwarf_file *file, enum dwarf_section_id id, uint64_t base,
		       uint64_t index, unsigned int entry_bytes, uint64_t *ret_number)
{
	if (index > UINT32_MAX || base > UINT64_MAX / 2)
		return -EBADMSG;
	return dwarf_section_number(file, id, base + index * entry_bytes, entry_bytes, ret_number);
}

int dwarf_cu_text(const struct dwarf_cu *cu, const struct dwarf_value *value,
		  char ret_text[static DWARF_TEXT_MAX])
{
	uint64_t offset;
	int rc;

	switch (value->form) {
	case DW_FORM_string:
		return copy_text(value->text, ret_text);
	case DW_FORM_strp:
		return dwarf_section_text(cu->file, DWARF_STR, value->number, ret_text);
	case DW_FORM_line_strp:
		return dwarf_section_text(cu->file, DWARF_LINE_STR, value->number, ret_text);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		if (!cu->file->alt)
			return -ENOENT;
		return dwarf_section_text(cu->file->alt, DWARF_STR, value->number, ret_text);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		rc = table_entry(cu->file, DWARF_STR_OFFSETS, cu->str_offsets_base, value->number,
				 cu->unit.offset_size, &offset);
		return rc < 0 ? rc : dwarf_section_text(cu->file, DWARF_STR, offset, ret_text);
	default:
		return -EBADMSG;
	}
}

bool dwarf_is_address(const struct dwarf_value *value)
{
	switch (value->form) {
	case DW_FORM_addr:
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return true;
	default:
		return false;
	}
}

int dwarf_cu_address(const struct dwarf_cu *cu, const struct dwarf_value *value,
		     uint64_t *ret_vaddr)
{
	if (!dwarf_is_address(value))
		return -EBADMSG;
	*ret_vaddr = value->number;
	if (value->form == DW_FORM_addr)
		return 0;
	return table_entry(cu->addr_file, DWARF_ADDR, cu->addr_base, value->number,
			   cu->unit.address_size, ret_vaddr);
}
