/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/top_screen.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/terminal_guard.h"
#include "cli/top_view.h"

/*
 * The headers of curses must be included last, because they define macros with names such as
 * "lines".
 */
#include <curses.h>
#include <term.h>

#define ESCAPE_DELAY_MS 50
#define RESTORE_MAX 128

static struct {
	SCREEN *screen;
	struct terminal_guard guard;
} here;

/*
 * Appends the terminal control sequence @sequence to @text. Leaves out the delays in the sequence,
 * such as "$<5>", because only old terminals needed them.
 */
static size_t append(char *text, size_t used, const char *sequence)
{
	while (*sequence && used + 1 < RESTORE_MAX) {
		size_t delay = strncmp(sequence, "$<", 2) == 0 ? strcspn(sequence, ">") : 0;

		if (delay)
			sequence += delay + (sequence[delay] == '>');
		else
			text[used++] = *sequence++;
	}
	text[used] = '\0';
	return used;
}

/*
 * Stores the control sequences that leave keypad mode, reset attributes, show the cursor and leave
 * the alternate screen.
 */
static void restoring(char text[static RESTORE_MAX])
{
	static const char *const names[] = { "rmkx", "sgr0", "cnorm", "rmcup" };
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *sequence = tigetstr(names[i]);

		if (sequence && sequence != (const char *)-1)
			used = append(text, used, sequence);
	}
}

int top_screen_open(void (*clean_up)(void *context), void *context, struct err *err)
{
	char restore[RESTORE_MAX];
	const struct terminal_last_will will = { restore, clean_up, context };
	int known;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, -ENOTTY, "top needs a terminal; use --json to print instead");
	(void)setlocale(LC_CTYPE, "");
	if (setupterm(NULL, STDOUT_FILENO, &known) == ERR)
		return err_set(err, -ENOTTY, "unknown terminal type; check the variable TERM");
	restoring(restore);
	(void)terminal_guard_start(&here.guard, STDOUT_FILENO, &will);
	here.screen = newterm(NULL, stdout, stdin);
	if (!here.screen) {
		terminal_guard_end(&here.guard);
		return err_set(err, -ENOTTY, "unknown terminal type; check the variable TERM");
	}
	(void)set_escdelay(ESCAPE_DELAY_MS);
	(void)cbreak();
	(void)noecho();
	(void)nonl();
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	(void)curs_set(0);
	return 0;
}

void top_screen_close(void)
{
	if (!here.screen)
		return;
	(void)endwin();
	delscreen(TAKE_PTR(here.screen));
	terminal_guard_end(&here.guard);
}

size_t top_screen_columns(void)
{
	return COLS > 0 ? (size_t)COLS : 1;
}

size_t top_screen_lines(void)
{
	return LINES > 0 ? (size_t)LINES : 1;
}

/*
 * Returns the number of bytes of @text (UTF-8) that fit on one line of the screen. The caller
 * prints only these bytes, because ncurses would wrap the rest to the next line.
 */
static int fitting(const char *text, size_t length)
{
	size_t bytes = 0;

	for (int column = 0; bytes < length; bytes++) {
		column += ((unsigned char)text[bytes] & 0xc0) != 0x80;
		if (column > COLS)
			break;
	}
	return (int)bytes;
}

static void put_line(size_t line, const char *text, size_t length, attr_t attributes)
{
	(void)attrset((int)attributes);
	(void)mvaddnstr((int)line, 0, text, fitting(text, length));
	/* If the line is highlighted, extend the highlight to the right edge of the screen. */
	for (int column = getcurx(stdscr); attributes & A_REVERSE && column < COLS; column++)
		if (getcury(stdscr) != (int)line || addch(' ') == ERR)
			break;
	(void)attrset(A_NORMAL);
}

void top_screen_show(const char *text, size_t titles, size_t selected, const char *bottom,
		     int is_typed)
{
	size_t line = 0, last = top_screen_lines() - 1;

	(void)erase();
	while (*text && line < last) {
		size_t length = strcspn(text, "\n");
		attr_t attributes = line == 0 || line == titles ? A_BOLD : A_NORMAL;

		put_line(line, text, length, line == selected ? A_REVERSE : attributes);
		text += length + (text[length] == '\n');
		line++;
	}
	put_line(last, bottom, strlen(bottom), is_typed ? A_NORMAL : A_DIM);
	(void)curs_set(is_typed ? 1 : 0);
	(void)refresh();
}

int top_screen_key(void)
{
	static const struct {
		int curses, ours;
	} keys[] = {
		{ ERR, TOP_KEY_NONE },
		{ KEY_UP, TOP_KEY_UP },
		{ KEY_DOWN, TOP_KEY_DOWN },
		{ KEY_PPAGE, TOP_KEY_PAGE_UP },
		{ KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		{ KEY_HOME, TOP_KEY_HOME },
		{ KEY_END, TOP_KEY_END },
		{ KEY_ENTER, TOP_KEY_ENTER },
		{ '\r', TOP_KEY_ENTER },
		{ '\n', TOP_KEY_ENTER },
		{ KEY_BACKSPACE, TOP_KEY_BACK },
		{ 0x7f, TOP_KEY_BACK },
		{ '\b', TOP_KEY_BACK },
		{ 0x1b, TOP_KEY_ESCAPE },
		{ KEY_RESIZE, TOP_KEY_RESIZE },
	};
	int key = getch();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (key == keys[i].curses)
			return keys[i].ours;
	return key;
}
