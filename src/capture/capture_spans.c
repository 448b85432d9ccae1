/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The single spans of a stopwatch, as one more stream of the capture. */
#include <errno.h>
#include <sys/epoll.h>

#include "capture/capture-private.h"

int capture_ticks_fd(const struct capture *capture)
{
	const struct collector *collector = capture->collector;

	return collector->ops->ticks_fd ? collector->ops->ticks_fd(collector) : -1;
}

size_t capture_event_count(const struct capture *capture)
{
	return capture->plan.sampled_count;
}

int capture_add_spans(struct capture *capture, const struct capture_spans *spans, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int rc;

	capture->spans.ops = &sampler_stream_ops;
	rc = bpf_ring_map(&capture->spans.bpf_ring, spans->ring_fd, spans->ring_bytes, err);
	if (rc < 0)
		return rc;
	capture->intake.span_event = spans->event_of;
	capture->intake.span_context = spans->context;
	capture->intake.span_amounts = spans->amounts;
	capture->intake.span_amount_count = spans->amount_count;
	if (epoll_ctl(capture->epoll_fd, EPOLL_CTL_ADD, spans->ring_fd, &event) < 0)
		return err_sys(err, -errno, "cannot watch the spans");
	return 0;
}
