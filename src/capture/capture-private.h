/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture-private.h - the collector's own state, shared by capture.c and its CPU keeping
 */
#ifndef ASSAY_CAPTURE_CAPTURE_PRIVATE_H
#define ASSAY_CAPTURE_CAPTURE_PRIVATE_H

#include "capture/capture.h"
#include "capture/cpus.h"
#include "capture/intake.h"
#include "capture/kernel_images.h"
#include "capture/pins.h"
#include "capture/sources.h"
#include "capture/tracker.h"

/* A process, or one thread of it. */
struct watched {
	uint32_t tgid, tid;	/* tid 0: the process */
	int pidfd;		/* of the process; readable when it has exited */
};

struct capture {
	struct model *model;			/* not owned */
	struct event_plan plan;
	struct u64map ids;			/* perf's event id -> event of the plan */
	VEC(struct source *) sources;		/* owned; one for each CPU that is sampled */
	struct cpus wanted;			/* -C; count 0: every CPU */
	struct merge merge;
	struct pins *pins;
	struct tracker *tracker;
	struct chains *chains;
	struct image_tables *tables;
	struct stack_walker stack_walker;
	struct bpf_collector *collector;	/* NULL: perf's rings */
	struct kernel_images *kernel_images;
	struct kernel_text kernel_text;
	struct intake intake;
	VEC(uint32_t) only_tids;		/* TARGET_THREADS, sorted */
	VEC(struct watched) watched;		/* the targets, until they have exited */
	struct losses closed;			/* ring losses of CPUs that went away */
	uint64_t next_cpu_check_ns;
	uint64_t rest_end_ns;			/* see capture_drain_is_due() */
	int epoll_fd;
	enum target_kind target;
	bool enabled;
	bool ended;			/* it was enabled, and is no more */
	bool off_cpu;
	char why_ring[600];			/* "": it was asked for, or the sampler runs */
	char description[1024];
};

/* Who is a target is decided where the samples are taken. */
bool capture_has_no_list(enum target_kind target);

/*
 * Starts the in-kernel sampler where it can be had and can do what the options ask for; else perf's
 * rings take the samples, and capture->why_ring says why.
 */
int capture_choose_collector(struct capture *capture, const struct capture_options *options,
			     struct err *err);

/* How often the sampler's clocks tick from now on: see bpf_sampler_set_period(). */
void capture_tell_periods(const struct capture *capture, bool known);

/* Opens the wanted CPUs that are online and not open yet; those are enabled if we are. */
int capture_open_cpus(struct capture *capture, struct err *err);

/* Empties and closes the sources of CPUs that went offline. */
int capture_close_cpus(struct capture *capture, struct sample_batch *batch, struct err *err);

/* Merges the records of all sources that are older than @horizon_ns. */
int capture_merge(struct capture *capture, uint64_t horizon_ns, struct sample_batch *batch,
		  struct err *err);

#endif
