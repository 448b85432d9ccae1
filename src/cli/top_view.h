/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_view.h - the state of `assay top`'s view, and how keys change it
 *
 * This code does not use the terminal. The caller passes in each key, a character or an enum
 * top_key, and draws the screen from the struct. The struct also holds the text that the user is
 * typing: names to search for, or the file to save to.
 */
#ifndef ASSAY_CLI_TOP_VIEW_H
#define ASSAY_CLI_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/live.h"

#define TOP_TYPED_MAX 256

/* keys that are not characters; all other keys are represented by their character */
enum top_key {
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
	/* label of the process whose details are shown; valid while question.process is set */
	char process[TOP_TYPED_MAX];
	/* text of the regular expression question.names; "" if question.names is NULL */
	char names[TOP_TYPED_MAX];
	regex_t regex;
	/*
	 * indices of rows in the table: @first is the row at the top of the screen, @selected is
	 * the highlighted row
	 */
	size_t first, selected;
	enum top_typing typing;
	char typed[TOP_TYPED_MAX];
	char message[TOP_TYPED_MAX + 64];	/* message about the last key, or "" */
	/* file to which the recording is saved at the end; "": the recording is not saved */
	char file[TOP_TYPED_MAX];
	bool saves_here;		/* only in the working directory */
	bool can_save;			/* true if the samples so far can still be saved */
	bool frozen;
	bool help, advice;		/* a page is shown instead of the table */
	bool leave;
};

void top_view_init(struct top_view *view, enum dimension by);
void top_view_fini(struct top_view *view);

/*
 * Handles @key. @frame is the frame that the screen shows. @rows is the number of table rows that
 * fit on the screen.
 */
void top_view_key(struct top_view *view, int key, const struct live_frame *frame, size_t rows);

/*
 * Adapts the view to a table of @row_count rows, of which @rows fit on the screen. If the selected
 * row does not exist any more, selects the last row. Then scrolls so that the selected row is
 * visible.
 */
void top_view_settle(struct top_view *view, size_t row_count, size_t rows);

extern const char top_view_help[];	/* help text of several lines */
extern const char top_view_keys[];	/* list of keys, one line of 80 columns */

#endif
