/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf.h - reads DWARF 2 to 5 debug information, for dwarf/debug_lines.c
 *
 * A dwarf_file is one ELF file with debug sections: the image, its debug file, the file that dwz
 * shares between several files (.gnu_debugaltlink), a .dwo or a .dwp. "Entry" means a debugging
 * information entry (DIE). The entries of a unit form a tree. Files are read with pread(), and only
 * in part: the first entry of every unit, and the tree and the line program of each unit that
 * contains a queried address. Units are read one after another.
 *
 * Functions return the errors of dwarf_file.h.
 */
#ifndef ASSAY_DWARF_DWARF_H
#define ASSAY_DWARF_DWARF_H

#include "dwarf/dwarf_abbrev.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_names.h"

#define DWARF_DEPTH_MAX 512	/* limit on the depth of a tree of entries */
/* maximum number of references to follow from an entry */
#define DWARF_ORIGINS_MAX 16

/* An attribute's value. @form says how the value is encoded. */
struct dwarf_value {
	uint16_t form;			/* 0: no value */
	uint64_t number;
	/* for DW_FORM_string: the text, which points into the window; otherwise NULL */
	const char *text;
};

struct dwarf_die {
	uint64_t offset;		/* offset of the entry in .debug_info */
	/* NULL: not a real entry, but the null entry that ends a list of children */
	const struct dwarf_abbrev *abbrev;
	/* bit set of the slots (enum dwarf_slot) that have a value */
	uint32_t present;
	struct dwarf_value values[SLOT_COUNT];
};

/* A unit, with everything that is needed to interpret its entries. */
struct dwarf_cu {
	struct dwarf_file *file;
	struct dwarf_unit unit;
	struct dwarf_window info;	/* bytes of the unit, from unit.offset on */
	struct dwarf_abbrevs abbrevs;
	struct dwarf_die root;
	uint64_t low_pc;		/* base address for the unit's ranges */
	uint64_t str_offsets_base, rnglists_base, ranges_base, addr_base;
	/* file with .debug_addr; for a split unit, the file of its skeleton (dwarf_split.h) */
	struct dwarf_file *addr_file;
	/* file with .debug_ranges; for a split unit, the file of its skeleton */
	struct dwarf_file *ranges_file;
};

struct dwarf_range {
	uint64_t low, high;		/* @low: first byte; @high: one past the last byte */
};

struct dwarf_ranges {
	VEC(struct dwarf_range) list;
};

/* ---- dwarf_die.c ---- */

/* Reads one value. If the form is unknown, returns false and marks the reader as failed. */
bool dwarf_value_read(struct byte_reader *r, const struct dwarf_unit *unit,
		      const struct dwarf_spec *spec, struct dwarf_value *ret_value);

/*
 * Reads the entry at the current position of @r. ret_die->offset is right only if the bytes of @r
 * begin with the unit's header.
 */
int dwarf_die_read(struct dwarf_file *file, const struct dwarf_unit *unit,
		   const struct dwarf_abbrevs *table, struct byte_reader *r,
		   struct dwarf_die *ret_die);

static inline const struct dwarf_value *die_value(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return die->present & 1u << slot ? &die->values[slot] : NULL;
}

/* Returns the number of an attribute, or @otherwise if the entry does not have it. */
static inline uint64_t die_number_or(const struct dwarf_die *die, enum dwarf_slot slot,
				     uint64_t otherwise)
{
	const struct dwarf_value *value = die_value(die, slot);

	return value ? value->number : otherwise;
}

/* ---- dwarf_unit.c ---- */

/* Reads the unit header at @offset. */
int dwarf_unit_read(struct dwarf_file *file, uint64_t offset, struct dwarf_unit *ret_unit);

/*
 * Reads all unit headers into file->units. If the section is damaged, reads the headers that
 * precede the damage and returns -EBADMSG.
 */
int dwarf_units_read(struct dwarf_file *file);

/* Returns the unit that contains @offset; NULL: there is none. Reads the units if necessary. */
const struct dwarf_unit *dwarf_unit_at(struct dwarf_file *file, uint64_t offset);

/*
 * Opens a unit. Reads all of its bytes and abbreviations if @whole is true, otherwise only its
 * first entry.
 */
int dwarf_cu_open(struct dwarf_file *file, const struct dwarf_unit *unit, bool whole,
		  struct dwarf_cu *ret_cu);
void dwarf_cu_close(struct dwarf_cu *cu);
int dwarf_cu_text(const struct dwarf_cu *cu, const struct dwarf_value *value,
		  char ret_text[static DWARF_TEXT_MAX]);
/* Returns true if the value is encoded in a form for addresses. */
bool dwarf_is_address(const struct dwarf_value *value);
int dwarf_cu_address(const struct dwarf_cu *cu, const struct dwarf_value *value,
		     uint64_t *ret_vaddr);

/*
 * Stores the ranges of an entry's code in @ranges, which is empty if the entry has no code. Leaves
 * out ranges of code that the linker discarded; linkers give such code special addresses such as 0.
 */
int dwarf_die_ranges(const struct dwarf_cu *cu, const struct dwarf_die *die,
		     struct dwarf_ranges *ranges);

/* ---- dwarf_refs.c ---- */

/* What dwarf_follow() shows an entry. */
struct dwarf_visitor {
	/*
	 * Returns 1 to see the entry to which *@ret_next refers, 0 if that was enough, or a
	 * negative value to stop.
	 */
	int (*see)(void *context, const struct dwarf_cu *cu, const struct dwarf_die *die,
		   struct dwarf_value *ret_next);
	void *context;
};

/*
 * Shows an entry to @visitor, and those to which it then refers, at most DWARF_ORIGINS_MAX. An
 * entry that cannot be found is not shown. Returns 0 or an error.
 */
int dwarf_follow(const struct dwarf_cu *cu, const struct dwarf_die *die,
		 const struct dwarf_visitor *visitor);

/*
 * Finds the reference to the entry that has the attributes which @die itself does not have. Returns
 * false if there is none.
 */
bool dwarf_die_origin(const struct dwarf_die *die, struct dwarf_value *ret_value);

/*
 * Returns the linkage name of a function or, if it has none, its name. Follows references to other
 * entries. Returns "" if there is no name.
 */
int dwarf_die_name(const struct dwarf_cu *cu, const struct dwarf_die *die,
		   char ret_text[static DWARF_TEXT_MAX]);

#endif
