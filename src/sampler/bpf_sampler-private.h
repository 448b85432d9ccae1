/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf_sampler-private.h - what the files of the sampler's collector side share */
#ifndef ASSAY_SAMPLER_BPF_SAMPLER_PRIVATE_H
#define ASSAY_SAMPLER_BPF_SAMPLER_PRIVATE_H

#include "sampler/bpf_sampler.h"

#include "base/vec.h"

struct sampler_skel;

struct bpf_program;

struct bpf_sampler {
	struct sampler_skel *skel;
	struct bpf_sampler_options options;	/* with the defaults put in */
	VEC(int) links;				/* attachments to events, and for lives */
	VEC(int) wait_links;			/* of the programs for waits */
	int empty_table_fd;			/* -1: not needed yet */
	bool follows_forks;			/* bpf/lives.h is in */
	bool sees_timers;			/* bpf/clock_ticks.h is in */
	uint64_t points_missed;			/* up to the switching on; then since */
	int *ring_fds;				/* by CPU; -1: none */
	int cpu_count;				/* possible CPUs */
	/* Maps of the sampler, mapped here: NULL until then. */
	struct wire_mapping *mappings;		/* options.mappings_max */
	struct unwind_rule *rules;		/* options.rules_max */
	const struct wire_counters *counters;	/* by CPU and event */
	const struct tick_clocks *clocks;	/* by CPU */
};

/*
 * Opens and loads the program as the options say; sampler->skel is NULL when it fails.
 * -EPERM, -EOPNOTSUPP with what is missing, or another negative errno.
 */
int sampler_load(struct bpf_sampler *sampler, struct err *err);

/* Between opening and loading: which of the programs for waits there will be. */
void sampler_choose_waits(struct bpf_sampler *sampler);
void sampler_detach_waits(struct bpf_sampler *sampler);

/* Attaches one of the programs to a perf event, with @event as its cookie. */
int sampler_link(struct bpf_sampler *sampler, const struct bpf_program *program, int event_fd,
		 uint32_t event, struct err *err);

#endif
