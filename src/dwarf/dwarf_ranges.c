/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the code ranges of an entry: DW_AT_low_pc and high_pc, .debug_ranges, .debug_rnglists. */
#include <errno.h>

#include "dwarf/dwarf.h"

#define RANGES_MAX (UINT32_C(1) << 22)	/* maximum number of ranges per entry */

struct range_list {
	const struct dwarf_cu *cu;
	struct byte_reader r;
	struct dwarf_ranges *ranges;
	uint64_t base;
};

/*
 * Returns true if the linker discarded the code at @vaddr. Linkers give discarded code the address
 * 0 (GNU ld), or the last or second to last possible address (lld). Code that exists is never at
 * these addresses.
 */
static bool is_discarded(const struct dwarf_cu *cu, uint64_t vaddr)
{
	uint64_t last = cu->unit.address_size == 4 ? UINT32_MAX : UINT64_MAX;

	return vaddr == 0 || vaddr >= last - 1;
}

static int add_range(struct dwarf_ranges *ranges, const struct dwarf_cu *cu, uint64_t low,
		     uint64_t high)
{
	struct dwarf_range *range;

	if (is_discarded(cu, low) || low >= high)
		return 0;
	if (ranges->list.count >= RANGES_MAX)
		return -EBADMSG;
	range = vec_push(&ranges->list);
	if (!range)
		return -ENOMEM;
	*range = (struct dwarf_range){ .low = low, .high = high };
	return 0;
}

static int add_offsets(struct range_list *list, uint64_t low, uint64_t high)
{
	uint64_t last = list->cu->unit.address_size == 4 ? UINT32_MAX : UINT64_MAX;

	if (list->base >= last - 1)
		return 0;
	return add_range(list->ranges, list->cu, list->base + low, list->base + high);
}

/* Reads a range list in the format of versions 2 to 4, which consists of pairs of addresses. */
static int read_pairs(struct range_list *list)
{
	unsigned int size_bytes = list->cu->unit.address_size;
	uint64_t select = size_bytes == 4 ? UINT32_MAX : UINT64_MAX;

	for (;;) {
		uint64_t low = dwarf_number(&list->r, size_bytes);
		uint64_t high = dwarf_number(&list->r, size_bytes);
		int rc;

		if (list->r.failed)
			return -EBADMSG;
		rc = dwarf_spend(list->cu->file, 1);
		if (rc < 0)
			return rc;
		if (low == 0 && high == 0)
			return 0;
		if (low == select) {
			list->base = high;
			continue;
		}
		rc = add_offsets(list, low, high);
		if (rc < 0)
			return rc;
	}
}

static uint64_t indexed_address(struct range_list *list)
{
	struct dwarf_value value = { .form = DW_FORM_addrx, .number = byte_reader_uleb(&list->r) };
	uint64_t vaddr = 0;

	if (!list->r.failed && dwarf_cu_address(list->cu, &value, &vaddr) < 0)
		byte_reader_skip(&list->r, SIZE_MAX);
	return vaddr;
}

static uint64_t plain_address(struct range_list *list)
{
	return dwarf_number(&list->r, list->cu->unit.address_size);
}

static int read_entry(struct range_list *list, uint8_t kind)
{
	uint64_t low, high;

	switch (kind) {
	case DW_RLE_base_addressx:
		list->base = indexed_address(list);
		return 0;
	case DW_RLE_base_address:
		list->base = plain_address(list);
		return 0;
	case DW_RLE_offset_pair:
		low = byte_reader_uleb(&list->r);
		high = byte_reader_uleb(&list->r);
		return list->r.failed ? 0 : add_offsets(list, low, high);
	case DW_RLE_startx_endx:
		low = indexed_address(list);
		high = indexed_address(list);
		break;
	case DW_RLE_startx_length:
		low = indexed_address(list);
		high = low + byte_reader_uleb(&list->r);
		break;
	case DW_RLE_start_end:
		low = plain_address(list);
		high = plain_address(list);
		break;
	case DW_RLE_start_length:
		low = plain_address(list);
		high = low + byte_reader_uleb(&list->r);
		break;
	default:
		return -EBADMSG;
	}
	return list->r.failed ? 0 : add_range(list->ranges, list->cu, low, high);
}

static int read_list(struct range_list *list)
{
	for (;;) {
		uint8_t kind = byte_reader_u8(&list->r);
		int rc;

		if (list->r.failed)
			return -EBADMSG;
		if (kind == DW_RLE_end_of_list)
			return 0;
		rc = read_entry(list, kind);
		if (rc < 0)
			return rc;
		if (list->r.failed)
			return -EBADMSG;
		rc = dwarf_spend(list->cu->file, 1);
		if (rc < 0)
			return rc;
	}
}

static int read_ranges(const struct dwarf_cu *cu, const struct dwarf_value *value,
		       struct dwarf_ranges *ranges)
{
	struct range_list list = { .cu = cu, .ranges = ranges, .base = cu->low_pc };
	bool is_new = cu->unit.version >= 5;
	struct dwarf_file *file = is_new ? cu->file : cu->ranges_file;
	uint64_t offset = value->number;
	int rc;

	if (value->form == DW_FORM_rnglistx) {
		if (offset > UINT32_MAX || cu->rnglists_base > UINT64_MAX / 2)
			return -EBADMSG;
		rc = dwarf_section_number(file, DWARF_RNGLISTS,
					  cu->rnglists_base + offset * cu->unit.offset_size,
					  cu->unit.offset_size, &offset);
		if (rc < 0)
			return rc;
		offset += cu->rnglists_base;
	} else if (!is_new) {
		offset += cu->ranges_base;
	}
	rc = dwarf_section_reader(file, is_new ? DWARF_RNGLISTS : DWARF_RANGES, &list.r);
	if (rc < 0)
		return rc;
	byte_reader_seek(&list.r, offset);
	return is_new ? read_list(&list) : read_pairs(&list);
}

int dwarf_die_ranges(const struct dwarf_cu *cu, const struct dwarf_die *die,
		     struct dwarf_ranges *ranges)
{
	const struct dwarf_value *low_pc = die_value(die, SLOT_LOW_PC);
	const struct dwarf_value *high_pc = die_value(die, SLOT_HIGH_PC);
	const struct dwarf_value *list = die_value(die, SLOT_RANGES);
	uint64_t low, high;
	int rc;

	vec_clear(&ranges->list);
	if (list)
		return read_ranges(cu, list, ranges);
	if (!low_pc || !high_pc)
		return 0;
	rc = dwarf_cu_address(cu, low_pc, &low);
	if (rc < 0)
		return rc;
	high = low + high_pc->number;	/* from version 4 on, high_pc may be a length */
	if (dwarf_is_address(high_pc)) {
		rc = dwarf_cu_address(cu, high_pc, &high);
		if (rc < 0)
			return rc;
	}
	return add_range(ranges, cu, low, high);
}
