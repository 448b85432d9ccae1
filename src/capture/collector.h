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
	/* descriptors of the sampled events, each followed by its counters; -1: not open */
	const int *event_fds;
	size_t event_count;
	struct stream *samples;	/* stream through which the samples of this CPU arrive */
};

struct collector_ops {
	const char *name;	/* "bpf" or "ring", as stored in recordings */
	const char *callgraph;	/* default method for finding callers: "tables" or "fp" */
	const char *how;	/* text that capture_describe() inserts into its sentence, or "" */
	void (*free)(struct collector *collector);

	/*
	 * Attaches the collector to the events of @cpu. The samples of these events then arrive in
	 * cpu->samples.
	 */
	int (*attach)(struct collector *collector, const struct collector_cpu *cpu,
		      struct err *err);
	/* Returns a descriptor that becomes readable when the samples of @cpu should be drained. */
	int (*poll_fd)(const struct collector *collector, const struct collector_cpu *cpu);
	/*
	 * Adds a process to the targets, with all children that it forks from now on. Has no effect
	 * if all processes are sampled.
	 */
	int (*add_target)(struct collector *collector, uint32_t tgid);

	/*
	 * Start and stop the collector's own sampling. perf's events are enabled and disabled by
	 * the capture, not by these functions.
	 */
	int (*start)(struct collector *collector, struct err *err);
	void (*stop)(struct collector *collector);
	/*
	 * Tells the collector the period of the clock @event, which is the same on all CPUs. If
	 * @period_ns is 0, the period is unknown, because it is being changed and currently differs
	 * between CPUs.
	 */
	void (*set_period)(struct collector *collector, uint32_t event, uint64_t period_ns);
	/*
	 * Returns the set of features in use for which the collector reads fields of the kernel
	 * (sampler/kernel_lacks.h). NULL: it reads none.
	 */
	uint32_t (*kernel_uses)(const struct collector *collector);

	/* Returns the map with the collector's ticks (bpf_sampler_counters_fd()). NULL: none. */
	int (*ticks_fd)(const struct collector *collector);

	/*
	 * Called after each drain except the last; prepares the collector for new processes.
	 * Returns false if most of these new processes had already exited, as in a storm of short
	 * programs. The next drain may then wait a while.
	 */
	bool (*feed)(struct collector *collector);
	/*
	 * Sets those counts in @losses that this collector keeps, and stores facts about the run in
	 * the model. @is_final is true if sampling has ended.
	 */
	void (*account)(struct collector *collector, size_t event_count, bool is_final,
			struct losses *losses);
};

struct collector {
	const struct collector_ops *ops;
};

/* The objects that a collector works with. The collector owns none of them. */
struct collector_parts {
	struct model *model;
	struct tracker *tracker;
	struct pins *pins;
	struct image_tables *tables;
	struct chains *chains;
	struct stack_walker *stack_walker;
	const struct kernel_text *kernel_text;
	/* the BPF collector changes the plan: the events then only trigger the in-kernel sampler */
	struct event_plan *plan;
	/*
	 * the collector changes settings in `intake`, so that intake handles its records correctly
	 */
	struct intake *intake;
};

/*
 * Starts the BPF collector if this machine, this user and @options allow it, otherwise the ring
 * collector. ret_why receives the reason why the BPF collector was not used although it was tried,
 * as a text that can be appended to a sentence. In all other cases ret_why is "".
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
