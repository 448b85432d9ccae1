/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/nearest_word.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DISTANCE_MAX 2		/* words with a larger distance are not similar */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns SIZE_MAX if a word is longer than NEAREST_WORD_MAX. */
static size_t distance(const char *from, const char *to)
{
	size_t row[NEAREST_WORD_MAX + 1], length = strlen(to);

	if (strlen(from) > NEAREST_WORD_MAX || length > NEAREST_WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= length; i++)
		row[i] = i;
	for (size_t done = 1; *from; from++, done++) {
		size_t diagonal = row[0];

		row[0] = done;
		for (size_t i = 1; i <= length; i++) {
			size_t replaced = diagonal + (*from != to[i - 1]);

			diagonal = row[i];
			row[i] = least(replaced, least(row[i - 1], row[i]) + 1);
		}
	}
	return row[length];
}

void nearest_word_offer(struct nearest_word *nearest, const char *word)
{
	size_t changes = distance(nearest->wanted, word);

	if (changes > DISTANCE_MAX || changes >= strlen(word) ||
	    (nearest->found && changes >= nearest->distance))
		return;
	nearest->found = word;
	nearest->distance = changes;
}

const char *nearest_word_text(const struct nearest_word *nearest,
			      char text[static NEAREST_WORD_TEXT_MAX])
{
	text[0] = '\0';
	if (nearest->found)
		(void)snprintf(text, NEAREST_WORD_TEXT_MAX, "; did you mean '%s'?", nearest->found);
	return text;
}
