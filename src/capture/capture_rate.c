/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/capture_rate.h"

#include "base/clock.h"
#include "capture/capture-private.h"

void capture_tell_periods(struct capture *capture, bool known)
{
	const struct event_plan *plan = &capture->plan;
	struct collector *collector = capture->collector;

	for (size_t i = 0; i < plan->sampled_count; i++) {
		uint64_t period = plan->sampled[i].attr.sample_period;

		capture->intake.events.at[i] = event_plan_intake_event(plan, i);
		if (event_plan_has_ticks(plan, i))
			collector->ops->set_period(collector, (uint32_t)i, known ? period : 0);
	}
}

bool capture_allow_rates(struct capture *capture)
{
	const struct event_plan *plan = &capture->plan;
	bool any = false;

	for (size_t i = 0; i < plan->sampled_count && !plan->per_task; i++) {
		struct event *event = &capture->model->events.at[i];

		if (!event_plan_has_rate(plan, i))
			continue;
		any = true;
		if (event->is_time)
			event->frequency_hz = NS_PER_SEC / event->period;
	}
	return any;
}

int capture_set_rate(struct capture *capture, uint64_t rate_hz)
{
	struct event_plan *plan = &capture->plan;
	int first = 0;

	for (size_t i = 0; i < plan->sampled_count; i++) {
		struct perf_event_attr *attr = &plan->sampled[i].attr;

		if (event_plan_has_rate(plan, i) && attr->freq)
			attr->sample_freq = rate_hz;
		else if (event_plan_has_rate(plan, i))
			attr->sample_period = NS_PER_SEC / rate_hz;
	}
	/* while the CPUs change their periods one by one, no period is valid for all CPUs */
	capture_tell_periods(capture, false);
	for (size_t i = 0; i < capture->sources.count; i++) {
		int rc = source_set_rate(capture->sources.at[i], plan, rate_hz);

		if (first == 0)
			first = rc;
	}
	capture_tell_periods(capture, true);
	return first;
}
