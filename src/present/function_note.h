/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_note.h - shows how far the name of a function can be trusted
 *
 * Private to present/. Text shows a note where a name is not certain: the neighbours of code that
 * no symbol covers. JSON and CSV have the quality of each name (model/location.h) and the names of
 * the neighbours.
 *
 * A frame is a key of call_frame.h or of the dimension BY_FUNCTION.
 */
#ifndef ASSAY_PRESENT_FUNCTION_NOTE_H
#define ASSAY_PRESENT_FUNCTION_NOTE_H

#include "analyze/call_frame.h"
#include "present/json.h"
#include "present/table.h"

/*
 * Returns "between a and b", "after a", "before b" or "no symbols", or "" if the name is certain.
 * The caller frees the text. Returns NULL if out of memory.
 */
char *function_note(const struct profile *profile, uint64_t frame);

/*
 * Adds a cell with the name of a frame and its note in parentheses. @head and @mark are as in
 * table_parts().
 */
void function_cell(struct table *table, const struct profile *profile, uint64_t frame,
		   const char *head, const char *name, const char *mark);

/* Prints " (NOTE)", escaped, or nothing. */
void put_function_note(FILE *out, const struct profile *profile, uint64_t frame);

/*
 * Adds the members "quality" and, if there are neighbours, "before" and "after". Adds nothing if
 * the frame is not a function.
 */
void json_quality(struct json *json, const struct profile *profile, uint64_t frame);

/*
 * csv_quality() prints the fields "quality,before,after" with a comma in front of each, and
 * csv_quality_titles() their titles, each of which begins with @prefix.
 */
void csv_quality(FILE *out, const struct profile *profile, uint64_t frame);
void csv_quality_titles(FILE *out, const char *prefix);

#endif
