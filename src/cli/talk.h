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
 * @is_quiet: print no messages during the session. @wants_progress: if stderr is a terminal, show a
 *	line of progress that is rewritten at each flush.
 */
void talk_init(struct talk *talk, bool is_quiet, bool wants_progress);

/*
 * Returns 126 or 127, like a shell, for a command that could not be executed because of
 * @exec_error.
 */
int exit_status_of_exec(int exec_error);

/* Prints the session's error, if there is one. */
void talk_error(const struct talk *talk, const struct record_outcome *outcome);

/*
 * Waits for the profiled command to exit and returns the exit status for assay. If the command is
 * still running, prints a message, even with the option for quiet, so that the user knows why assay
 * does not exit.
 */
int talk_exit_status(struct record_outcome *outcome);

#endif
