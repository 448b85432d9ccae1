/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector.h - what takes the samples of a capture
 *
 * There are two collectors, and a capture has one of them for its whole life:
 *
 *	ring_collector.c	perf writes samples into its rings; needs few privileges
 *	bpf_collector.c		the in-kernel sampler writes samples into rings of its own
 *
 * collector_choose() decides which one. Everything else in capture/ calls the collector through
 * struct collector_ops and does not know which one it has. A collector embeds struct collector as
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

/* The events of one CPU, for the collector to attach to. */
struct collector_cpu {
	uint32_t cpu;
	const int *event_fds;	/* leaders of the plan's sampled events; -1: not opened */
	size_t event_count;
	struct stream *samples;	/* the stream that the samples of this CPU come through */
};

struct collector_ops {
	const char *name;	/* "bpf" or "ring", as recordings keep it */
	const char *callgraph;	/* how it finds callers by default: "tables" or "fp" */
	const char *how;	/* a clause for capture_describe(), or "" */
	void (*free)(struct collector *collector);

	/* Has the events of @cpu sampled into cpu->samples. */
	int (*attach)(struct collector *collector, const struct collector_cpu *cpu,
		      struct err *err);
	/* A descriptor that becomes readable when the samples of @cpu are due for a drain. */
	int (*poll_fd)(const struct collector *collector, const struct collector_cpu *cpu);
	/* Samples this process, and what it forks, where only targets are sampled. */
	int (*add_target)(struct collector *collector, uint32_t tgid);

	/* Sampling begins and ends; perf's own events are enabled and disabled by capture. */
	int (*start)(struct collector *collector, struct err *err);
	void (*stop)(struct collector *collector);
	/* The clock of @event ticks every @period_ns on all CPUs; 0: CPUs differ for the moment. */
	void (*set_period)(struct collector *collector, uint32_t event, uint64_t period_ns);

	/*
	 * After each drain. Returns false if most processes that needed attention had already
	 * exited, as in a storm of short programs; the next drain may then wait a while.
	 */
	bool (*feed)(struct collector *collector);
	/* Adds losses and facts of the run so far. @is_final: sampling has ended. */
	void (*account)(struct collector *collector, size_t event_count, bool is_final,
			struct losses *losses);
};

struct collector {
	const struct collector_ops *ops;
};

/* What a collector works with; all borrowed. */
struct collector_parts {
	struct model *model;
	struct tracker *tracker;
	struct pins *pins;
	struct image_tables *tables;
	struct chains *chains;
	struct stack_walker *stack_walker;
	const struct kernel_text *kernel_text;
	struct event_plan *plan;	/* the BPF collector changes how its events are opened */
	struct intake *intake;		/* the collector says how its records are to be read */
};

/*
 * Starts the BPF collector if this machine, this user and @options allow it; otherwise the ring
 * collector. ret_why is empty, or a clause that says why a BPF collector could not be had.
 */
int collector_choose(const struct collector_parts *parts, const struct capture_options *options,
		     struct collector **ret_collector, char *ret_why, size_t why_bytes,
		     struct err *err);

/* The processes to sample are not listed by id: the whole machine, a control group or a user. */
bool collector_has_no_list(enum target_kind target);

int ring_collector_new(const struct collector_parts *parts, struct collector **ret_collector);

int bpf_collector_new(const struct collector_parts *parts, const struct capture_options *options,
		      struct collector **ret_collector, struct err *err);

static inline void collector_free(struct collector *collector)	/* NULL is fine */
{
	if (collector)
		collector->ops->free(collector);
}

#endif
