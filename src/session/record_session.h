/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_session.h - one recording, from the first event opened to the file closed
 *
 * This is the only place that connects capture, symbolize and store. A watcher, such as the screen
 * of `assay top`, can look at the samples of each flush. The session prints nothing: notes for
 * the user go to the listener, and errors are in the outcome.
 */
#ifndef ASSAY_SESSION_RECORD_SESSION_H
#define ASSAY_SESSION_RECORD_SESSION_H

#include <stdbool.h>

#include "capture/capture.h"
#include "session/listener.h"
#include "session/workload.h"
#include "symbolize/source_file.h"
#include "symbolize/symbolize.h"

/* All strings and arrays are borrowed. */
struct record_options {
	struct capture_options capture;	/* the session fills in command_tgid */
	const char *output;
	const char *cache_dir;		/* where to keep files from run to run; NULL: nowhere */
	const char *kallsyms;		/* NULL: /proc/kallsyms */
	const char *vmlinux;		/* NULL: none */
	uint64_t output_bytes_max;	/* the recording is given up when it grows larger, or when
					   it cannot be written; 0: no limit */
	bool no_recording;		/* only the watcher gets the samples */
	uint64_t flush_ms;
	uint64_t duration_ms;		/* 0: until the command ends, or a signal */
	uint64_t delay_ms;
	double max_overhead_percent;	/* of the machine's CPU time; 0: no limit */
	bool is_default_rate;		/* the user named neither rate nor period */
	bool no_calibration;
	bool no_irq_time;
	bool embed_sources;
	struct source_options sources;	/* with embed_sources */
	char **command;			/* argv, NULL-terminated; NULL: none */
};

struct record_outcome {
	struct err err;			/* why the session failed; code 0: it did not */
	int exec_error;			/* why the command could not be executed; 0: it was */
	bool have_recording;		/* a readable recording was written */
	struct workload workload;	/* the command, which may outlive the recording */
};

/* What a watcher such as `assay top` gets at each flush. */
struct session_sight {
	struct model *model;
	const struct sample_batch *batch;	/* samples since the last flush */
	const struct symbolize_options *naming;	/* how to name locations that have no names yet */
	uint64_t own_cpu_ns;			/* CPU time of the recorder since its start */
	/* time and own CPU time when sampling began; 0 before that */
	uint64_t start_ns, start_cpu_ns;
	uint64_t now_ns;
	bool irq_timed;
	/* the samples go to a recording that has not been abandoned */
	bool is_kept;
};

/*
 * A watcher. With NULL callbacks and fd -1, there is none. Both callbacks return SESSION_GO_ON,
 * SESSION_END or a negative errno.
 */
struct session_watch {
	/* on_input() is called when it is readable or when a signal arrives */
	int fd;
	int (*on_input)(void *context);
	int (*on_flush)(void *context, const struct session_sight *sight, struct err *err);
	void *context;
	bool is_kept;		/* read at the end: whether to finish the recording */
};

enum { SESSION_GO_ON, SESSION_END };

struct record_outcome record_session(const struct record_options *options,
				     const struct session_listener *listener,
				     const struct session_watch *watch);

/*
 * Waits for the command, if there was one that was executed.  Returns its exit status as a shell
 * would show it, or 0.
 */
int record_outcome_wait(struct record_outcome *outcome, const struct session_listener *listener);

#endif
