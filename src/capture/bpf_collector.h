/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_collector.h - the in-kernel sampler as part of a capture
 *
 * Keeps the sampler (bpf_sampler.h) told of what it needs: which processes it may walk, and with
 * which tables (unwind_spaces.h).  Nobody is entered ahead of need.  The first sample of a process
 * comes with the memory of its stack, is walked here, and makes the tables of the images that were
 * on it; after the drain the process is entered with those, and its next samples come walked.  A
 * walk inside the kernel that leads to an image without table, or out of all mappings, brings the
 * memory again.  So an image costs something only where it is executed, and no process is too new.
 *
 * Not thread-safe.
 */
#ifndef ASSAY_CAPTURE_BPF_COLLECTOR_H
#define ASSAY_CAPTURE_BPF_COLLECTOR_H

#include "capture/bpf_sampler.h"
#include "capture/chain.h"
#include "capture/image_tables.h"
#include "capture/sources.h"
#include "capture/unwind_spaces.h"

struct bpf_collector;

struct bpf_collector_parts {	/* all borrowed */
	struct model *model;
	struct tracker *tracker;
	struct pins *pins;
	struct image_tables *tables;
	struct chains *chains;
};

/* @table_bytes: bound on the tables in the kernel, 0: the default. Errors as bpf_sampler_new(). */
int bpf_collector_new(const struct bpf_collector_parts *parts,
		      const struct bpf_sampler_options *options, size_t table_bytes,
		      struct bpf_collector **ret_collector, struct err *err);
void bpf_collector_free(struct bpf_collector *collector);	/* NULL is fine */

struct bpf_sampler *bpf_collector_sampler(const struct bpf_collector *collector);

/* The events of the source are sampled by the sampler, into a ring that the source reads. */
int bpf_collector_attach(struct bpf_collector *collector, struct source *source, struct err *err);

/*
 * The tracepoints of the plan, on all CPUs that have a ring then; they count while
 * bpf_sampler_enable_points() says so.
 */
int bpf_collector_attach_points(struct bpf_collector *collector, const struct event_plan *plan,
				struct err *err);

/* What a stack or a copied one says of its process, before the sample is taken in. */
void bpf_collector_heard(struct bpf_collector *collector, uint32_t tgid,
			 const struct record_owner *owner);

/* After a sample of @process was taken in. */
void bpf_collector_saw(struct bpf_collector *collector, struct live_process *process,
		       const struct perf_record *sample);

/*
 * A walk inside the kernel for which there is no memory to walk again (a wait's) has ended early,
 * or has not begun: makes the table that it lacked, so that the next comes further.
 */
void bpf_collector_missed(struct bpf_collector *collector, struct live_process *process,
			  const struct record_stack *stack, uint64_t time_ns);

/* It exited, or runs another program from now on. */
void bpf_collector_left(struct bpf_collector *collector, uint32_t tgid);

/*
 * After each drain: enters who came raw, and asks for all stacks again when they are many.  What
 * cannot be entered goes on to be sampled raw; why is a fact ("sampler_trouble").  False: most of
 * those who came raw were gone by now, as in a storm of short programs.
 */
bool bpf_collector_feed(struct bpf_collector *collector);

/*
 * What became of all ticks so far (tick_account.h), and what the tables take, into facts.
 * @is_final: sampling has ended.
 */
void bpf_collector_account(struct bpf_collector *collector, size_t event_count, bool is_final,
			   struct losses *losses);

#endif
