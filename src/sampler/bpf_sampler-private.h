/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf_sampler-private.h - declarations shared by the files of the sampler's user-space part */
#ifndef ASSAY_SAMPLER_BPF_SAMPLER_PRIVATE_H
#define ASSAY_SAMPLER_BPF_SAMPLER_PRIVATE_H

#include "sampler/bpf_sampler.h"

#include "base/vec.h"

struct sampler_skel;

struct bpf_program;

struct bpf_sampler {
	struct sampler_skel *skel;
	/* as given by the caller, with defaults filled in */
	struct bpf_sampler_options options;
	/*
	 * Descriptors of the attachments of sample_tick and sample_point to perf events, and of
	 * other programs to tracepoints
	 */
	VEC(int) links;
	/* descriptors of attachments of the programs for waits */
	VEC(int) wait_links;
	int empty_table_fd;			/* -1 until it is needed */
	bool follows_forks;			/* the programs of bpf/lives.h are loaded */
	bool sees_timers;			/* the program of bpf/clock_ticks.h is loaded */
	/*
	 * While tracepoints are enabled: the value that misses() (bpf_points.c) had when they were
	 * enabled. After they were disabled: by how much that value increased while they were
	 * enabled.
	 */
	uint64_t points_missed;
	int *ring_fds;				/* indexed by CPU; -1: no ring */
	int cpu_count;				/* number of possible CPUs */
	/* Memory of the sampler's maps, mapped into this process; NULL until it is mapped. */
	struct wire_mapping *mappings;		/* options.mappings_max entries */
	struct unwind_rule *rules;		/* options.rules_max entries */
	const struct wire_counters *counters;	/* indexed by CPU, then by event */
	const struct tick_clocks *clocks;	/* indexed by CPU */
};

/*
 * Opens and loads the BPF programs according to sampler->options. If this fails, sets sampler->skel
 * to NULL. Returns 0, -EPERM, -EOPNOTSUPP, or another negative errno. The message for -EOPNOTSUPP
 * names the missing feature.
 */
int sampler_load(struct bpf_sampler *sampler, struct err *err);

/*
 * Chooses which of the programs for waits will be loaded. Must be called after the object was
 * opened and before it is loaded.
 */
void sampler_choose_waits(struct bpf_sampler *sampler);
void sampler_detach_waits(struct bpf_sampler *sampler);

/* Attaches @program to the perf event @event_fd. The program receives @event as its cookie. */
int sampler_link(struct bpf_sampler *sampler, const struct bpf_program *program, int event_fd,
		 uint32_t event, struct err *err);

#endif
