/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector.h - the interface of the two collectors, which take the samples of a capture
 *
 * A capture uses one of these collectors from beginning to end:
 *
 *	ring_collector.c	perf writes samples into its rings; needs few privileges
 *	bpf_collector.c		the in-kernel sampler writes samples into rings of its own
 *
 * collector_choose() chooses between them. All other code in capture/ calls the collector through
 * struct collector_ops and does not know which one it is. A collector embeds struct collector as
 * its first member.
 */
#ifndef ASSAY_CAPTURE_COLLECTOR_H
#define ASSAY_CAPTURE_COLLECTOR_H

#include "base/err.h"
#include "capture/capture.h"
#include "capture/event_plan.h"
#include "capture/stream.h"
#include "intake/intake.h"

struct collector;

/* The events of one CPU, to which the collector attaches. */
struct collector_cpu {
	uint32_t cpu;
	const int *event_fds;	/* group leaders of the sampled events; -1: the event is not open */
	size_t event_count;
	struct stream *samples;	/* stream through which the samples of this CPU arrive */
};

struct collector_ops {
	const char *name;	/* "bpf" or "ring", as stored in recordings */
	const char *callgraph;	/* method by which callers are found by default: "tables" or "fp" */
	const char *how;	/* text that capture_describe() inserts into its sentence, or "" */
	void (*free)(struct collector *collector);

	/* Makes the events of @cpu write samples into cpu->samples. */
	int (*attach)(struct collector *collector, const struct collector_cpu *cpu,
		      struct err *err);
	/* Returns a descriptor that becomes readable when the samples of @cpu should be drained. */
	int (*poll_fd)(const struct collector *collector, const struct collector_cpu *cpu);
	/*
	 * If not all processes are sampled, makes the collector sample this process and its later
	 * forks.
	 */
	int (*add_target)(struct collector *collector, uint32_t tgid);

	/* Start and stop sampling. The capture itself enables and disables perf's own events. */
	int (*start)(struct collector *collector, struct err *err);
	void (*stop)(struct collector *collector);
	/*
	 * Tells the collector that the clock of @event ticks every @period_ns on all CPUs. 0 means
	 * that the period is being changed and currently differs between CPUs.
	 */
	void (*set_period)(struct collector *collector, uint32_t event, uint64_t period_ns);

	/*
	 * Called after each drain; prepares the collector for new processes. Returns false if most
	 * of these new processes had already exited, as in a storm of short programs. The next
	 * drain may then wait a while.
	 */
	bool (*feed)(struct collector *collector);
	/*
	 * Adds the losses so far to @losses, and stores facts about the run in the model.
	 * @is_final: sampling has ended.
	 */
	void (*account)(struct collector *collector, size_t event_count, bool is_final,
			struct losses *losses);
};

struct collector {
	const struct collector_ops *ops;
};

/* Objects that a collector uses; all borrowed. */
struct collector_parts {
	struct model *model;
	struct tracker *tracker;
	struct pins *pins;
	struct image_tables *tables;
	struct chains *chains;
	struct stack_walker *stack_walker;
	const struct kernel_text *kernel_text;
	/* the BPF collector changes the plan so that its events fit the in-kernel sampler */
	struct event_plan *plan;
	/* settings for intake, where the collector stores how its records must be interpreted */
	struct intake *intake;
};

/*
 * Starts the BPF collector if this machine, this user and @options allow it, otherwise the ring
 * collector. If the BPF collector was requested but cannot be used, sets ret_why to the reason,
 * worded as a part of a sentence; otherwise sets ret_why to "".
 */
int collector_choose(const struct collector_parts *parts, const struct capture_options *options,
		     struct collector **ret_collector, char *ret_why, size_t why_bytes,
		     struct err *err);

/*
 * Returns true if the target is the whole machine, a control group or a user, so that the processes
 * to sample are not given as a list of ids.
 */
static inline bool collector_has_no_list(enum target_kind target)
{
	return target == TARGET_SYSTEM || target == TARGET_CGROUP || target == TARGET_USER;
}

int ring_collector_new(const struct collector_parts *parts, struct collector **ret_collector);

int bpf_collector_new(const struct collector_parts *parts, const struct capture_options *options,
		      struct collector **ret_collector, struct err *err);

static inline void collector_free(struct collector *collector)	/* NULL is fine */
{
	if (collector)
		collector->ops->free(collector);
}

#endif
