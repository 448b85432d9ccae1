/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest_word.h - finds the word that a user probably meant */
#ifndef ASSAY_BASE_NEAREST_WORD_H
#define ASSAY_BASE_NEAREST_WORD_H

#include <stddef.h>

#define NEAREST_WORD_MAX 32	/* longer words are not compared */

/*
 * A search for the word that is most similar to @wanted. Similarity is measured by the Levenshtein
 * distance: the minimum number of characters to insert, delete or replace.
 *
 *	struct nearest_word nearest = { .wanted = "functoin" };
 *	nearest_word_offer(&nearest, "function"); ...
 *	nearest.found				NULL if no word was offered that is similar enough
 */
struct nearest_word {
	const char *wanted;
	const char *found;		/* one of the offered words; borrowed */
	size_t distance;		/* of @found */
};

void nearest_word_offer(struct nearest_word *nearest, const char *word);

/*
 * Writes "; did you mean 'function'?" to @text, or "" if no similar word was found. Returns @text.
 */
#define NEAREST_WORD_TEXT_MAX (NEAREST_WORD_MAX + 24)
const char *nearest_word_text(const struct nearest_word *nearest,
			      char text[static NEAREST_WORD_TEXT_MAX]);

#endif
