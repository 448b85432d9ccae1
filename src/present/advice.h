/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice.h - prints what would make a recording better
 *
 * analyze/advice.h finds what to say. The caller of present/ words it, because a piece of advice
 * names commands and options.
 */
#ifndef ASSAY_PRESENT_ADVICE_H
#define ASSAY_PRESENT_ADVICE_H

#include <stdio.h>

#include "analyze/advice.h"
#include "present/json.h"

struct advice_line {
	bool warns;
	double share;		/* see struct advice */
	char *what;		/* a sentence without a period */
	char *command;		/* the command that helps; "" if there is none */
};

struct advice_lines {
	struct advice_line at[ADVICE_MAX];
	size_t count;
};

/*
 * Print the warnings, or the hints below a title, each as a paragraph of at most @columns columns.
 * If @columns is 0, the output is not a terminal and the paragraphs have a default width.
 * @is_colored: with the colors of palette.h.
 */
void advice_print_warnings(const struct advice_lines *lines, size_t columns, bool is_colored,
			   FILE *out);
void advice_print_hints(const struct advice_lines *lines, size_t columns, FILE *out);

/* Adds the member "advice", an array, to the open object. */
void advice_json(const struct advice_lines *lines, struct json *json);

#endif
