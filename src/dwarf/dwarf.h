/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf.h - reads DWARF 2 to 5 debug information, for dwarf/debug_lines.c
 *
 * A dwarf_file is one ELF file with debug sections: the image, its debug file, the file that dwz
 * shares between several files (.gnu_debugaltlink), a .dwo or a .dwp. An entry is a DIE, and a
 * unit's entries form a tree. Files are read with pread(), and only in part: the first entry of
 * every unit, and the tree and the line program of each unit that contains a queried address. Units
 * are read one after another.
 *
 * Limits against malicious files: all files of one image share a budget of steps and a budget of
 * memory. Reading an attribute, an abbreviation, an instruction of a line program, a range, or 64
 * bytes costs one step. Both budgets are proportional to the size of the files, up to a maximum.
 * Trees, chains of references and tables have separate limits.
 *
 * Functions return 0, or
 * - -EBADMSG if the bytes are invalid
 * - -E2BIG if the budget is used up
 * - -ENOENT if the requested thing does not exist
 * - -ENOMEM or an error of pread(2)
 */
#ifndef ASSAY_DWARF_DWARF_H
#define ASSAY_DWARF_DWARF_H

#include "dwarf/dwarf_abbrev.h"
#include "dwarf/dwarf_names.h"
#include "elf/elf_format.h"

#define DWARF_TEXT_MAX 4096	/* size of a name or path with its NUL; longer ones are cut */
#define DWARF_DEPTH_MAX 512	/* limit on the depth of a tree of entries */
#define DWARF_ORIGINS_MAX 16	/* limit on references from a function to its name */
#define DWARF_FOREIGN_TABLES 8

struct dwarf_budget {
	uint64_t steps, memory_bytes;	/* amounts that may still be used */
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
	uint64_t offset, stored_bytes;	/* position and size in the file */
	uint64_t size_bytes;		/* size after decompression; 0: no such section */
	uint32_t packing;		/* compression, ELFCOMPRESS_*; 0: not compressed */
	uint8_t *loaded;		/* owned copy of the whole section; NULL: not read */
};

/* ---- units ---- */

/* The contents of a unit's header, and the position of the unit. */
struct dwarf_unit {
	/* offsets of the header and of the end of the unit, in .debug_info */
	uint64_t offset, end;
	uint64_t abbrev_offset;
	uint64_t dwo_id;		/* from the header in version 5, otherwise 0 */
	uint16_t version;
	uint8_t type;			/* enum dwarf_unit_type; 0 before version 5 */
	uint8_t address_size, offset_size, header_bytes;
};

struct dwarf_file {
	struct elf_source source;
	/* closed by dwarf_file_fini(); -1: the file does not own its descriptor */
	int owned_fd;
	bool swapped;
	struct dwarf_section sections[DWARF_SECTION_COUNT];
	struct dwarf_budget *budget;	/* borrowed; shared by all files of an image */
	uint64_t taken_bytes;		/* amount taken from budget->memory_bytes */
	struct dwarf_file *alt;		/* the dwz file, borrowed; NULL: none */
	VEC(struct dwarf_unit) units;	/* sorted by offset; empty before dwarf_units_read() */
	bool has_units;
	struct {
		struct dwarf_abbrevs table;
		uint64_t offset;
		bool used;
	} foreign[DWARF_FOREIGN_TABLES];	/* cached abbreviation tables, see read_foreign() */
};

/*
 * A range of a section's bytes. The bytes are either part of a section in memory, or a copy that
 * the window owns.
 */
struct dwarf_window {
	const uint8_t *bytes;
	size_t size_bytes;
	uint8_t *owned;
	struct dwarf_file *file;	/* file from whose memory budget @owned was allocated */
};

/* An attribute's value. @form says how the value is encoded. */
struct dwarf_value {
	uint16_t form;			/* 0: no value */
	uint64_t number;
	/* for DW_FORM_string: the text, inside the window's bytes */
	const char *text;
};

struct dwarf_die {
	uint64_t offset;		/* offset of the entry in .debug_info */
	/* NULL: this is not an entry, but ends a list of children */
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

/* ---- dwarf_file.c ---- */

/*
 * Finds the debug sections of an ELF file. With @split, finds the sections of split units, whose
 * names end in ".dwo". An object file can contain both kinds. Copies *@source. dwarf_file_fini()
 * closes @owned_fd unless it is -1.
 */
int dwarf_file_init(struct dwarf_file *file, const struct elf_source *source, int owned_fd,
		    bool split, struct dwarf_budget *budget);
void dwarf_file_fini(struct dwarf_file *file);
/* Takes @steps from the budget. Returns 0, or -E2BIG if the budget is used up. */
int dwarf_spend(struct dwarf_file *file, uint64_t steps);
/* Takes the steps for copying or searching @size_bytes from the budget. Returns 0 or -E2BIG. */
int dwarf_spend_bytes(struct dwarf_file *file, uint64_t size_bytes);
/*
 * Takes @size_bytes from the memory budget. Returns 0 or -E2BIG. dwarf_give_memory() or
 * dwarf_file_fini() returns the memory to the budget.
 */
int dwarf_take_memory(struct dwarf_file *file, uint64_t size_bytes);
void dwarf_give_memory(struct dwarf_file *file, uint64_t size_bytes);

/* Opens a window on @size_bytes of a section, starting at @at. */
int dwarf_window_open(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
		      uint64_t size_bytes, struct dwarf_window *ret_window);
void dwarf_window_close(struct dwarf_window *window);
struct byte_reader dwarf_window_reader(const struct dwarf_file *file,
				       const struct dwarf_window *window);

/*
 * Reads a whole section, unless it is already in memory, and sets up a reader for its bytes. The
 * reader has size 0 if there is no such section.
 */
int dwarf_section_reader(struct dwarf_file *file, enum dwarf_section_id id,
			 struct byte_reader *ret_reader);

/* Reads a number of 1, 2, 3, 4 or 8 bytes. */
uint64_t dwarf_number(struct byte_reader *r, unsigned int size_bytes);
int dwarf_section_number(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
			 unsigned int size_bytes, uint64_t *ret_number);

/*
 * Reads a string, cut at DWARF_TEXT_MAX. Returns -EBADMSG if the section ends before the string
 * does.
 */
int dwarf_section_text(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
		       char ret_text[static DWARF_TEXT_MAX]);

/* ---- dwarf_die.c ---- */

/* Reads one value. If the form is unknown, returns false and marks the reader as failed. */
bool dwarf_value_read(struct byte_reader *r, const struct dwarf_unit *unit,
		      const struct dwarf_spec *spec, struct dwarf_value *ret_value);

/* Reads the entry at @r, a reader whose bytes start at the unit's header. */
int dwarf_die_read(struct dwarf_file *file, const struct dwarf_unit *unit,
		   const struct dwarf_abbrevs *table, struct byte_reader *r,
		   struct dwarf_die *ret_die);

static inline const struct dwarf_value *die_value(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return die->present & 1u << slot ? &die->values[slot] : NULL;
}

/* ---- dwarf_unit.c ---- */

/* Reads the unit header at @offset. */
int dwarf_unit_read(struct dwarf_file *file, uint64_t offset, struct dwarf_unit *ret_unit);

/*
 * Reads all unit headers into file->units. If the section is damaged, reads the headers that
 * precede the damage and returns -EBADMSG.
 */
int dwarf_units_read(struct dwarf_file *file);

/*
 * Opens a unit. Reads all of its bytes and abbreviations if @whole is true, otherwise only its
 * first entry.
 */
int dwarf_cu_open(struct dwarf_file *file, const struct dwarf_unit *unit, bool whole,
		  struct dwarf_cu *ret_cu);
void dwarf_cu_close(struct dwarf_cu *cu);
int dwarf_cu_text(const struct dwarf_cu *cu, const struct dwarf_value *value,
		  char ret_text[static DWARF_TEXT_MAX]);
/* Returns true if the form of the value is one for addresses. */
bool dwarf_is_address(const struct dwarf_value *value);
int dwarf_cu_address(const struct dwarf_cu *cu, const struct dwarf_value *value,
		     uint64_t *ret_vaddr);

/*
 * Stores the ranges of an entry's code in @ranges, which is empty if the entry has no code. Leaves
 * out ranges of code that the linker discarded; linkers give such code special addresses such as 0.
 */
int dwarf_die_ranges(const struct dwarf_cu *cu, const struct dwarf_die *die,
		     struct dwarf_ranges *ranges);

/*
 * Returns the linkage name of a function or, if it has none, its name. Follows references to other
 * entries. Returns "" if there is no name.
 */
int dwarf_die_name(const struct dwarf_cu *cu, const struct dwarf_die *die,
		   char ret_text[static DWARF_TEXT_MAX]);

#endif
