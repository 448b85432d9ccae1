/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_view.h - the state of `assay top`'s view, and how keys change it
 *
 * This code does not use the terminal. Keys are passed in as characters or enum top_key, and the
 * caller reads from the struct what to show. Text that the user types (names to search for, the
 * file to save to) is edited here, too.
 */
#ifndef ASSAY_CLI_TOP_VIEW_H
#define ASSAY_CLI_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/live.h"

#define TOP_TYPED_MAX 256

enum top_key {		/* keys that are not characters; characters stand for themselves */
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
	/* label of the process, valid while question.process is set */
	char process[TOP_TYPED_MAX];
	/* the text question.names was compiled from; "" if it is not set */
	char names[TOP_TYPED_MAX];
	regex_t regex;
	size_t first, selected;		/* row numbers in the table */
	enum top_typing typing;
	char typed[TOP_TYPED_MAX];
	char message[TOP_TYPED_MAX + 64];	/* message about the last key, or "" */
	char file[TOP_TYPED_MAX];	/* where to save the recording at the end; "": nowhere */
	bool can_save;			/* the samples so far are still available */
	bool frozen;
	bool help;
	bool leave;
};

void top_view_init(struct top_view *view, enum dimension by);
void top_view_fini(struct top_view *view);

/* Handles @key. @frame is the frame on the screen, and @rows is the number of its rows that fit. */
void top_view_key(struct top_view *view, int key, const struct live_frame *frame, size_t rows);

/* Moves the selection into the existing rows, and scrolls so that it is visible. */
void top_view_settle(struct top_view *view, size_t row_count, size_t rows);

extern const char top_view_help[];	/* help text of several lines */
extern const char top_view_keys[];	/* list of keys, one line of 80 columns */

#endif
