/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_line.h - line programs: which source line the code at an address comes from
 *
 * Private to src/elf. A line program (DWARF 5, 6.2) generates rows of ascending addresses. Each row
 * applies up to the next row. If several rows have the same address, the last one counts, as in
 * other readers.
 */
#ifndef ASSAY_DWARF_DWARF_LINE_H
#define ASSAY_DWARF_DWARF_LINE_H

#include "dwarf/dwarf_query.h"

struct dwarf_line_file {
	struct dwarf_value name;
	uint64_t directory;
	uint32_t path;		/* id that the sink returned; 0: not requested yet */
	bool has_path;
};

/* The file table of a line program. */
struct dwarf_line_table {
	const struct dwarf_cu *cu;	/* borrowed; stays open as long as the table */
	struct dwarf_window window;
	uint16_t version;
	VEC(struct dwarf_value) directories;
	VEC(struct dwarf_line_file) files;
};

/*
 * Runs the line program of @cu and sets file and line of each query that the program covers. The
 * caller must close the table whatever the result is. After -EBADMSG the table is usable and holds
 * the entries before the damage.
 */
int dwarf_line_run(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		   struct dwarf_line_table *ret_table);
void dwarf_line_close(struct dwarf_line_table *table);

/* Returns the file with the number that rows and entries use, or NULL. */
struct dwarf_line_file *dwarf_line_file(struct dwarf_line_table *table, uint64_t number);

/*
 * Returns the path of the file. A relative path is appended to its directory, and then to the
 * compilation directory if it is still relative.
 */
int dwarf_line_path(const struct dwarf_line_table *table, const struct dwarf_line_file *file,
		    char ret_text[static DWARF_TEXT_MAX]);

#endif
