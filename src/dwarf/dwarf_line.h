/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_line.h - runs line programs, which assign a source line to each address
 *
 * Private to src/dwarf. A line program (DWARF 5, 6.2) generates rows with ascending addresses. A
 * row gives the file and line of all addresses from its own address up to the address of the next
 * row. If several rows have the same address, the last of these rows is used, as in other readers.
 */
#ifndef ASSAY_DWARF_DWARF_LINE_H
#define ASSAY_DWARF_DWARF_LINE_H

#include "dwarf/dwarf_query.h"

struct dwarf_line_file {
	struct dwarf_value name;
	uint64_t directory;
	/* path id that the sink returned; 0 if the sink has not been called yet */
	uint32_t path;
	bool has_path;
};

/* The table of source files of a line program. */
struct dwarf_line_table {
	const struct dwarf_cu *cu;	/* borrowed; must stay open until the table is closed */
	struct dwarf_window window;
	uint16_t version;
	VEC(struct dwarf_value) directories;
	VEC(struct dwarf_line_file) files;
};

/*
 * Runs the line program of @cu and sets file and line of each query that the program covers. The
 * caller must close the table, even after an error. After -EBADMSG the table is usable and holds
 * the files that precede the damage in the program's header.
 */
int dwarf_line_run(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		   struct dwarf_line_table *ret_table);
void dwarf_line_close(struct dwarf_line_table *table);

/*
 * Returns the file with this number, or NULL if there is none. Rows and entries refer to files by
 * this number.
 */
struct dwarf_line_file *dwarf_line_file(struct dwarf_line_table *table, uint64_t number);

/*
 * Stores the path of the file in @ret_text. A relative path is appended to the path of its
 * directory. If the result is still relative, it is appended to the compilation directory.
 */
int dwarf_line_path(const struct dwarf_line_table *table, const struct dwarf_line_file *file,
		    char ret_text[static DWARF_TEXT_MAX]);

#endif
