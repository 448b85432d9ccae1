/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_session.h - one recording, from the first event opened to the file closed
 *
 * The only place that connects capture, symbolize and store.  Messages go to stderr; the exit
 * status is the command's where there was one (126 and 127 when it could not be executed).
 */
#ifndef ASSAY_CLI_RECORD_SESSION_H
#define ASSAY_CLI_RECORD_SESSION_H

#include <stdbool.h>

#include "capture/workload.h"
#include "cli/record_options.h"

struct record_outcome {
	int exit_status;		/* of our own part */
	bool have_recording;		/* a file was written that a report can read */
	struct workload workload;	/* the command, which may outlive the recording (-d) */
};

struct record_outcome record_session(const struct record_options *options);

/* Waits for the command, if there was one, and returns what to exit with. */
int record_outcome_finish(struct record_outcome *outcome);

#endif
