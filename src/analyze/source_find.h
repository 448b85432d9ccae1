/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_find.h - find the source file that a text given by the user means, and its code
 *
 * "main.c:10" and "src/main.c:10" name a line, the same without the number name a file. A file is
 * named by its whole path or by trailing components of it. Only files with hits are found, in any
 * function of an inline chain, because the others have nothing to show.
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
	VEC(uint32_t) list;	/* string ids, each once; the file with the most samples first */
};

/*
 * Finds the files that match @path. If @path is the whole path of a file, only that file is found.
 * Returns 0 or -ENOMEM. Call vec_free(&list) in both cases.
 */
int source_find_files(const struct profile *profile, const struct group_selection *selection,
		      const char *path, struct source_files *ret_files);

/*
 * Finds the functions with hits from @file, the hottest first. Functions with hits on @line come
 * before the others, which may still have code of that line. ret_found->by is ANNOTATE_PLACE.
 * Returns 0 or -ENOMEM.
 */
int source_find_functions(const struct profile *profile, const struct group_selection *selection,
			  uint32_t file, uint32_t line, struct annotate_found *ret_found);

/*
 * Finds the functions that have hits in code inlined from a function called @name. The counts are
 * of such hits only. Code without known lines is not found. Returns 0 or -ENOMEM. Call
 * group_table_fini() in both cases.
 */
int source_find_inlined(const struct profile *profile, const struct group_selection *selection,
			const char *name, struct group_table *ret_table);

/*
 * Returns true if the inline chain of @line (an id) contains the place. @number 0 means any line of
 * the file.
 */
bool source_chain_has(const struct model *model, uint32_t line, uint32_t file, uint32_t number);

#endif
