/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rate_control.h - what a recording knows about its own cost, and does about it
 *
 * The calls in their order: prepare before events are opened (it may lower the rate they are
 * opened with), begin behind that, say, start when sampling starts, step after each flush.  What
 * was found and done is set down as facts of the recording: docs/schema.md.
 */
#ifndef ASSAY_SESSION_RATE_CONTROL_H
#define ASSAY_SESSION_RATE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/calibrate.h"
#include "session/overhead.h"
#include "session/record_session.h"

/* Where interrupts have to enter a hypervisor, faster sampling is warned of. */
#define RATE_MANY_HZ 2000

struct rate_control {
	struct interrupt_cost cost;
	bool is_known;			/* cost is */
	bool is_virtual;
	bool is_limited;		/* --max-overhead */
	bool may_change;		/* while recording */
	uint64_t default_hz;		/* 0, or what the kernel allows less of: limit_hz */
	uint64_t limit_hz;
	bool is_clock;			/* the first event: what the cost was measured of */
	double rate_hz;			/* to begin with; 0: not driven by a rate */
	struct overhead overhead;
	uint64_t start_ns;
	uint64_t calibration_cpu_ns;	/* that measuring took of our own CPU time */
	char rates[1024];		/* "999 Hz from 0.0 s, 500 Hz from 1.0 s" */
};

/*
 * Measures, unless that was done or is not wanted, and lowers capture->frequency_hz if it must:
 * for --max-overhead, and a rate that nobody named to what the kernel allows at the moment.
 */
void rate_control_prepare(struct rate_control *control, const struct record_options *options,
			  struct capture_options *capture);
void rate_control_begin(struct rate_control *control, struct capture *capture, struct model *model);
void rate_control_say(const struct rate_control *control, const struct session_listener *listener);
void rate_control_start(struct rate_control *control, uint64_t now_ns, uint64_t cpu_ns);

/* Right after capture_drain(). */
void rate_control_step(struct rate_control *control, struct capture *capture, struct model *model,
		       uint64_t now_ns, uint64_t cpu_ns);

#endif
