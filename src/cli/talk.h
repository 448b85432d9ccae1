/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * talk.h - a session's notes on stderr, and its outcome as an exit status
 */
#ifndef ASSAY_CLI_TALK_H
#define ASSAY_CLI_TALK_H

#include "cli/progress.h"
#include "session/record_session.h"

/* Owned by the command; in use until the session and its command have ended. */
struct talk {
	struct progress progress;
	struct session_listener listener;
};

/*
 * @is_quiet: the listener prints nothing.  @wants_progress: on a terminal, a line that is
 * rewritten at each flush shows that the recording is alive.
 */
void talk_init(struct talk *talk, bool is_quiet, bool wants_progress);

/* 126 or 127, as shells have it, for a command that could not be executed with @exec_error. */
int exit_status_of_exec(int exec_error);

/* Prints why the session failed, if it did. */
void talk_error(const struct talk *talk, const struct record_outcome *outcome);

/*
 * Waits for the command and returns what assay should exit with.  Says that it waits, even to
 * users who asked for quiet: nothing else would tell why assay does not end.
 */
int talk_exit_status(struct record_outcome *outcome);

#endif
