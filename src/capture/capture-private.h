/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture-private.h - the state of a capture, shared by capture.c and capture_*.c
 */
#ifndef ASSAY_CAPTURE_CAPTURE_PRIVATE_H
#define ASSAY_CAPTURE_CAPTURE_PRIVATE_H

#include "capture/capture.h"
#include "capture/collector.h"
#include "perf/cpus.h"
#include "intake/intake.h"
#include "process/kernel_images.h"
#include "process/pins.h"
#include "capture/sources.h"
#include "process/tracker.h"

/* A target (a process, or one thread of a process) whose exit the capture detects. */
struct watched {
	uint32_t tgid, tid;	/* tid 0 means the whole process */
	int pidfd;		/* pidfd of the process; becomes readable when the process exits */
};

struct capture {
	struct model *model;			/* borrowed */
	struct event_plan plan;
	/* perf's event id -> index of the event in the plan */
	struct u64map ids;
	/* owned; each source has the events and rings of one CPU */
	VEC(struct source *) sources;
	struct cpus wanted;			/* option -C; count 0: every CPU */
	struct stream spans;			/* of a stopwatch; not mapped: there is none */
	struct merge merge;
	struct pins *pins;
	struct tracker *tracker;
	struct chains *chains;
	struct image_tables *tables;
	struct stack_walker stack_walker;
	struct collector *collector;
	struct kernel_images *kernel_images;
	struct kernel_text kernel_text;
	struct intake intake;
	/* sorted; the threads to sample with TARGET_THREADS */
	VEC(uint32_t) only_tids;
	VEC(struct watched) watched;		/* the capture ends when all of these have exited */
	/* losses counted in the rings of CPUs that went offline */
	struct losses closed;
	uint64_t cpu_check_ns;		/* time of the last look for CPUs that came or went */
	/*
	 * until this time (CLOCK_MONOTONIC), capture_drain_is_due() returns false unless a ring
	 * fills up
	 */
	uint64_t rest_end_ns;
	int epoll_fd;
	enum target_kind target;
	bool has_names;		/* targets are also chosen by name */
	bool enabled;
	bool ended;			/* the capture was enabled and has been disabled since */
	/* why the BPF collector was tried but could not be used; otherwise "" */
	char why_ring[600];
	char description[1024];
};

/*
 * Passes the current periods of the plan's events to intake and to the collector. If @known is
 * false, the collector treats the periods as unknown. To change the periods of the CPUs one by one,
 * call this function with @known false before the first change, and with @known true after the last
 * one.
 */
void capture_tell_periods(struct capture *capture, bool known);

/*
 * Opens the sources of CPUs that are to be sampled, are online and have no source yet. If the
 * capture is enabled, enables the new sources too.
 */
int capture_open_cpus(struct capture *capture, struct err *err);

/*
 * Returns 1 if a CPU that has a source went offline, 0 if no such CPU did, or a negative errno.
 * Marks the sources that capture_close_offline() will close.
 */
int capture_has_offline(struct capture *capture, struct err *err);

/*
 * Closes the sources that capture_has_offline() marked. Records that are still in the rings of
 * these sources are lost, so drain the rings first.
 */
void capture_close_offline(struct capture *capture);

#endif
