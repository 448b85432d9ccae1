/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_session.h - one recording, from opening the first event to closing the file
 *
 * This is the only code that connects capture, symbolize and store. A watcher, such as the screen
 * of `assay top`, can look at the samples of each flush. The session prints nothing: messages for
 * the user are passed to the listener, and errors are in the outcome.
 */
#ifndef ASSAY_SESSION_RECORD_SESSION_H
#define ASSAY_SESSION_RECORD_SESSION_H

#include <stdbool.h>

#include "capture/capture.h"
#include "readers/guard.h"
#include "session/listener.h"
#include "session/record_spans.h"
#include "session/workload.h"
#include "symbolize/source_file.h"
#include "symbolize/symbolize.h"

/* All strings and arrays are borrowed. */
struct record_options {
	struct capture_options capture;	/* the session fills in command_tgid */
	const char *output;
	/* directory of caches that are used again by later runs; NULL: no caches */
	const char *cache_dir;
	const char *kallsyms;		/* file with kernel symbols; NULL: /proc/kallsyms */
	const char *vmlinux;		/* NULL: none */
	/*
	 * if not 0: the recording is abandoned when it grows larger than this or cannot be written
	 */
	uint64_t output_bytes_max;
	/* budget for what grows with the length of the run (record_room.h); 0: the default */
	uint64_t memory_bytes;
	bool no_recording;		/* no file is written; only the watcher gets the samples */
	uint64_t flush_ms;
	uint64_t duration_ms;		/* 0: record until the command ends or a signal arrives */
	uint64_t delay_ms;
	double max_overhead_percent;	/* percentage of the machine's CPU time; 0: no limit */
	bool is_default_rate;		/* the user chose neither rate nor period */
	bool no_calibration;
	bool no_irq_time;
	bool embed_sources;
	struct source_options sources;	/* used if embed_sources is set */
	struct record_spans_options spans;
	char **command;			/* argv, NULL-terminated; NULL: no command */
	/*
	 * if not NULL, the process gives up its rights for ever when sampling begins, except to
	 * change the recording, the caches and what the caller allowed (readers/guard.h)
	 */
	struct guard *guard;
};

struct record_outcome {
	struct err err;			/* why the session failed; code 0: no failure */
	/* error of executing the command; 0: the command was executed */
	int exec_error;
	bool have_recording;		/* a readable recording was written */
	struct workload workload;	/* the command, which may still run after the recording */
};

/* What a watcher such as `assay top` gets at each flush. */
struct session_sight {
	struct model *model;
	const struct sample_batch *batch;	/* samples since the last flush */
	/* options for naming the locations that have no name yet */
	const struct symbolize_options *naming;
	uint64_t own_cpu_ns;			/* CPU time that assay has used so far */
	/* now_ns and own_cpu_ns at the start of sampling; 0 before sampling starts */
	uint64_t start_ns, start_cpu_ns;
	uint64_t now_ns;
	bool irq_timed;
	/* the samples are also written to a file, and the recording has not been abandoned */
	bool is_kept;
};

/*
 * A watcher. on_input() and on_flush() return SESSION_GO_ON, SESSION_END or a negative errno.
 */
struct session_watch {
	/* on_input() is called when this descriptor is readable, and after a signal */
	int fd;
	int (*on_input)(void *context);
	int (*on_flush)(void *context, const struct session_sight *sight, struct err *err);
	/*
	 * called before the model releases rows: from now on the watcher must not follow ids of
	 * threads, processes and stacks from earlier flushes; NULL: it never does
	 */
	void (*on_release)(void *context);
	void *context;
	/*
	 * set by the watcher and read when the session ends: true if the recording should be
	 * completed
	 */
	bool is_kept;
};

enum { SESSION_GO_ON, SESSION_END };

struct record_outcome record_session(const struct record_options *options,
				     const struct session_listener *listener,
				     const struct session_watch *watch);

/*
 * If the session succeeded and a command was started, waits until the command exits, and returns
 * its exit status as a shell would show it. Otherwise returns 0.
 */
int record_outcome_wait(struct record_outcome *outcome, const struct session_listener *listener);

#endif
