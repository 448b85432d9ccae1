/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring collector has almost nothing to do: perf takes the samples by itself, and source_open()
 * has already mapped its rings.
 */
#include "capture/collector.h"

#include <errno.h>
#include <stdlib.h>

static void ring_free(struct collector *collector)
{
	free(collector);
}

static int ring_attach(struct collector *collector, const struct collector_cpu *cpu,
		       struct err *err)
{
	return 0;
}

static int ring_poll_fd(const struct collector *collector, const struct collector_cpu *cpu)
{
	return cpu->event_fds[0];
}

static int ring_add_target(struct collector *collector, uint32_t tgid)
{
	return 0;
}

static int ring_start(struct collector *collector, struct err *err)
{
	return 0;
}

static void ring_stop(struct collector *collector)
{
}

static void ring_set_period(struct collector *collector, uint32_t event, uint64_t period_ns)
{
}

static bool ring_feed(struct collector *collector)
{
	return true;
}

static void ring_account(struct collector *collector, size_t event_count, bool is_final,
			 struct losses *losses)
{
}

static const struct collector_ops ring_ops = {
	.name = "ring",
	.callgraph = "fp",
	.how = "",
	.free = ring_free,
	.attach = ring_attach,
	.poll_fd = ring_poll_fd,
	.add_target = ring_add_target,
	.start = ring_start,
	.stop = ring_stop,
	.set_period = ring_set_period,
	.feed = ring_feed,
	.account = ring_account,
};

int ring_collector_new(const struct collector_parts *parts, struct collector **ret_collector)
{
	struct collector *collector = calloc(1, sizeof(*collector));

	if (!collector)
		return -ENOMEM;
	collector->ops = &ring_ops;
	parts->intake->counts_ticks = true;
	*ret_collector = collector;
	return 0;
}
