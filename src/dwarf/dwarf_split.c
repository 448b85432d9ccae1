/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_split.h"

#include <errno.h>

#define INDEX_COLUMNS_MAX 16
#define INDEX_ROWS_MAX (UINT32_C(1) << 24)
#define SLOTS_FREE 16	/* maximum number of hash slots is this plus four for each row */

/* For one unit: the offset of its part in each section of a .dwp. */
struct contribution {
	uint64_t info, abbrev, str_offsets, rnglists;
};

/*
 * The index of a .dwp: a hash table of dwo_ids, and a table with one row for each unit and one
 * column for each section. A row contains the offset of the unit's part in each section.
 */
struct index {
	struct byte_reader r;
	uint16_t version;
	uint32_t column_count, row_count, slot_count;
	size_t slots_at, rows_at, columns_at, offsets_at;
};

static int open_index(struct dwarf_file *dwp, struct index *index)
{
	int rc = dwarf_section_reader(dwp, DWARF_CU_INDEX, &index->r);
	struct byte_reader *r = &index->r;

	if (rc < 0)
		return rc;
	index->version = byte_reader_u16(r);
	byte_reader_skip(r, 2);
	index->column_count = byte_reader_u32(r);
	index->row_count = byte_reader_u32(r);
	index->slot_count = byte_reader_u32(r);
	if (r->failed || index->column_count > INDEX_COLUMNS_MAX ||
	    index->row_count > INDEX_ROWS_MAX ||
	    index->slot_count > 4 * index->row_count + SLOTS_FREE ||
	    (index->slot_count & (index->slot_count - 1)) != 0)
		return -EBADMSG;
	index->slots_at = r->at;
	index->rows_at = index->slots_at + 8 * (size_t)index->slot_count;
	index->columns_at = index->rows_at + 4 * (size_t)index->slot_count;
	index->offsets_at = index->columns_at + 4 * (size_t)index->column_count;
	return 0;
}

/* Finds the row of @dwo_id. Rows are numbered from 1. */
static int find_row(struct dwarf_file *dwp, struct index *index, uint64_t dwo_id, uint32_t *ret_row)
{
	uint64_t mask = index->slot_count ? index->slot_count - 1 : 0;
	uint64_t slot = dwo_id & mask, stride = (dwo_id >> 32 & mask) | 1;

	for (uint32_t i = 0; i < index->slot_count; i++, slot = (slot + stride) & mask) {
		uint64_t id;
		uint32_t row;

		if (dwarf_spend(dwp, 1) < 0)
			return -E2BIG;
		byte_reader_seek(&index->r, index->slots_at + 8 * slot);
		id = byte_reader_u64(&index->r);
		byte_reader_seek(&index->r, index->rows_at + 4 * slot);
		row = byte_reader_u32(&index->r);
		if (index->r.failed)
			return -EBADMSG;
		if (id == 0 && row == 0)
			return -ENOENT;
		if (id == dwo_id) {
			*ret_row = row;
			return row && row <= index->row_count ? 0 : -ENOENT;
		}
	}
	return -ENOENT;
}

static int read_row(struct index *index, uint32_t row, struct contribution *found)
{
	size_t at = index->offsets_at + 4 * (size_t)index->column_count * (row - 1);

	for (uint32_t i = 0; i < index->column_count; i++) {
		uint32_t column, offset;

		byte_reader_seek(&index->r, index->columns_at + 4 * (size_t)i);
		column = byte_reader_u32(&index->r);
		byte_reader_seek(&index->r, at + 4 * (size_t)i);
		offset = byte_reader_u32(&index->r);
		if (column == DW_SECT_INFO)
			found->info = offset;
		else if (column == DW_SECT_ABBREV)
			found->abbrev = offset;
		else if (column == DW_SECT_STR_OFFSETS)
			found->str_offsets = offset;
		else if (column == DW_SECT_RNGLISTS && index->version >= 5)
			found->rnglists = offset;
	}
	return index->r.failed ? -EBADMSG : 0;
}

static int find_contribution(struct dwarf_file *dwp, uint64_t dwo_id, struct contribution *found)
{
	struct index index;
	uint32_t row;
	int rc = open_index(dwp, &index);

	if (rc < 0)
		return rc;
	rc = find_row(dwp, &index, dwo_id, &row);
	if (rc < 0)
		return rc;
	return read_row(&index, row, found);
}

uint64_t dwarf_split_id(const struct dwarf_cu *cu)
{
	const struct dwarf_value *value = die_value(&cu->root, SLOT_DWO_ID);

	return cu->unit.version >= 5 ? cu->unit.dwo_id : value ? value->number : 0;
}

/* Copies to the split unit the data that only the skeleton has, such as the address table. */
static void join(struct dwarf_cu *split, const struct dwarf_cu *skeleton,
		 const struct contribution *part)
{
	const struct dwarf_value *ranges_base = die_value(&skeleton->root, SLOT_RANGES_BASE);

	split->addr_file = split->ranges_file = skeleton->file;
	split->addr_base = skeleton->addr_base;
	split->low_pc = skeleton->low_pc;
	split->ranges_base = ranges_base ? ranges_base->number : 0;
	split->str_offsets_base += part->str_offsets;
	split->rnglists_base += part->rnglists;
}

/*
 * Returns 0 if the unit has this dwo_id, otherwise -ENOENT. Before version 5, the id is not in the
 * header, so the unit's first entry has to be read.
 */
static int check_id(struct dwarf_file *file, const struct dwarf_unit *unit, uint64_t dwo_id)
{
	struct dwarf_cu cu;
	bool same;
	int rc;

	if (unit->version >= 5)
		return unit->type == DW_UT_split_compile && unit->dwo_id == dwo_id ? 0 : -ENOENT;
	rc = dwarf_cu_open(file, unit, false, &cu);
	if (rc < 0)
		return rc;
	same = dwarf_split_id(&cu) == dwo_id;
	dwarf_cu_close(&cu);
	return same ? 0 : -ENOENT;
}

static int open_at(struct dwarf_file *file, const struct contribution *part,
		   const struct dwarf_cu *skeleton, struct dwarf_cu *ret_cu)
{
	struct dwarf_unit unit;
	int rc = dwarf_unit_read(file, part->info, &unit);

	if (rc < 0)
		return rc;
	unit.abbrev_offset += part->abbrev;
	rc = check_id(file, &unit, dwarf_split_id(skeleton));
	if (rc < 0)
		return rc;
	rc = dwarf_cu_open(file, &unit, true, ret_cu);
	if (rc < 0)
		return rc;
	join(ret_cu, skeleton, part);
	return 0;
}

int dwarf_split_open(struct dwarf_file *file, const struct dwarf_cu *skeleton,
		     struct dwarf_cu *ret_cu)
{
	struct contribution part = { 0 };
	int rc, opened;

	if (dwarf_split_id(skeleton) == 0)
		/* 0 means "no id", so it must not match a unit without an id */
		return -ENOENT;
	if (file->sections[DWARF_CU_INDEX].size_bytes) {
		rc = find_contribution(file, dwarf_split_id(skeleton), &part);
		return rc < 0 ? rc : open_at(file, &part, skeleton, ret_cu);
	}
	rc = dwarf_units_read(file);
	for (size_t i = 0; i < file->units.count; i++) {
		part.info = file->units.at[i].offset;
		opened = open_at(file, &part, skeleton, ret_cu);
		if (opened != -ENOENT && opened != -EBADMSG)
			return opened;
		if (opened == -EBADMSG)
			rc = opened;
	}
	return rc < 0 ? rc : -ENOENT;
}
