/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_file.h - one ELF file with debug sections, and the budget for reading it
 *
 * There are limits against malicious files. All files of one image share a budget of steps and a
 * budget of memory. One step pays for reading an attribute, an abbreviation, an instruction of a
 * line program, a range, or 64 bytes. Both budgets grow with the size of the files, up to a
 * maximum. Trees, chains of references and tables have limits of their own.
 *
 * Functions return 0, or
 * - -EBADMSG if the bytes are invalid
 * - -E2BIG if the budget is used up
 * - -ENOENT if the requested thing does not exist
 * - -ENOMEM or an error of pread(2)
 */
#ifndef ASSAY_DWARF_DWARF_FILE_H
#define ASSAY_DWARF_DWARF_FILE_H

#include "dwarf/dwarf_abbrev.h"
#include "elf/elf_format.h"

/* maximum size of a name or path with its NUL; longer texts are cut */
#define DWARF_TEXT_MAX 4096
#define DWARF_FOREIGN_TABLES 8

struct dwarf_budget {
	uint64_t steps, memory_bytes;	/* steps and bytes of memory that may still be used */
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

/* The contents of a unit's header, and the position of the unit. */
struct dwarf_unit {
	/* offsets in .debug_info: of the header, and of the first byte after the unit */
	uint64_t offset, end;
	uint64_t abbrev_offset;
	uint64_t dwo_id;		/* from the header in version 5, otherwise 0 */
	uint16_t version;
	uint8_t type;			/* enum dwarf_unit_type; 0 before version 5 */
	uint8_t address_size, offset_size, header_bytes;
};

struct dwarf_file {
	struct elf_source source;
	/* descriptor that dwarf_file_fini() closes; -1: source.fd is borrowed */
	int owned_fd;
	bool swapped;
	struct dwarf_section sections[DWARF_SECTION_COUNT];
	struct dwarf_budget *budget;	/* borrowed; shared by all files of an image */
	/* number of bytes of budget->memory_bytes that this file uses */
	uint64_t taken_bytes;
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
	/* file whose memory budget was charged for @owned; NULL if @owned is NULL */
	struct dwarf_file *file;
};

/*
 * Finds the debug sections of an ELF file. If @split is true, finds only the sections of split
 * units, whose names end in ".dwo" (except .debug_cu_index). Otherwise finds only sections without
 * that ending. An object file can contain both kinds. Copies *@source. dwarf_file_fini() closes
 * @owned_fd unless it is -1.
 */
int dwarf_file_init(struct dwarf_file *file, const struct elf_source *source, int owned_fd,
		    bool split, struct dwarf_budget *budget);
void dwarf_file_fini(struct dwarf_file *file);
/* Takes @steps from the budget. Returns 0, or -E2BIG if the budget is used up. */
int dwarf_spend(struct dwarf_file *file, uint64_t steps);
/*
 * Charges the budget for copying or searching @size_bytes. Returns 0, or -E2BIG if the budget is
 * used up.
 */
int dwarf_spend_bytes(struct dwarf_file *file, uint64_t size_bytes);
/*
 * Takes @size_bytes from the memory budget. Returns 0 or -E2BIG. dwarf_give_memory() or
 * dwarf_file_fini() returns the memory to the budget.
 */
int dwarf_take_memory(struct dwarf_file *file, uint64_t size_bytes);
void dwarf_give_memory(struct dwarf_file *file, uint64_t size_bytes);

/*
 * Makes @size_bytes of a section accessible through *@ret_window, from the section's offset @at on.
 */
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
 * Reads a string. Cuts a string that does not fit into DWARF_TEXT_MAX bytes. Returns -EBADMSG if
 * the section ends before the NUL of the string.
 */
int dwarf_section_text(struct dwarf_file *file, enum dwarf_section_id id, uint64_t at,
		       char ret_text[static DWARF_TEXT_MAX]);

#endif
