/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/tally.h"

#include "analyze/lookup.h"
#include "analyze/runs.h"
#include "base/cleanup.h"

#define LATE_SAMPLES_MIN 100

static uint32_t clock_event(const struct model *model)
{
	for (uint32_t i = 0; i < model->events.count && i < 256; i++) {
		const struct event *event = &model->events.at[i];

		if (event->is_time && event->has_ticks && !event->is_counter)
			return i;
	}
	return PROFILE_EVENT_NONE;
}

static int know_threads(struct tally *tally)
{
	const struct model *model = tally->model;
	_cleanup_free_ struct run *runs = runs_of_processes(model);

	if (!runs)
		return -ENOMEM;
	for (uint32_t id = 0; id < model->threads.count; id++) {
		const struct thread *thread = &model->threads.at[id];
		const struct process *process = process_of(model, thread->process);
		uint64_t self_tgid = run_of_process(runs, model, thread->process)->self_tgid;

		tally->threads[id] = (struct tally_thread){
			.self = id && self_tgid && process->tgid == self_tgid,
			.kernel = thread->tid == 0 || process->kernel_thread,
		};
	}
	return 0;
}

static void know_event(struct tally *tally, size_t id, bool by_chance)
{
	const struct event *event = &tally->model->events.at[id];

	tally->by_weight[id] = count_goes_by_weight(event);
	tally->is_span[id] = event_is_span(event);
	tally->measured[id] = !by_chance && event_is_measured(event);
	tally->counted[id] = event_is_counted(event) ? event : NULL;
	tally->states[id] = (uint8_t)wait_kind_state(
		wait_kind_of_name(string_of(tally->model, event->name)));
}

int tally_init(struct tally *tally, const struct model *model,
	       const struct profile_options *options, int64_t late_threshold_ns,
	       struct profile *ret_profile)
{
	uint64_t start_ns = model_fact_u64(model, FACT_START_NS);

	*tally = (struct tally){
		.model = model,
		.profile = ret_profile,
		.by_address = options->by_address,
		.by_cpu = options->by_cpu,
		.stacks_apart = options->stacks_apart,
		.stack_classes = options->stack_classes,
		.metric = options->metric,
		.leaves = leaves_make(model, options->inlined),
		.threads = calloc(model->threads.count, sizeof(struct tally_thread)),
	};
	*ret_profile = (struct profile){
		.model = model,
		.late_threshold_ns = late_threshold_ns,
		.start_ns = start_ns,
		.slice_ns = options->slice_ns,
		.slice_from_ns = options->slice_from_ns,
		.clock_event = clock_event(model),
		.filtered = filter_is_set(options->filter),
		.inlined = options->inlined,
	};
	for (size_t i = 0; i < model->events.count && i < 256; i++)
		know_event(tally, i, options->by_chance);
	for (enum sample_field i = 0; i < FIELD_COUNT; i++) {
		tally->field_masks[i] = options->field_masks[i];
		tally->by_field |= options->field_masks[i] != 0;
		tally->field_columns[i] = sample_field_column(model, i);
	}
	if (!tally->leaves || !tally->threads || know_threads(tally) < 0)
		return -ENOMEM;
	if (options->by_stack &&
	    stack_counts_init(&ret_profile->stacks, model,
			      options->filter && options->filter->contexts) < 0)
		return -ENOMEM;
	if (match_init(&tally->match, options->filter, model, start_ns) < 0)
		return -ENOMEM;
	if (tally->metric) {
		memset(tally->match.events, true, sizeof(tally->match.events));
		metric_begin(tally->metric);
	}
	return 0;
}

void tally_fini(struct tally *tally)
{
	match_fini(&tally->match);
	slots_fini(&tally->slots);
	free(tally->leaves);
	free(tally->threads);
	tally->leaves = NULL;
	tally->threads = NULL;
}

struct search {
	const struct hit *hits;
	const struct hit *want;
	bool by_field;
};

static inline bool same_hit(size_t row, const void *arg)
{
	const struct search *search = arg;
	const struct hit *have = &search->hits[row], *want = search->want;

	return have->thread == want->thread && have->function == want->function &&
	       have->image == want->image && have->event == want->event &&
	       have->context == want->context && have->state == want->state &&
	       have->late == want->late && have->end == want->end && have->cpu == want->cpu &&
	       have->time_slice == want->time_slice && have->location == want->location &&
	       have->stack_class == want->stack_class &&
	       (!search->by_field || memcmp(have->fields, want->fields, sizeof(have->fields)) == 0);
}

static uint64_t hash_hit(const struct hit *hit, bool by_field)
{
	uint64_t rest = hit->event | (uint64_t)hit->context << 8 | (uint64_t)hit->late << 15 |
			(uint64_t)hit->state << 12 | (uint64_t)hit->cpu << 16 |
			(uint64_t)hit->time_slice << 32;

	for (int i = 0; by_field && i < FIELD_COUNT; i++)
		rest = slots_hash(rest, hit->fields[i]);
	rest ^= slots_hash((uint64_t)hit->image << 32 | hit->location,
			   (uint64_t)hit->stack_class << 8 | hit->end);
	return slots_hash((uint64_t)hit->thread << 32 | hit->function, rest);
}

static int count_hit(struct tally *tally, const struct hit *want, uint64_t hash)
{
	struct profile *profile = tally->profile;
	struct search search = {
		.hits = profile->hits.at,
		.want = want,
		.by_field = tally->by_field,
	};
	uint64_t *slot = slots_find(&tally->slots, hash, same_hit, &search);
	struct hit *hit;

	if (!slot)
		return -ENOMEM;
	if (!*slot) {
		hit = vec_push(&profile->hits);
		if (!hit)
			return -ENOMEM;
		*hit = *want;
		slots_fill(&tally->slots, slot, hash, profile->hits.count - 1);
		return 0;
	}
	hit = &profile->hits.at[slots_row(slot)];
	count_add(&hit->count, &want->count);
	return 0;
}

static int count_waiting(struct tally *tally)
{
	for (size_t i = 0; i < tally->waiting_count; i++)
		slots_prefetch_row(&tally->slots, tally->waiting[i].hash, tally->profile->hits.at,
				   sizeof(struct hit));
	for (size_t i = 0; i < tally->waiting_count; i++) {
		const struct tally_wait *wait = &tally->waiting[i];

		if (count_hit(tally, &wait->hit, wait->hash) < 0)
			return -ENOMEM;
	}
	tally->waiting_count = 0;
	return 0;
}

static int count_cpu(struct tally *tally, const struct sample *sample)
{
	struct profile *profile = tally->profile;
	struct cpu_total *cpu;

	while (profile->cpus.count <= sample->cpu)
		if (!vec_push(&profile->cpus))
			return -ENOMEM;
	cpu = &profile->cpus.at[sample->cpu];
	if (tally->threads[sample->thread].self) {
		cpu->self_samples[sample->context]++;
		cpu->self_weight[sample->context] += sample->weight;
	} else {
		cpu->samples[sample->context]++;
		cpu->weight[sample->context] += sample->weight;
	}
	return 0;
}

static void count_totals(struct profile *profile, const struct sample *sample,
			 const struct count *count, bool late)
{
	profile->total_samples[sample->event] += count->samples;
	profile->total_weight[sample->event] += count->weight;
	profile->tick_samples += sample->late_ns != LATE_UNKNOWN;
	profile->late_samples += late;
	if (!profile->first_ns || sample->time_ns < profile->first_ns)
		profile->first_ns = sample->time_ns;
	if (sample->time_ns > profile->last_ns)
		profile->last_ns = sample->time_ns;
}

/* @event is the event of the sample in the recording. */
static void set_count(const struct tally *tally, const struct sample *sample, uint8_t event,
		      struct count *ret_count)
{
	const struct event *counted = tally->counted[event];
	uint64_t samples = counted ? event_samples(counted, sample->weight) : 1;
	bool measured = tally->measured[event];
	double weight = (double)sample->weight;

	ret_count->samples = samples;
	ret_count->weight = sample->weight;
	ret_count->measured = measured ? sample->weight : 0;
	ret_count->squares = 0;
	if (tally->by_weight[sample->event] && !measured)
		ret_count->squares = weight * weight / (double)samples;
}

static uint32_t time_slice(const struct profile *profile, uint64_t time_ns)
{
	uint64_t slice;

	if (!profile->slice_ns || time_ns < profile->start_ns + profile->slice_from_ns)
		return 0;
	slice = (time_ns - profile->start_ns - profile->slice_from_ns) / profile->slice_ns;
	return slice < UINT32_MAX ? (uint32_t)slice : UINT32_MAX;
}

/*
 * User code and the idle loop run with interrupts on. So if a sample of user code or of the idle
 * loop is delayed, other code caused the delay, and the sample is not treated as late.
 */
static bool is_late(const struct profile *profile, const struct sample *sample)
{
	return sample->late_ns != LATE_UNKNOWN && sample->late_ns > profile->late_threshold_ns &&
	       sample->context != CONTEXT_USER && sample->context != CONTEXT_IDLE;
}

/*
 * If the chain ended in kernel code: the stack of a kernel task begins in kernel code, so it is
 * whole. A user task whose chain ends in kernel code has no user memory.
 */
static enum stack_end end_of(const struct tally *tally, const struct sample *sample)
{
	const struct leaf *leaf = &tally->leaves[sample->stack];

	if (!leaf->kernel_end)
		return (enum stack_end)leaf->end;
	return tally->threads[sample->thread].kernel ? STACK_WHOLE : STACK_NO_USER;
}

static uint32_t class_of(const struct tally *tally, uint32_t stack)
{
	if (tally->stacks_apart)
		return stack;
	return tally->stack_classes ? tally->stack_classes[stack] : 0;
}

static uint64_t field_of(const struct tally *tally, int field)
{
	size_t column = tally->field_columns[field];

	return column < tally->counter_count ? tally->counters[column] & tally->field_masks[field]
					     : 0;
}

/* Sets all fields but the count. @event is the event of the sample in the recording. */
static void set_hit(const struct tally *tally, const struct sample *sample, uint8_t event,
		    bool late, struct hit *ret_hit)
{
	const struct leaf *leaf = &tally->leaves[sample->stack];

	ret_hit->thread = sample->thread;
	ret_hit->image = leaf->image;
	ret_hit->function = leaf->function;
	ret_hit->location = tally->by_address ? leaf_of(tally->model, sample->stack) : 0;
	ret_hit->event = sample->event;
	ret_hit->context = sample->context;
	ret_hit->state = tally->states[event];
	ret_hit->late = late;
	ret_hit->end = (uint8_t)end_of(tally, sample);
	ret_hit->cpu = tally->by_cpu ? sample->cpu : 0;
	ret_hit->time_slice = time_slice(tally->profile, sample->time_ns);
	ret_hit->stack_class = class_of(tally, sample->stack);
	for (int i = 0; tally->by_field && i < FIELD_COUNT; i++)
		ret_hit->fields[i] = field_of(tally, i);
}

/*
 * @event is the event of the sample in the recording.
 *
 * The hit is written field by field where it waits: a processor is slow to load several fields at
 * once that it has just stored one by one, as when a struct is returned and copied.
 */
static int count_sample(struct tally *tally, struct sample *sample, uint8_t event)
{
	struct profile *profile = tally->profile;
	struct tally_wait *wait = &tally->waiting[tally->waiting_count];
	bool late = is_late(profile, sample);

	if (!match_sample(&tally->match, sample)) {
		profile->filtered_out++;
		return 0;
	}
	/*
	 * Limits the weight so that the sum cannot overflow. No real run has 2^64 nanoseconds or
	 * events, but a forged recording may.
	 */
	if (sample->weight > UINT64_MAX - profile->total_weight[sample->event])
		sample->weight = UINT64_MAX - profile->total_weight[sample->event];
	set_count(tally, sample, event, &wait->hit.count);
	count_totals(profile, sample, &wait->hit.count, late);
	if (sample->event == profile->clock_event && count_cpu(tally, sample) < 0)
		return -ENOMEM;
	set_hit(tally, sample, event, late, &wait->hit);
	wait->hash = hash_hit(&wait->hit, tally->by_field);
	tally->waiting_count++;
	if (profile->stacks.at)
		stack_counts_add(&profile->stacks, sample, &wait->hit.count);
	slots_prefetch(&tally->slots, wait->hash);
	return tally->waiting_count == TALLY_WAITING ? count_waiting(tally) : 0;
}

/* If the recording has no start time, the first sample is the start. */
static void begin_at(struct tally *tally, uint64_t time_ns)
{
	tally->profile->start_ns = time_ns;
	tally->match.from_ns += tally->match.from_ns ? time_ns : 0;
	if (tally->match.to_ns <= UINT64_MAX - time_ns)
		tally->match.to_ns += time_ns;
}

/* Changes the sample to what it counts as, and counts it. */
static int take_sample(struct tally *tally, const struct sample *given)
{
	struct sample sample = *given;

	sample_make_safe(tally->model, &sample);
	if (tally->is_span[sample.event])
		sample.late_ns = LATE_UNKNOWN;
	if (!match_calls(&tally->match, &sample) ||
	    (tally->metric && !metric_take(tally->metric, &sample))) {
		tally->profile->filtered_out++;
		return 0;
	}
	return count_sample(tally, &sample, given->event);
}

/* Prefetches what will be needed about the stack of the @i-th sample. */
PREFETCHER void fetch_stack(const struct tally *tally, const struct sample_batch *batch, size_t i)
{
	const struct stack_counts *counts = &tally->profile->stacks;
	uint32_t stack = i < batch->samples.count ? batch->samples.at[i].stack : 0;

	if (stack >= tally->model->stacks.count)
		return;
	__builtin_prefetch(&tally->leaves[stack]);
	if (counts->at) {
		__builtin_prefetch(&counts->at[stack], 1);
		__builtin_prefetch(&counts->contexts[stack], 1);
	}
}

int tally_batch(struct tally *tally, const struct sample_batch *batch)
{
	if (!tally->profile->start_ns && batch->samples.count)
		begin_at(tally, batch->samples.at[0].time_ns);
	for (size_t i = 0; i < batch->samples.count; i++) {
		fetch_stack(tally, batch, i + TALLY_WAITING);
		tally->counters = batch->counters.at + i * batch->counter_count;
		tally->counter_count = batch->counter_count;
		if (take_sample(tally, &batch->samples.at[i]) < 0)
			return -ENOMEM;
	}
	tally->counter_count = 0;
	return count_waiting(tally);
}

int tally_rest(struct tally *tally)
{
	/* it is not known when threads ran without being sampled */
	bool has_rest = tally->metric && !tally->match.spans;
	const struct sample_batch *rest = has_rest ? metric_rest(tally->metric) : NULL;

	for (size_t i = 0; rest && i < rest->samples.count; i++) {
		struct sample sample = rest->samples.at[i];

		if (count_sample(tally, &sample, sample.event) < 0)
			return -ENOMEM;
	}
	return count_waiting(tally);
}

static int compare_late(const void *a, const void *b)
{
	int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

	return (left > right) - (left < right);
}

int64_t late_threshold(int32_t *late_ns, size_t count)
{
	if (count < LATE_SAMPLES_MIN)
		return LATE_THRESHOLD_DEFAULT_NS;
	qsort(late_ns, count, sizeof(*late_ns), compare_late);
	return late_ns[count - 1 - count / 100];
}
