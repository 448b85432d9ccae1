/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_view.h - what the user of `assay top` looks at, and what keys do to it
 *
 * No terminal is involved: keys come as characters or as enum top_key, and what is to be shown is
 * read from the struct.  Lines that are typed (names to look for, the file to save to) are edited
 * here, too.
 */
#ifndef ASSAY_CLI_TOP_VIEW_H
#define ASSAY_CLI_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/live.h"

#define TOP_TYPED_MAX 256

enum top_key {		/* beside characters, which are themselves */
	       TOP_KEY_NONE = -1,
	       TOP_KEY_UP = 0x1000,
	       TOP_KEY_DOWN,
	       TOP_KEY_PAGE_UP,
	       TOP_KEY_PAGE_DOWN,
	       TOP_KEY_HOME,
	       TOP_KEY_END,
	       TOP_KEY_ENTER,
	       TOP_KEY_BACK, /* backspace */
	       TOP_KEY_ESCAPE,
	       TOP_KEY_RESIZE,
};

enum top_typing { TOP_TYPES_NOTHING, TOP_TYPES_NAMES, TOP_TYPES_FILE };

struct top_view {
	struct live_question question;
	char process[TOP_TYPED_MAX];	/* its label, while question.process is set */
	char names[TOP_TYPED_MAX];	/* what question.names was made of; "": nothing */
	regex_t regex;
	size_t first, selected;		/* rows of the table */
	enum top_typing typing;
	char typed[TOP_TYPED_MAX];
	char message[TOP_TYPED_MAX + 64];	/* of the last key; "": none */
	char file[TOP_TYPED_MAX];	/* to save to when it ends; "": nowhere */
	bool can_save;			/* what came so far is still there */
	bool frozen;
	bool help;
	bool leave;
};

void top_view_init(struct top_view *view, enum dimension by);
void top_view_fini(struct top_view *view);

/* @frame is what is shown, @rows how many of its rows at once. */
void top_view_key(struct top_view *view, int key, const struct live_frame *frame, size_t rows);

/* Keeps the selected row among those that there are, and in sight. */
void top_view_settle(struct top_view *view, size_t row_count, size_t rows);

extern const char top_view_help[];	/* several lines */
extern const char top_view_keys[];	/* one line of 80 columns */

#endif
