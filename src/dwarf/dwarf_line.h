/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_line.h - line programs: which line of which file the code at an address comes from
 *
 * Private to this room.  A program (DWARF 5, 6.2) makes rows of ascending addresses, each of which
 * holds up to the next one; of several for one address the last one counts, as in other readers.
 */
#ifndef ASSAY_DWARF_DWARF_LINE_H
#define ASSAY_DWARF_DWARF_LINE_H

#include "dwarf/dwarf_query.h"

struct dwarf_line_file {
	struct dwarf_value name;
	uint64_t directory;
	uint32_t path;		/* the id its reader gave it; 0: not asked for yet */
	bool has_path;
};

/* The files of a program. */
struct dwarf_line_table {
	const struct dwarf_cu *cu;	/* not owned; open as long as the table */
	struct dwarf_window window;
	uint16_t version;
	VEC(struct dwarf_value) directories;
	VEC(struct dwarf_line_file) files;
};

/*
 * Runs the program of @cu and enters file and line of each query it covers. The table is to be
 * closed after any result but stays usable after -EBADMSG, with what came before the damage.
 */
int dwarf_line_run(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		   struct dwarf_line_table *ret_table);
void dwarf_line_close(struct dwarf_line_table *table);

/* The file by the number that rows and entries use; NULL: there is none. */
struct dwarf_line_file *dwarf_line_file(struct dwarf_line_table *table, uint64_t number);

/* Its path, behind the directory of the compilation where it is relative. */
int dwarf_line_path(const struct dwarf_line_table *table, const struct dwarf_line_file *file,
		    char ret_text[static DWARF_TEXT_MAX]);

#endif
