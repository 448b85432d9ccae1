/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture-private.h - the state of a capture, shared by capture.c, capture_cpus.c, capture_rate.c
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

/* A target: a process, or one thread of a process. */
struct watched {
	uint32_t tgid, tid;	/* tid 0: the whole process */
	int pidfd;		/* of the process; becomes readable when the process exits */
};

struct capture {
	struct model *model;			/* borrowed */
	struct event_plan plan;
	/* perf's event id -> index of the event in the plan */
	struct u64map ids;
	VEC(struct source *) sources;		/* owned; one for each CPU that is sampled */
	struct cpus wanted;			/* option -C; count 0: every CPU */
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
	VEC(uint32_t) only_tids;		/* for TARGET_THREADS; sorted */
	VEC(struct watched) watched;		/* the targets whose exit ends the capture */
	struct losses closed;			/* ring losses of CPUs that went offline */
	uint64_t next_cpu_check_ns;
	uint64_t rest_end_ns;			/* see capture_drain_is_due() */
	int epoll_fd;
	enum target_kind target;
	bool enabled;
	bool ended;			/* the capture was enabled and has been disabled since */
	char why_ring[600];		/* why no BPF collector; "": it runs, or was not wanted */
	char description[1024];
};

/*
 * Tells intake and the collector the periods of the plan's events.  @known is false while the CPUs
 * change from one period to another.
 */
void capture_tell_periods(struct capture *capture, bool known);

/* Opens the wanted CPUs that are online and not open yet, and enables them if the capture is. */
int capture_open_cpus(struct capture *capture, struct err *err);

/* Returns whether some source belongs to a CPU that went offline, or a negative errno. */
int capture_has_offline(struct capture *capture, struct err *err);

/* Closes those sources.  Records that are still in their rings are lost: drain them first. */
void capture_close_offline(struct capture *capture);

#endif
