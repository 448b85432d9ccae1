/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - the sections of the report's first screen. Private to present/. */
#ifndef ASSAY_PRESENT_SCREEN_H
#define ASSAY_PRESENT_SCREEN_H

#include "present/text.h"

#define SCREEN_LINES 45		/* maximum number of lines of the first screen */
#define SCREEN_COLUMNS 80	/* width of the first screen if the output is not a terminal */

void text_headline(struct text *text);
void text_trust(struct text *text);
void text_top_applications(struct text *text);
/* Prints at most text->rows rows, but never fewer than five if there are that many. */
void text_top_functions(struct text *text);
void text_top_waits(struct text *text);
void text_top_calls(struct text *text);
void text_hints(struct text *text);
void text_next(struct text *text);

#endif
