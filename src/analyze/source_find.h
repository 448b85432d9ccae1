/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_find.h - which source file somebody means, and whose code comes from it
 *
 * "main.c:10" and "src/main.c:10" name a line, without the number a file: by its whole path, or
 * by trailing parts of it.  Only files that hits come from are known, through whichever function
 * of an inline chain: the others have nothing to show.
 */
#ifndef ASSAY_ANALYZE_SOURCE_FIND_H
#define ASSAY_ANALYZE_SOURCE_FIND_H

#include "analyze/annotate_find.h"

struct source_place {
	char *path;		/* as it was given; owned */
	uint32_t line;		/* 0: the whole file */
};

/* Takes "FILE:LINE" or "FILE" apart. 0 or -ENOMEM; free ret_place->path. */
int source_place_parse(const char *text, struct source_place *ret_place);

struct source_files {
	VEC(uint32_t) list;	/* strings, each once; the most samples first */
};

/* A file whose whole path was given is the only one. 0 or -ENOMEM; vec_free(&list) after any. */
int source_find_files(const struct profile *profile, const struct group_selection *selection,
		      const char *path, struct source_files *ret_files);

/*
 * The functions with hits from @file: first those that were hit on @line, the hottest first. The
 * others may still have code of that line. ret_found->by is ANNOTATE_PLACE. 0 or -ENOMEM.
 */
int source_find_functions(const struct profile *profile, const struct group_selection *selection,
			  uint32_t file, uint32_t line, struct annotate_found *ret_found);

/*
 * Whose hits lie in code of a function that was inlined into it, by that function's name; counts
 * are of such hits alone.  Only what lines are known of is found.  0 or -ENOMEM;
 * group_table_fini() after either.
 */
int source_find_inlined(const struct profile *profile, const struct group_selection *selection,
			const char *name, struct group_table *ret_table);

/* Does the chain of @line (an id) lead through that place? @number 0: any line of the file. */
bool source_chain_has(const struct model *model, uint32_t line, uint32_t file, uint32_t number);

#endif
