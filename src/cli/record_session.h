/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_session.h - one recording, from the first event opened to the file closed
 *
 * The only place that connects capture, symbolize and store; somebody else may look on.  Messages
 * go to stderr; the exit status is the command's where there was one (126 and 127 when it could
 * not be executed).
 */
#ifndef ASSAY_CLI_RECORD_SESSION_H
#define ASSAY_CLI_RECORD_SESSION_H

#include <stdbool.h>

#include "capture/workload.h"
#include "cli/record_options.h"
#include "symbolize/symbolize.h"

struct record_outcome {
	int exit_status;		/* of our own part */
	bool have_recording;		/* a file was written that a report can read */
	struct err err;			/* why not all went well; code 0: it did */
	struct workload workload;	/* the command, which may outlive the recording (-d) */
};

/* What somebody sees who looks on (assay top), at each flush. */
struct session_sight {
	struct model *model;
	const struct sample_batch *batch;	/* since the last flush */
	const struct symbolize_options *naming;	/* to name what is not named yet */
	uint64_t own_cpu_ns;			/* of the recorder, since its start */
	uint64_t start_ns, start_cpu_ns;	/* when sampling began; 0: not yet */
	uint64_t now_ns;
	bool irq_timed;
	bool is_kept;				/* in a recording that is not given up yet */
};

/* All NULL and -1: nobody looks on.  Both return SESSION_GO_ON, SESSION_END or a negative errno. */
struct session_watch {
	int fd;			/* on_input() is called when it is readable, or a signal came */
	int (*on_input)(void *context);
	int (*on_flush)(void *context, const struct session_sight *sight, struct err *err);
	void *context;
	bool is_kept;		/* read at the end: is the recording to be finished? */
	bool says_errors;	/* what goes wrong is not printed, but only in the outcome */
};

enum { SESSION_GO_ON, SESSION_END };

struct record_outcome record_session(const struct record_options *options,
				     const struct session_watch *watch);

/* Waits for the command, if there was one, and returns what to exit with. */
int record_outcome_finish(struct record_outcome *outcome);

#endif
