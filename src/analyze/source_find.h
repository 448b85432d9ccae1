/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_find.h - finds the source file that a text typed by the user names, and its code
 *
 * "main.c:10" and "src/main.c:10" name a line; without the number they name a file. The text before
 * the number is the whole path of the file or the last components of its path. Only files with hits
 * are found, because files without hits have nothing to show. A hit counts for each file in the
 * inline chain of its address.
 */
#ifndef ASSAY_ANALYZE_SOURCE_FIND_H
#define ASSAY_ANALYZE_SOURCE_FIND_H

#include "analyze/annotate_find.h"

struct source_place {
	char *path;		/* as given by the user; owned */
	uint32_t line;		/* 0: the whole file */
};

/* Splits "FILE:LINE" or "FILE". Returns 0 or -ENOMEM. The caller frees ret_place->path. */
int source_place_parse(const char *text, struct source_place *ret_place);

struct source_files {
	/* string ids of the paths, without duplicates; the file with the most samples first */
	VEC(uint32_t) list;
};

/*
 * Finds the files that match @path. If @path is the whole path of a file, only that file is found.
 * Returns 0 or -ENOMEM. In both cases call vec_free(&ret_files->list).
 */
int source_find_files(const struct profile *profile, const struct group_selection *selection,
		      const char *path, struct source_files *ret_files);

/*
 * Finds the functions that have hits in code from @file. The functions that have hits on line
 * number @line come first, because functions without hits there can also contain code of the line.
 * In both groups, the function with the most hits comes first. ret_found->by is ANNOTATE_PLACE.
 * Returns 0 or -ENOMEM.
 */
int source_find_functions(const struct profile *profile, const struct group_selection *selection,
			  uint32_t file, uint32_t line, struct annotate_found *ret_found);

/*
 * Finds the functions into which a function named @name was inlined. Counts only their hits in the
 * inlined code, and does not find functions without such hits. Inlined code whose lines are not
 * known is not found. Returns 0 or -ENOMEM. Call group_table_fini() in both cases.
 */
int source_find_inlined(const struct profile *profile, const struct group_selection *selection,
			const char *name, struct group_table *ret_table);

/*
 * Returns true if the inline chain that begins at @line (an id) contains line @number of @file. If
 * @number is 0, returns true if the chain contains any line of @file.
 */
bool source_chain_has(const struct model *model, uint32_t line, uint32_t file, uint32_t number);

#endif
