/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf.h - debug information of DWARF 2 to 5, as the parts of dwarf/debug_lines.c read it
 *
 * Private to this room.  A dwarf_file is one ELF file with debug sections: the image, its debug
 * file, the file that dwz shares between several (.gnu_debugaltlink), a .dwo or a .dwp.  Only
 * what a question needs is read, with pread() and through byte readers: of all units the first
 * entry, of those that were hit the tree and the line program, and one unit at a time.
 *
 * Bounds against hostile files: all files of one image share a budget of steps (an attribute, an
 * abbreviation, an instruction of a line program, a range, 64 bytes) and of memory, in proportion
 * to their size up to a limit; trees, chains of references and tables have limits of their own.
 *
 * Functions return 0 or -EBADMSG: what the bytes say cannot be; -E2BIG: the budget is used up;
 * -ENOENT: there is no such thing; -ENOMEM or an error of pread(2).
 */
#ifndef ASSAY_DWARF_DWARF_H
#define ASSAY_DWARF_DWARF_H

#include "dwarf/dwarf_names.h"
#include "elf/elf_format.h"

#define DWARF_TEXT_MAX 4096	/* of a name or a path, with its NUL; the rest is cut */
#define DWARF_DEPTH_MAX 512	/* of a tree */
#define DWARF_ORIGINS_MAX 16	/* of references from a function to its name */
#define DWARF_FOREIGN_TABLES 8

struct dwarf_budget {
	uint64_t steps, memory_bytes;	/* what is left */
};

enum dwarf_section_id {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_ADDR,
	DWARF_STR_OFFSETS,
	DWARF_CU_INDEX,
	DWARF_SECTION_COUNT
};

struct dwarf_section {
	uint64_t offset, stored_bytes;	/* in the file */
	uint64_t size_bytes;		/* unpacked; 0: there is none */
	uint32_t packing;		/* ELFCOMPRESS_*, 0: as it is */
	uint8_t *loaded;		/* owned: all of it; NULL while nobody asked for that */
};

/* ---- abbreviations ---- */

/* The attributes that are looked at; others are passed over. */
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
	SLOT_COUNT
};

struct dwarf_spec {
	uint16_t form;
	uint8_t slot;
	int64_t implicit;	/* value of DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first_spec, spec_count;
	uint16_t tag;
	bool has_children;
};

struct dwarf_abbrevs {
	VEC(struct dwarf_abbrev) abbrevs;	/* by code */
	VEC(struct dwarf_spec) specs;
};

/* ---- units ---- */

/* What a unit's header says. */
struct dwarf_unit {
	uint64_t offset, end;		/* of the header, and one past the unit, in .debug_info */
	uint64_t abbrev_offset;
	uint64_t dwo_id;		/* of version 5; else 0 */
	uint16_t version;
	uint8_t type;			/* enum dwarf_unit_type; 0: version below 5 */
	uint8_t address_size, offset_size, header_bytes;
};

struct dwarf_file {
	struct elf_source source;
	int owned_fd;			/* or -1 */
	bool swapped;
	struct dwarf_section sections[DWARF_SECTION_COUNT];
	struct dwarf_budget *budget;	/* not owned; shared by the files of an image */
	uint64_t taken_bytes;		/* of it, until the file is finished */
	struct dwarf_file *alt;		/* not owned; NULL: none is there */
	VEC(struct dwarf_unit) units;	/* by offset, once dwarf_units_read() was called */
	bool has_units;
	struct {
		struct dwarf_abbrevs table;
		uint64_t offset;
		bool used;
	} foreign[DWARF_FOREIGN_TABLES];	/* of units that others refer to */
};

/* A range of a section's bytes: in place, or read into memory of its own. */
struct dwarf_window {
	const uint8_t *bytes;
	size_t size_bytes;
	uint8_t *owned;
	struct dwarf_file *file;	/* whose memory was taken for what is owned */
};

/* A value of an attribute, not yet looked up. */
struct dwarf_value {
	uint16_t form;			/* 0: there is none */
	uint64_t number;
	const char *text;		/* DW_FORM_string: in the window */
};

struct dwarf_die {
	uint64_t offset;		/* in .debug_info */
	const struct dwarf_abbrev *abbrev;	/* NULL: the end of a list of children */
	uint32_t present;		/* a bit for each slot that has a value */
	struct dwarf_value values[SLOT_COUNT];
};

/* A unit with what its entries need to be understood. */
struct dwarf_cu {
	struct dwarf_file *file;
	struct dwarf_unit unit;
	struct dwarf_window info;	/* from unit.offset on */
	struct dwarf_abbrevs abbrevs;
	struct dwarf_die root;
	uint64_t low_pc;		/* what ranges are relative to */
	uint64_t str_offsets_base, rnglists_base, ranges_base, addr_base;
	struct dwarf_file *addr_file;	/* whose .debug_addr and .debug_ranges hold its own: for */
	struct dwarf_file *ranges_file;	/* a split unit the file of its skeleton */
};

struct dwarf_range {
	uint64_t low, high;		/* one past */
};

struct dwarf_ranges {
	VEC(struct dwarf_range) list;
};

/* ---- dwarf_file.c ---- */

/*
 * Finds the sections; with @split those of split units, which an object may hold beside the plain
 * ones.  @source is kept; @owned_fd is closed by dwarf_file_fini(), -1: none.
 */
int dwarf_file_init(struct dwarf_file *file, const struct elf_source *source, int owned_fd,
		    bool split, struct dwarf_budget *budget);
void dwarf_file_fini(struct dwarf_file *file);
int dwarf_spend(struct dwarf_file *file, uint64_t steps);	/* 0 or -E2BIG */
int dwarf_spend_bytes(struct dwarf_file *file, uint64_t size_bytes);	/* copied or searched */
/* 0 or -E2BIG. What is taken comes back when the file is finished, or by the other one. */
int dwarf_take_memory(struct dwarf_file *file, uint64_t size_bytes);
void dwarf_give_memory(struct dwarf_file *file, uint64_t size_bytes);

/* @size_bytes at @at of a section. */
int dwarf_window_open(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
		      uint64_t size_bytes, struct dwarf_window *ret_window);
void dwarf_window_close(struct dwarf_window *window);
struct byte_reader dwarf_window_reader(const struct dwarf_file *file,
				       const struct dwarf_window *window);

/* All of a section, read once and kept; size 0 where there is none. */
int dwarf_section_reader(struct dwarf_file *file, enum dwarf_section_id id,
			 struct byte_reader *ret_reader);

uint64_t dwarf_number(struct byte_reader *r, unsigned int size_bytes);	/* 1 to 8, 3 as well */
int dwarf_section_number(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
			 unsigned int size_bytes, uint64_t *ret_number);

/* A string, cut at DWARF_TEXT_MAX. -EBADMSG when the section ends before it does. */
int dwarf_section_text(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
		       char ret_text[static DWARF_TEXT_MAX]);

/* ---- dwarf_die.c ---- */

/* The table at @offset; with @until not 0 only as far as that code. */
int dwarf_abbrevs_read(struct dwarf_file *file, uint64_t offset, uint64_t until,
		       struct dwarf_abbrevs *table);
void dwarf_abbrevs_fini(struct dwarf_abbrevs *table);

/* False, and the reader failed, for a form that is not known. */
bool dwarf_value_read(struct byte_reader *r, const struct dwarf_unit *unit,
		      const struct dwarf_spec *spec, struct dwarf_value *ret_value);

/* The entry at @r, whose bytes begin at the unit's header. */
int dwarf_die_read(struct dwarf_file *file, const struct dwarf_unit *unit,
		   const struct dwarf_abbrevs *table, struct byte_reader *r,
		   struct dwarf_die *ret_die);

static inline const struct dwarf_value *die_value(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return die->present & 1u << slot ? &die->values[slot] : NULL;
}

/* ---- dwarf_unit.c ---- */

/* The header at @offset. */
int dwarf_unit_read(struct dwarf_file *file, uint64_t offset, struct dwarf_unit *ret_unit);

/* All headers, into file->units; of a damaged section those before the damage, and -EBADMSG. */
int dwarf_units_read(struct dwarf_file *file);

/* Its first entry only, or (@whole) all of its bytes and abbreviations. */
int dwarf_cu_open(struct dwarf_file *file, const struct dwarf_unit *unit, bool whole,
		  struct dwarf_cu *ret_cu);
void dwarf_cu_close(struct dwarf_cu *cu);
int dwarf_cu_text(const struct dwarf_cu *cu, const struct dwarf_value *value,
		  char ret_text[static DWARF_TEXT_MAX]);
bool dwarf_is_address(const struct dwarf_value *value);	/* by its form */
int dwarf_cu_address(const struct dwarf_cu *cu, const struct dwarf_value *value,
		     uint64_t *ret_vaddr);

/* Where an entry's code lies; none for one without. Ranges that begin at 0 were discarded. */
int dwarf_die_ranges(const struct dwarf_cu *cu, const struct dwarf_die *die,
		     struct dwarf_ranges *ranges);

/* The linkage name of a function, else its name, through what it refers to; "" without. */
int dwarf_die_name(const struct dwarf_cu *cu, const struct dwarf_die *die,
		   char ret_text[static DWARF_TEXT_MAX]);

#endif
