/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_abbrev.h - tables of abbreviations, and the attributes that assay reads
 *
 * Each entry of .debug_info begins with the code (a number) of an abbreviation. The abbreviation
 * lists the entry's attributes and the encoding of each attribute. Each attribute that assay uses
 * has a slot, an index into the array of the entry's values. All other attributes have SLOT_NONE,
 * and their values are skipped.
 */
#ifndef ASSAY_DWARF_DWARF_ABBREV_H
#define ASSAY_DWARF_DWARF_ABBREV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct dwarf_file;

/* The attributes that are used; other attributes are skipped. */
enum dwarf_slot {
	SLOT_NONE,
	SLOT_SIBLING,
	SLOT_NAME,
	SLOT_LINKAGE_NAME,
	SLOT_LOW_PC,
	SLOT_HIGH_PC,
	SLOT_RANGES,
	SLOT_ORIGIN,
	SLOT_SPECIFICATION,
	SLOT_CALL_FILE,
	SLOT_CALL_LINE,
	SLOT_STMT_LIST,
	SLOT_COMP_DIR,
	SLOT_DWO_NAME,
	SLOT_DWO_ID,
	SLOT_STR_OFFSETS_BASE,
	SLOT_ADDR_BASE,
	SLOT_RNGLISTS_BASE,
	SLOT_RANGES_BASE,
	SLOT_TYPE,
	SLOT_BYTE_SIZE,
	SLOT_ENCODING,
	SLOT_CALLING,		/* the calling convention */
	SLOT_LANGUAGE,
	SLOT_COUNT
};

struct dwarf_spec {
	uint16_t form;
	uint8_t slot;
	int64_t implicit;	/* the value itself if the form is DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first_spec, spec_count;
	uint16_t tag;
	bool has_children;
};

struct dwarf_abbrevs {
	VEC(struct dwarf_abbrev) abbrevs;	/* sorted by code */
	VEC(struct dwarf_spec) specs;
};

/*
 * Reads the abbreviation table at @offset. If @until is not 0, stops after the abbreviation with
 * code @until and keeps only that abbreviation.
 */
int dwarf_abbrevs_read(struct dwarf_file *file, uint64_t offset, uint64_t until,
		       struct dwarf_abbrevs *table);
void dwarf_abbrevs_fini(struct dwarf_abbrevs *table);

#endif
