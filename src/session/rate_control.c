/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/rate_control.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "capture/capture_rate.h"
#include "perf/cpus.h"
#include "perf/system_limits.h"
#include "session/calibration.h"

static uint32_t online_count(void)
{
	struct cpus online = VEC_INIT;
	size_t count = cpus_online(&online, NULL) == 0 ? online.count : 0;

	cpus_fini(&online);
	return count ? (uint32_t)count : 1;
}

/*
 * If the handlers of counter interrupts take too long, the kernel permanently lowers its maximum
 * sampling rate. If the user chose a rate above this maximum, the kernel refuses to open the event.
 * The default rate must work everywhere, so it is lowered to the maximum.
 */
static void keep_to_limit(struct rate_control *control, const struct record_options *options,
			  struct capture_options *capture, int64_t most)
{
	if (!options->is_default_rate || most <= 0 || (uint64_t)most >= capture->frequency_hz)
		return;
	control->default_hz = capture->frequency_hz;
	control->limit_hz = (uint64_t)most;
	capture->frequency_hz = control->limit_hz;
}

void rate_control_prepare(struct rate_control *control, const struct record_options *options,
			  struct capture_options *capture)
{
	uint64_t before_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	int64_t most = system_max_sample_rate();

	control->is_virtual = system_is_virtual() > 0;
	control->is_known = !options->no_calibration &&
			    calibration_get(options->cache_dir, &control->cost, NULL) == 0;
	control->calibration_cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
	keep_to_limit(control, options, capture, most);
	control->asked_hz = capture->frequency_hz;
	control->most_hz = most > 0 ? (uint64_t)most : UINT64_MAX;
	if (control->most_hz > RATE_MOST_HZ)
		control->most_hz = RATE_MOST_HZ;
	control->is_limited = options->max_overhead_percent > 0;
	if (control->is_limited) {
		control->overhead = (struct overhead){
			.limit = options->max_overhead_percent / 100,
			.interrupt_ns = control->is_known ? control->cost.high_ns : 0,
			.cpu_count = online_count(),
			.asked_hz = capture->frequency_hz,
		};
		capture->frequency_hz = overhead_begin(&control->overhead);
	}
}

static void note_rate(struct rate_control *control, struct model *model, uint64_t now_ns)
{
	size_t used = strlen(control->rates);

	(void)snprintf(control->rates + used, sizeof(control->rates) - used,
		       "%s%" PRIu64 " Hz from %.1f s", used ? ", " : "", control->overhead.rate_hz,
		       now_ns ? (double)(now_ns - control->start_ns) / (double)NS_PER_SEC : 0);
	/*
	 * If the list of rates does not fit, it ends in "...". The last rate is also stored as a
	 * separate fact.
	 */
	if (strlen(control->rates) + 1 == sizeof(control->rates))
		(void)snprintf(control->rates + used, sizeof(control->rates) - used, ", ...");
	model_fact_set(model, FACT_RATES, "%s", control->rates);
	model_fact_set_u64(model, FACT_RATE_LAST_HZ, control->overhead.rate_hz);
}

static void note_cost(const struct rate_control *control, struct model *model)
{
	const struct interrupt_cost *cost = &control->cost;

	model_fact_set_u64(model, FACT_INTERRUPT_COST_NS, cost->cost_ns);
	model_fact_set_u64(model, FACT_INTERRUPT_COST_LOW_NS, cost->low_ns);
	model_fact_set_u64(model, FACT_INTERRUPT_COST_HIGH_NS, cost->high_ns);
	model_fact_set(model, FACT_INTERRUPT_COST_HOW,
		       "cpu-clock at %u Hz, median of %u pairs of slices of %u us", cost->rate_hz,
		       cost->pair_count, CALIBRATE_SLICE_NS / 1000);
}

/* Returns the rate of the first event, or 0 if the first event is not sampled at a rate. */
static double rate_of(const struct model *model)
{
	const struct event *event = &model->events.at[0];

	if (event->is_time && event->period)
		return (double)NS_PER_SEC / (double)event->period;
	return (double)event->frequency_hz;
}

void rate_control_begin(struct rate_control *control, struct capture *capture, struct model *model)
{
	control->rate_hz = rate_of(model);
	control->is_clock = model->events.at[0].is_time;
	if (control->default_hz) {
		model_fact_set_u64(model, FACT_RATE_DEFAULT_HZ, control->default_hz);
		model_fact_set_u64(model, FACT_RATE_LIMIT_HZ, control->limit_hz);
	}
	if (control->is_known)
		note_cost(control, model);
	if (control->is_virtual)
		model_fact_set_u64(model, FACT_VIRTUAL, 1);
	control->may_change = capture_allow_rates(capture);
	if (control->may_change)
		model_fact_set_u64(model, FACT_RATE_VARIED_PERCENT, RATE_VARIATION_PERCENT);
	if (!control->is_limited)
		return;
	model_fact_set(model, FACT_MAX_OVERHEAD_PERCENT, "%g", 100 * control->overhead.limit);
	model_fact_set_u64(model, FACT_RATE_ASKED_HZ, control->overhead.asked_hz);
	note_rate(control, model, 0);
}

void rate_control_say(const struct rate_control *control, const struct session_listener *listener)
{
	const struct overhead *overhead = &control->overhead;

	if (control->default_hz)
		session_note(listener,
			     "sampling at %" PRIu64 " instead of %" PRIu64 " Hz: "
			     "kernel.perf_event_max_sample_rate is %" PRIu64,
			     control->limit_hz, control->default_hz, control->limit_hz);
	if (control->is_limited && overhead->rate_hz < overhead->asked_hz)
		session_note(listener,
			     "sampling at %" PRIu64 " Hz, because %" PRIu64 " Hz "
			     "would take more than %g %% of the machine's CPU time",
			     overhead->rate_hz, overhead->asked_hz, 100 * overhead->limit);
	if (control->is_limited && !control->is_known)
		session_note(listener,
			     "the cost of an interrupt is not known, so the overhead limit "
			     "covers only assay's own CPU time");
	if (!control->is_virtual || control->rate_hz <= RATE_MANY_HZ)
		return;
	if (control->is_known && control->is_clock)
		session_note(listener,
			     "sampling at %.0f Hz takes about %.0f %% of each CPU: interrupts are "
			     "expensive in this virtual machine",
			     control->rate_hz,
			     100 * interrupt_share(control->cost.cost_ns, control->rate_hz));
	else
		session_note(listener,
			     "interrupts are expensive in a virtual machine: %.0f Hz may take much "
			     "of each CPU",
			     control->rate_hz);
}

static uint64_t varied_hz(const struct rate_control *control)
{
	return control->is_limited ? control->overhead.rate_hz : control->asked_hz;
}

static void vary(struct rate_control *control, struct capture *capture, uint64_t now_ns)
{
	uint64_t rate_hz = rate_variation_draw(&control->variation, now_ns, varied_hz(control),
					       control->most_hz);

	control->overhead.drawn_hz = rate_hz;
	(void)capture_set_rate(capture, rate_hz);
}

void rate_control_start(struct rate_control *control, struct capture *capture, uint64_t now_ns,
			uint64_t cpu_ns)
{
	control->start_ns = now_ns;
	overhead_start(&control->overhead, now_ns, cpu_ns);
	rate_variation_init(&control->variation);
	if (control->may_change)
		vary(control, capture, now_ns);
}

void rate_control_step(struct rate_control *control, struct capture *capture, struct model *model,
		       uint64_t now_ns, uint64_t cpu_ns)
{
	bool adapted;

	if (!control->may_change || !control->start_ns)
		return;
	adapted = control->is_limited && overhead_step(&control->overhead, now_ns, cpu_ns);
	if (adapted)
		note_rate(control, model, now_ns);
	if (adapted || rate_variation_is_due(&control->variation, now_ns))
		vary(control, capture, now_ns);
}
