/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads abbreviations, and the entries (DIEs) whose layout they describe. */
#include <errno.h>

#include "dwarf/dwarf.h"

/* Limits for one abbreviation table. Compilers write only a few hundred abbreviations. */
#define ABBREVS_MAX (UINT32_C(1) << 18)
#define SPECS_MAX (UINT32_C(1) << 20)

/* ---- abbreviations ---- */

static uint8_t slot_of(uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_sibling:
		return SLOT_SIBLING;
	case DW_AT_name:
		return SLOT_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return SLOT_LINKAGE_NAME;
	case DW_AT_low_pc:
		return SLOT_LOW_PC;
	case DW_AT_high_pc:
		return SLOT_HIGH_PC;
	case DW_AT_ranges:
		return SLOT_RANGES;
	case DW_AT_abstract_origin:
		return SLOT_ORIGIN;
	case DW_AT_specification:
		return SLOT_SPECIFICATION;
	case DW_AT_call_file:
		return SLOT_CALL_FILE;
	case DW_AT_call_line:
		return SLOT_CALL_LINE;
	case DW_AT_stmt_list:
		return SLOT_STMT_LIST;
	case DW_AT_comp_dir:
		return SLOT_COMP_DIR;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return SLOT_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return SLOT_DWO_ID;
	case DW_AT_str_offsets_base:
		return SLOT_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return SLOT_ADDR_BASE;
	case DW_AT_rnglists_base:
		return SLOT_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return SLOT_RANGES_BASE;
	case DW_AT_type:
		return SLOT_TYPE;
	case DW_AT_byte_size:
		return SLOT_BYTE_SIZE;
	case DW_AT_encoding:
		return SLOT_ENCODING;
	case DW_AT_calling_convention:
		return SLOT_CALLING;
	case DW_AT_language:
		return SLOT_LANGUAGE;
	default:
		return SLOT_NONE;
	}
}

static int read_specs(struct dwarf_file *file, struct byte_reader *r, struct dwarf_abbrevs *table)
{
	for (;;) {
		uint64_t attribute = byte_reader_uleb(r), form = byte_reader_uleb(r);
		int64_t implicit = form == DW_FORM_implicit_const ? byte_reader_sleb(r) : 0;
		struct dwarf_spec *spec;

		if (r->failed || form > UINT16_MAX || table->specs.count >= SPECS_MAX)
			return -EBADMSG;
		if (dwarf_spend(file, 1) < 0)
			return -E2BIG;
		if (attribute == 0 && form == 0)
			return 0;
		spec = vec_push(&table->specs);
		if (!spec)
			return -ENOMEM;
		*spec = (struct dwarf_spec){
			.form = (uint16_t)form,
			.slot = slot_of(attribute),
			.implicit = implicit,
		};
	}
}

static int compare_codes(const void *left, const void *right)
{
	const struct dwarf_abbrev *a = left, *b = right;

	return a->code < b->code ? -1 : a->code > b->code;
}

static int read_abbrev(struct dwarf_file *file, struct byte_reader *r, uint64_t code,
		       struct dwarf_abbrevs *table)
{
	struct dwarf_abbrev *abbrev = NULL;
	int rc;

	if (table->abbrevs.count >= ABBREVS_MAX)
		return -EBADMSG;
	abbrev = vec_push(&table->abbrevs);
	if (!abbrev)
		return -ENOMEM;
	abbrev->code = code;
	abbrev->first_spec = (uint32_t)table->specs.count;
	abbrev->tag = (uint16_t)byte_reader_uleb(r);
	abbrev->has_children = byte_reader_u8(r) != 0;
	rc = read_specs(file, r, table);
	abbrev->spec_count = (uint32_t)table->specs.count - abbrev->first_spec;
	return rc;
}

int dwarf_abbrevs_read(struct dwarf_file *file, uint64_t offset, uint64_t until,
		       struct dwarf_abbrevs *table)
{
	struct byte_reader r;
	uint64_t last = 0, code;
	bool sorted = true;
	int rc = dwarf_section_reader(file, DWARF_ABBREV, &r);

	vec_clear(&table->abbrevs);
	vec_clear(&table->specs);
	if (rc < 0)
		return rc;
	byte_reader_seek(&r, offset);
	while ((code = byte_reader_uleb(&r)) != 0) {
		rc = read_abbrev(file, &r, code, table);
		if (rc < 0)
			return rc;
		if (until && code == until) {
			/* Only the last abbreviation is needed, so drop all others. */
			table->abbrevs.at[0] = table->abbrevs.at[table->abbrevs.count - 1];
			table->abbrevs.count = 1;
			return 0;
		}
		sorted = sorted && code > last;
		last = code;
	}
	if (r.failed || until)
		return -EBADMSG;
	if (!sorted)
		qsort(table->abbrevs.at, table->abbrevs.count, sizeof(*table->abbrevs.at),
		      compare_codes);
	return 0;
}

void dwarf_abbrevs_fini(struct dwarf_abbrevs *table)
{
	vec_free(&table->abbrevs);
	vec_free(&table->specs);
}

/*
 * Finds an abbreviation by its code. Codes are nearly always 1, 2, 3 and so on, so the abbreviation
 * at index code - 1 is tried first.
 */
static const struct dwarf_abbrev *find_abbrev(const struct dwarf_abbrevs *table, uint64_t code)
{
	struct dwarf_abbrev wanted = { .code = code };

	if (code - 1 < table->abbrevs.count && table->abbrevs.at[code - 1].code == code)
		return &table->abbrevs.at[code - 1];
	if (table->abbrevs.count == 0)
		return NULL;
	return bsearch(&wanted, table->abbrevs.at, table->abbrevs.count, sizeof(wanted),
		       compare_codes);
}

/* ---- values ---- */

/*
 * Returns the size in bytes of a value with this form. Returns 0 if the value is not a number or
 * has no fixed size.
 */
static unsigned int fixed_bytes(uint16_t form, const struct dwarf_unit *unit)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_addr:
		return unit->address_size;
	case DW_FORM_ref_addr:
		return unit->version <= 2 ? unit->address_size : unit->offset_size;
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return unit->offset_size;
	default:
		return 0;
	}
}

static void read_unsized(struct byte_reader *r, const struct dwarf_spec *spec,
			 struct dwarf_value *value)
{
	switch (value->form) {
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		value->number = byte_reader_uleb(r);
		break;
	case DW_FORM_sdata:
		value->number = (uint64_t)byte_reader_sleb(r);
		break;
	case DW_FORM_string:
		value->text = byte_reader_string(r, NULL);
		break;
	case DW_FORM_block1:
		byte_reader_skip(r, byte_reader_u8(r));
		break;
	case DW_FORM_block2:
		byte_reader_skip(r, byte_reader_u16(r));
		break;
	case DW_FORM_block4:
		byte_reader_skip(r, byte_reader_u32(r));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		byte_reader_skip(r, byte_reader_uleb(r));
		break;
	case DW_FORM_data16:
		byte_reader_skip(r, 16);
		break;
	case DW_FORM_flag_present:
		value->number = 1;
		break;
	case DW_FORM_implicit_const:
		value->number = (uint64_t)spec->implicit;
		break;
	default:
		/* unknown form, so the end of the value is unknown: mark the reader as failed */
		byte_reader_skip(r, SIZE_MAX);
		break;
	}
}

bool dwarf_value_read(struct byte_reader *r, const struct dwarf_unit *unit,
		      const struct dwarf_spec *spec, struct dwarf_value *ret_value)
{
	uint16_t form = spec->form;
	unsigned int size_bytes;

	if (form == DW_FORM_indirect) {
		uint64_t named = byte_reader_uleb(r);

		form = named > UINT16_MAX || named == DW_FORM_implicit_const ? 0 : (uint16_t)named;
	}
	size_bytes = fixed_bytes(form, unit);
	ret_value->form = form;
	ret_value->text = NULL;
	ret_value->number = 0;
	if (size_bytes)
		ret_value->number = dwarf_number(r, size_bytes);
	else
		read_unsized(r, spec, ret_value);
	return !r->failed;
}

int dwarf_die_read(struct dwarf_file *file, const struct dwarf_unit *unit,
		   const struct dwarf_abbrevs *table, struct byte_reader *r,
		   struct dwarf_die *ret_die)
{
	struct dwarf_value unwanted;
	size_t begin = r->at;
	uint64_t code;

	ret_die->offset = unit->offset + r->at;
	ret_die->present = 0;
	ret_die->abbrev = NULL;
	code = byte_reader_uleb(r);
	if (r->failed)
		return -EBADMSG;
	if (code == 0)
		return dwarf_spend(file, 1);
	ret_die->abbrev = find_abbrev(table, code);
	if (!ret_die->abbrev)
		return -EBADMSG;
	if (dwarf_spend(file, 1 + ret_die->abbrev->spec_count) < 0)
		return -E2BIG;
	for (uint32_t i = 0; i < ret_die->abbrev->spec_count; i++) {
		const struct dwarf_spec *spec = &table->specs.at[ret_die->abbrev->first_spec + i];
		bool wanted = spec->slot != SLOT_NONE;

		if (!dwarf_value_read(r, unit, spec,
				      wanted ? &ret_die->values[spec->slot] : &unwanted))
			return -EBADMSG;
		if (wanted)
			ret_die->present |= 1u << spec->slot;
	}
	/* charge for the bytes, too, because the end of a string must be searched for */
	return dwarf_spend_bytes(file, r->at - begin);
}
