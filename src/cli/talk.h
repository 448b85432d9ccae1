/* SPDX-License-Identifier: GPL-2.0-or-later */
/* talk.h - prints messages about a recording session to stderr, and computes the exit status */
#ifndef ASSAY_CLI_TALK_H
#define ASSAY_CLI_TALK_H

#include "cli/progress.h"
#include "session/record_session.h"

/*
 * State of the messages. Owned by the command; must stay valid until the session and the command
 * that it profiles have ended.
 */
struct talk {
	struct progress progress;
	struct session_listener listener;
};

/*
 * If @is_quiet is true, no messages are printed during the session. If @wants_progress is true and
 * @is_quiet is false, a line of progress is shown if stderr is a terminal, and is rewritten at each
 * flush.
 */
void talk_init(struct talk *talk, bool is_quiet, bool wants_progress);

/* Tells the user how to end a recording that has neither a command nor a duration. */
void talk_how_to_end(const struct record_options *options, bool is_quiet);

/*
 * Returns the exit status for a command that could not be executed because of @exec_error, a
 * negative errno. As in a shell, this is 127 if the command was not found and 126 otherwise.
 */
int exit_status_of_exec(int exec_error);

/* Prints the session's error, if there is one. */
void talk_error(const struct talk *talk, const struct record_outcome *outcome);

/*
 * Waits until the profiled command exits, and returns the exit status for assay. If the command is
 * still running, prints a message even if the user gave --quiet, so that the user knows why assay
 * does not exit.
 */
int talk_exit_status(struct record_outcome *outcome);

#endif
