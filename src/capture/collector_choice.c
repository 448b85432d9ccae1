/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the collector from the options and from what this machine and this user permit. */
#include "capture/collector.h"

#include <errno.h>
#include <stdio.h>

/*
 * If @options request something that only perf's rings support, returns a description of it,
 * otherwise NULL.
 */
static const char *ring_only(const struct event_plan *plan, const struct capture_options *options)
{
	if (options->counters)
		return "reading counters with each sample";
	if (options->data_addresses)
		return "storing data addresses";
	if (plan->per_task)	/* this user may not sample whole CPUs */
		return "sampling single threads";
	if (options->callgraph == CALLGRAPH_FP)
		return "following frame pointers";
	if (options->callgraph == CALLGRAPH_DWARF)
		return "copying stacks";
	return NULL;
}

/*
 * If @options request something that only the in-kernel sampler supports, returns a description of
 * it, otherwise NULL.
 */
static const char *kernel_only(const struct capture_options *options)
{
	if (options->target == TARGET_USER)
		return "sampling one user's tasks";
	return options->off_cpu ? "recording waits" : NULL;
}

static int choose_ring(const struct collector_parts *parts, struct collector **ret_collector,
		       struct err *err)
{
	int rc = ring_collector_new(parts, ret_collector);

	return rc < 0 ? err_set(err, rc, "out of memory") : 0;
}

int collector_choose(const struct collector_parts *parts, const struct capture_options *options,
		     struct collector **ret_collector, char *ret_why, size_t why_bytes,
		     struct err *err)
{
	const char *ring = ring_only(parts->plan, options), *kernel = kernel_only(options);
	struct err why = { 0 };
	int rc;

	ret_why[0] = '\0';
	if (kernel && parts->plan->per_task && !options->counters)
		return err_set(err, -EPERM, "%s needs root, or CAP_PERFMON and CAP_BPF", kernel);
	if (kernel && ring)
		return err_set(err, -EINVAL,
			       "%s needs the in-kernel sampler, but %s needs perf rings, so "
			       "the two cannot be combined",
			       kernel, ring);
	if (kernel && options->collector == COLLECTOR_RING)
		return err_set(err, -EINVAL, "%s needs the in-kernel sampler", kernel);
	if (ring && options->collector == COLLECTOR_BPF)
		return err_set(err, -EINVAL,
			       "%s needs perf rings, so the in-kernel sampler cannot be used",
			       ring);
	if (ring || options->collector == COLLECTOR_RING)
		return choose_ring(parts, ret_collector, err);
	rc = bpf_collector_new(parts, options, ret_collector, &why);
	if (rc == 0)
		return 0;
	if (kernel)
		return err_set(err, rc, "%s: %s", kernel, why.text);
	if (options->collector == COLLECTOR_BPF)
		return err_set(err, rc, "%s", why.text);
	(void)snprintf(ret_why, why_bytes, "; sampled with perf rings, not inside the kernel: %s",
		       why.text);
	return choose_ring(parts, ret_collector, err);
}
