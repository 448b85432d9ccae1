/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rate_control.h - varies the rate of a recording, and measures and limits its overhead
 *
 * The functions are called in this order:
 *
 * - rate_control_prepare() before events are opened, because it may lower the sampling rate
 * - rate_control_begin() after events have been opened
 * - rate_control_say() to tell the user the rate and its cost
 * - rate_control_start() when sampling starts
 * - rate_control_step() after each flush
 *
 * The results are stored as facts of the recording, see docs/schema.md.
 */
#ifndef ASSAY_SESSION_RATE_CONTROL_H
#define ASSAY_SESSION_RATE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/calibrate.h"
#include "session/overhead.h"
#include "session/rate_variation.h"
#include "session/record_session.h"

/*
 * Interrupts are expensive in a virtual machine. There, a rate above this value causes a warning.
 */
#define RATE_MANY_HZ 2000

#define RATE_MOST_HZ 100000	/* the kernel silently lowers higher rates of clocks */

struct rate_control {
	struct interrupt_cost cost;
	bool is_known;			/* @cost is valid */
	bool is_virtual;
	bool is_limited;		/* --max-overhead was given */
	bool may_change;		/* the rate can be changed while recording */
	/*
	 * the default rate before it was lowered to @limit_hz, the kernel's maximum; 0 if it was
	 * not lowered
	 */
	uint64_t default_hz;
	uint64_t limit_hz;
	bool is_clock;			/* the first event is a clock, so @cost applies to it */
	double rate_hz;			/* initial rate; 0 if the first event has no rate */
	struct overhead overhead;
	struct rate_variation variation;
	uint64_t asked_hz;		/* rate to vary if overhead is not limited */
	uint64_t most_hz;		/* maximum for the varied rate */
	uint64_t start_ns;
	uint64_t calibration_cpu_ns;	/* CPU time that assay used for the calibration */
	/* all rates so far, such as "999 Hz from 0.0 s, 500 Hz from 1.0 s" */
	char rates[1024];
};

/*
 * Measures the cost of an interrupt, unless the cost is already known or the user disabled the
 * calibration. Lowers capture->frequency_hz if --max-overhead requires it. A default rate above the
 * kernel's current maximum is also lowered to this maximum, but a rate that the user chose is not.
 */
void rate_control_prepare(struct rate_control *control, const struct record_options *options,
			  struct capture_options *capture);
void rate_control_begin(struct rate_control *control, struct capture *capture, struct model *model);
void rate_control_say(const struct rate_control *control, const struct session_listener *listener);
void rate_control_start(struct rate_control *control, struct capture *capture, uint64_t now_ns,
			uint64_t cpu_ns);

/* Adjusts and varies the sampling rate. Call this right after capture_drain(). */
void rate_control_step(struct rate_control *control, struct capture *capture, struct model *model,
		       uint64_t now_ns, uint64_t cpu_ns);

#endif
