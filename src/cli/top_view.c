/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/top_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/lookup.h"

#define FILE_DEFAULT "top.assay"

const char top_view_keys[] =
	"p a t f i c u s:sort r /:names Enter:into Space:freeze w:save d:advice q:quit ?";

/* one line of source for each line of the page */
/* clang-format off */
const char top_view_help[] =
	"  p process     a application     t thread     f function\n"
	"  i image       c context         u CPU\n"
	"  s      sort by share, name or late samples\n"
	"  r      reverse the order\n"
	"  /      show only names that match a regular expression (empty: all)\n"
	"  Enter  show only the process of the selected row     Esc  show all again\n"
	"  Space  freeze or continue\n"
	"  w      save the samples as a recording on exit\n"
	"  d      say what would name more functions\n"
	"  q      quit\n"
	"  Arrows, page up, page down, home and end move.\n"
	"\n"
	"  Shares are of the samples in the window, without idle time.  Each share is\n"
	"  followed by its 95 % interval.  ~: fewer than ten samples.  !: mostly late\n"
	"  samples, delayed by code with interrupts off.\n"
	"\n"
	"  Press any key to go back.\n";
/* clang-format on */

static const struct {
	char key;
	enum dimension by;
} views[] = {
	{ 'p', BY_PROCESS }, { 'a', BY_APPLICATION }, { 't', BY_THREAD }, { 'f', BY_FUNCTION },
	{ 'i', BY_IMAGE },   { 'c', BY_CONTEXT },     { 'u', BY_CPU },
};

void top_view_init(struct top_view *view, enum dimension by)
{
	*view = (struct top_view){ .question.by = by, .can_save = true };
}

static void forget_names(struct top_view *view)
{
	if (view->question.names)
		regfree(&view->regex);
	view->question.names = NULL;
	view->names[0] = '\0';
}

void top_view_fini(struct top_view *view)
{
	forget_names(view);
}

static void set_message(struct top_view *view, const char *text, const char *detail)
{
	(void)snprintf(view->message, sizeof(view->message), "%s%s", text, detail);
}

/* ---- typed lines ---- */

static void take_names(struct top_view *view)
{
	char why[64];
	int code;

	forget_names(view);
	if (!view->typed[0])
		return;
	code = regcomp(&view->regex, view->typed, REG_EXTENDED | REG_NOSUB | REG_ICASE);
	if (code != 0) {
		(void)regerror(code, NULL, why, sizeof(why));
		set_message(view, "not a regular expression: ", why);
		return;
	}
	view->question.names = &view->regex;
	memcpy(view->names, view->typed, sizeof(view->names));
}

static void take_file(struct top_view *view)
{
	const char *name = view->typed[0] ? view->typed : FILE_DEFAULT;

	if (access(name, F_OK) == 0) {
		set_message(view, "not saved, the file exists: ", name);
		return;
	}
	if (view->saves_here && strchr(name, '/')) {
		set_message(view, "as root only in the directory where assay was started: ", name);
		return;
	}
	(void)snprintf(view->file, sizeof(view->file), "%s", name);
	set_message(view, "will be saved on exit as ", name);
}

static void type(struct top_view *view, int key)
{
	enum top_typing typing = view->typing;
	size_t length = strlen(view->typed);

	if (key == TOP_KEY_ESCAPE || key == TOP_KEY_ENTER)
		view->typing = TOP_TYPES_NOTHING;
	else if (key == TOP_KEY_BACK && length)
		view->typed[length - 1] = '\0';
	else if (key >= ' ' && key <= 0xff && key != 0x7f && length + 1 < sizeof(view->typed))
		view->typed[length] = (char)key;
	if (key == TOP_KEY_ENTER && typing == TOP_TYPES_NAMES)
		take_names(view);
	else if (key == TOP_KEY_ENTER)
		take_file(view);
}

static void begin_typing(struct top_view *view, enum top_typing typing)
{
	if (typing == TOP_TYPES_FILE && !view->can_save) {
		set_message(view,
			    "there were too many samples to keep; -o FILE keeps them from the "
			    "start",
			    "");
		return;
	}
	memset(view->typed, 0, sizeof(view->typed));
	view->typing = typing;
}

/* ---- keys ---- */

static void look_by(struct top_view *view, enum dimension by)
{
	view->question.by = by;
	view->selected = view->first = 0;
}

static void go_into(struct top_view *view, const struct live_frame *frame)
{
	const struct group_row *row;

	if (view->selected >= frame->table.rows.count)
		return;
	row = &frame->table.rows.at[view->selected];
	if (frame->table.by[0] == BY_PROCESS)
		view->question.process = (uint32_t)row->key[0];
	else if (frame->table.by[0] == BY_THREAD)
		view->question.process = thread_of(frame->profile.model, row->key[0])->process;
	else {
		set_message(view, "Enter works only on a row of a process or thread (keys p, t)",
			    "");
		return;
	}
	group_label(&frame->profile, BY_PROCESS, view->question.process, view->process,
		    sizeof(view->process));
	look_by(view, BY_FUNCTION);
}

static void go_out(struct top_view *view)
{
	if (view->question.process)
		look_by(view, BY_PROCESS);
	view->question.process = 0;
	forget_names(view);
}

static void move(struct top_view *view, int key, size_t row_count, size_t rows)
{
	size_t last = row_count ? row_count - 1 : 0, *selected = &view->selected;

	if (key == TOP_KEY_UP && *selected)
		--*selected;
	else if (key == TOP_KEY_DOWN)
		++*selected;
	else if (key == TOP_KEY_PAGE_UP)
		*selected -= *selected < rows ? *selected : rows;
	else if (key == TOP_KEY_PAGE_DOWN)
		*selected += rows;
	else if (key == TOP_KEY_HOME)
		*selected = 0;
	else if (key == TOP_KEY_END)
		*selected = last;
}

void top_view_settle(struct top_view *view, size_t row_count, size_t rows)
{
	if (view->selected >= row_count)
		view->selected = row_count ? row_count - 1 : 0;
	if (view->first > view->selected)
		view->first = view->selected;
	if (rows && view->selected >= view->first + rows)
		view->first = view->selected - rows + 1;
}

static bool choose_view(struct top_view *view, int key)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (key == views[i].key) {
			look_by(view, views[i].by);
			return true;
		}
	return false;
}

static void command(struct top_view *view, int key, const struct live_frame *frame)
{
	switch (key) {
	case 's':
		view->question.order = (view->question.order + 1) % (LIVE_BY_LATE + 1);
		break;
	case 'r':
		view->question.reverse = !view->question.reverse;
		break;
	case '/':
		begin_typing(view, TOP_TYPES_NAMES);
		break;
	case 'w':
		begin_typing(view, TOP_TYPES_FILE);
		break;
	case ' ':
		view->frozen = !view->frozen;
		break;
	case '?':
	case 'h':
		view->help = true;
		break;
	case 'd':
		view->advice = true;
		break;
	case 'q':
		view->leave = true;
		break;
	case TOP_KEY_ENTER:
		go_into(view, frame);
		break;
	case TOP_KEY_ESCAPE:
	case TOP_KEY_BACK:
		go_out(view);
		break;
	default:
		break;
	}
}

void top_view_key(struct top_view *view, int key, const struct live_frame *frame, size_t rows)
{
	view->message[0] = '\0';
	if (view->typing != TOP_TYPES_NOTHING) {
		type(view, key);
	} else if (view->help || view->advice) {
		view->help = view->help && key == TOP_KEY_RESIZE;
		view->advice = view->advice && key == TOP_KEY_RESIZE;
	} else if (!choose_view(view, key)) {
		move(view, key, frame->table.rows.count, rows);
		command(view, key, frame);
	}
	top_view_settle(view, frame->table.rows.count, rows);
}
