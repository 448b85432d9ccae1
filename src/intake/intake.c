/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/intake.h"

#include <errno.h>
#include <inttypes.h>

#include "base/hash.h"
#include "intake/waits.h"
#include "process/kernel_images.h"

void intake_fini(struct intake *intake)
{
	last_counters_fini(&intake->last_counters);
	copied_stacks_fini(&intake->copied_stacks);
	vec_free(&intake->events);
}

void intake_forget_stacks(struct intake *intake)
{
	model_forget_stacks(intake->model);
	chains_forget_stacks(intake->chains);
	copied_stacks_fini(&intake->copied_stacks);
}

static bool is_wanted(const struct intake *intake, const struct live_thread *thread)
{
	size_t low = 0, high = intake->only_tid_count;

	if (intake->self_tgid && thread->process->tgid == intake->self_tgid)
		return false;
	if (!thread->process->is_target || !intake->only_tids)
		return thread->process->is_target;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (intake->only_tids[middle] == thread->tid)
			return true;
		if (intake->only_tids[middle] < thread->tid)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/*
 * Appends to the batch how much each counter has increased since the previous sample of the same
 * event, of the same thread if the events are per task, else of the same CPU. If there was no such
 * sample, the counters began at zero.
 */
static int add_counters(struct intake *intake, const struct perf_record *record,
			const struct live_thread *thread, struct sample_batch *batch)
{
	bool per_thread = intake->counters_per_thread, is_known;
	uint64_t who = per_thread ? hash_pair(thread->tid, thread->start_ns) : 0;
	uint64_t *last = last_counters_of(&intake->last_counters, intake->counter_count,
					  hash_pair(record->id, who),
					  per_thread ? thread->start_ns : UINT64_MAX,
					  record->time_ns, &is_known);

	if (!last)
		return -ENOMEM;
	if (!is_known)
		loss_add(&intake->model->losses, LOSS_MEMORY, 1);
	for (size_t i = 0; i < intake->counter_count; i++) {
		uint64_t now = i < record->sample.counter_count ? record->sample.counters[i] : 0;
		uint64_t *slot = vec_push(&batch->counters);

		if (!slot)
			return -ENOMEM;
		*slot = is_known && now > last[i] ? now - last[i] : 0;
		last[i] = now;
	}
	return 0;
}

static int add_fields(const struct intake *intake, const struct record_sample *sample,
		      struct sample_batch *batch)
{
	for (size_t i = 0; i < intake->field_count; i++) {
		uint64_t *slot = vec_push(&batch->counters);

		if (!slot)
			return -ENOMEM;
		*slot = sample->fields[intake->fields[i]];
	}
	return 0;
}

/* Appends the amounts of a single span, as far as the model has them; of other samples, zeros. */
static int add_amounts(const struct intake *intake, const struct wire_span *span,
		       struct sample_batch *batch)
{
	if (!intake->span_amount_count)
		return 0;
	batch->counter_count = (uint32_t)intake->span_amount_count;
	for (size_t i = 0; i < intake->span_amount_count; i++) {
		uint64_t *slot = vec_push(&batch->counters);

		if (!slot)
			return -ENOMEM;
		*slot = span ? span->amounts[intake->span_amounts[i] % WIRE_SPAN_AMOUNTS] : 0;
	}
	return 0;
}

/* Appends one value of each counter of the model. */
static int add_columns(struct intake *intake, const struct perf_record *record,
		       const struct live_thread *thread, struct sample_batch *batch)
{
	if (!intake->counter_count && !intake->field_count)
		return add_amounts(intake, NULL, batch);
	batch->counter_count = (uint32_t)(intake->counter_count + intake->field_count);
	if (intake->counter_count && add_counters(intake, record, thread, batch) < 0)
		return -ENOMEM;
	return add_fields(intake, &record->sample, batch);
}

static uint64_t life_of(const struct intake *intake, const struct record_sample *sample)
{
	struct copied_stack copied;

	if (!sample->walk_hash)
		return sample->life;
	if (copied_stacks_find(&intake->copied_stacks, sample->walk_hash, &copied))
		return copied.life;
	return sent_stacks_life(chains_sent_stacks(intake->chains), sample->walk_hash);
}

static enum context context_of(const struct intake *intake, const struct perf_record *record,
			       const struct live_thread *thread, const uint64_t *kernel_addrs,
			       size_t kernel_count)
{
	if (!record->kernel_mode)
		return CONTEXT_USER;
	if (kernel_count == 0) {
		kernel_addrs = &record->sample.addr;
		kernel_count = 1;
	}
	return context_of_chain(intake->kernel_text, kernel_addrs, kernel_count,
				thread->process->kernel_thread, tracker_is_idle(thread));
}

static int32_t lateness(const struct intake *intake, const struct intake_source *source,
			uint32_t event, const struct perf_record *record)
{
	struct cpu_ledger *ledger;

	if (!intake->events.at[event].has_ticks)
		return LATE_UNKNOWN;
	ledger = event == 0 && intake->counts_ticks
			 ? ledger_cpu(&intake->model->ledger, source->cpu)
			 : NULL;
	if (ledger)
		ledger->sample_count++;
	return ticks_late(&source->ticks[event], record->time_ns);
}

uint64_t intake_weight(const struct intake_event *event, struct ticks *ticks,
		       const struct perf_record *record)
{
	if (event->is_clock)
		return ticks_period(ticks, record->time_ns);
	return record->sample.period ? record->sample.period : event->period;
}

/* Finds the sampled event to which the record belongs. Returns false if there is none. */
static bool find_event(const struct intake *intake, const struct perf_record *record,
		       uint32_t *ret_event)
{
	if (!record->sample.by_sampler)
		return u64map_get(intake->ids, record->id, ret_event) &&
		       *ret_event < intake->events.count;
	*ret_event = (uint32_t)record->id;
	return record->id < intake->events.count;
}

/*
 * Tells the tracker and the listener to which process a record belongs. Must be called for records
 * of stacks as well as samples, because the first record of a newly started program can be a stack.
 */
static int meet(struct intake *intake, const struct perf_record *record, uint64_t life,
		const struct record_owner *owner)
{
	int rc = tracker_meet(intake->tracker, &(struct sighting){ record->tgid, record->tid,
								   record->time_ns, life, owner });

	if (rc < 0)
		return rc;
	if (intake->listener.heard)
		intake->listener.heard(intake->listener.context, record->tgid, owner);
	return 0;
}

static int take_stack(struct intake *intake, const struct perf_record *record)
{
	struct sent_stacks *sent = chains_sent_stacks(intake->chains);
	int rc;

	sent_stacks_advance(sent, record->time_ns);
	rc = meet(intake, record, record->stack.life, &record->stack.owner);
	if (rc < 0)
		return rc;
	rc = sent_stacks_keep(sent, &record->stack);
	/* -ENOSPC: the store is full. Samples that refer to this stack will have no stack. */
	return rc == -ENOSPC ? 0 : rc;
}

static struct live_thread *sampler_thread(struct intake *intake, const struct perf_record *record)
{
	struct live_thread *thread = tracker_thread_of(intake->tracker, record,
						       life_of(intake, &record->sample));

	if (thread && intake->sampler_filters)
		thread->process->is_target = true;
	return thread;
}

static struct live_thread *find_thread(struct intake *intake, const struct perf_record *record)
{
	const struct record_sample *sample = &record->sample;

	if (!sample->by_sampler)
		return tracker_thread_of(intake->tracker, record, 0);
	if (!sample->walk_hash && meet(intake, record, sample->life, &sample->owner) < 0)
		return NULL;
	return sampler_thread(intake, record);
}

static void saw(const struct intake *intake, struct live_process *process,
		const struct perf_record *record)
{
	if (intake->listener.saw)
		intake->listener.saw(intake->listener.context, process, record);
}

/* Takes the copied stack of a wait, which arrives later. */
static int take_copy(struct intake *intake, const struct perf_record *record)
{
	struct copied_stack copied = { .life = record->sample.life };
	const uint64_t *kernel_addrs = NULL;
	size_t kernel_count = 0;
	struct live_thread *thread;

	sent_stacks_advance(chains_sent_stacks(intake->chains), record->time_ns);
	thread = find_thread(intake, record);
	if (!thread)
		return -ENOMEM;
	if (!is_wanted(intake, thread))
		return 0;
	copied.stack = chain_stack(intake->chains, thread, record, intake->want_user_stack,
				   &kernel_addrs, &kernel_count);
	copied.context = context_of(intake, record, thread, kernel_addrs, kernel_count);
	saw(intake, thread->process, record);
	return copied_stacks_keep(&intake->copied_stacks, record->sample.copy_hash, &copied);
}

static int take_sample(struct intake *intake, const struct intake_source *source,
		       const struct perf_record *record, struct sample_batch *batch)
{
	struct sample sample = {
		.time_ns = record->time_ns,
		.cpu = (uint16_t)source->cpu,
	};
	const uint64_t *kernel_addrs = NULL;
	size_t kernel_count = 0;
	struct live_thread *thread;
	struct sample *slot;
	uint32_t event = 0;

	if (!find_event(intake, record, &event)) {
		loss_add(&intake->model->losses, LOSS_RECORD_MALFORMED, 1);
		return 0;
	}
	if (source->ticks)
		source->ticks[event].seen++;
	if (record->sample.by_sampler)
		sent_stacks_advance(chains_sent_stacks(intake->chains), record->time_ns);
	sample.event = (uint8_t)event;
	sample.weight = intake_weight(&intake->events.at[event],
				      source->ticks ? &source->ticks[event] : NULL, record);
	sample.late_ns = lateness(intake, source, event, record);
	thread = find_thread(intake, record);
	if (!thread)
		return -ENOMEM;
	if (!is_wanted(intake, thread))
		return 0;
	sample.stack = chain_stack(intake->chains, thread, record, intake->want_user_stack,
				   &kernel_addrs, &kernel_count);
	intake->count_32bit += intake->want_user_stack && record->sample.regs_bits == 32;
	sample.context = (uint8_t)context_of(intake, record, thread, kernel_addrs, kernel_count);
	if (source->ticks && sample.context == CONTEXT_IDLE)
		source->ticks[event].seen_idle++;
	sample.thread = tracker_model_thread(intake->tracker, thread);
	saw(intake, thread->process, record);
	slot = vec_push(&batch->samples);
	if (!slot || !sample.thread)
		return -ENOMEM;
	*slot = sample;
	return add_columns(intake, record, thread, batch);
}

/* ---- waits ---- */

/*
 * Returns a sample record for the task or the waker of a wait, so that the code for samples can
 * handle the stack. @hash is the hash of that stack, which is all that a wait record contains about
 * it. The sample counts as taken in kernel mode.
 */
static struct perf_record place_record(const struct perf_record *wait, uint32_t tgid, uint32_t tid,
				       uint64_t hash)
{
	return (struct perf_record){
		.kind = RECORD_SAMPLE,
		.tgid = tgid,
		.tid = tid,
		.cpu = wait->cpu,
		.time_ns = wait->time_ns,
		.kernel_mode = true,
		.sample = {
			.by_sampler = true,
			.has_user = true,
			.walk_hash = hash,
			.regs_bits = 64,
		},
	};
}

static void missed(const struct intake *intake, struct live_process *process,
		   const struct record_stack *stack, uint64_t time_ns)
{
	const struct intake_listener *listener = &intake->listener;

	if (listener->missed)
		listener->missed(listener->context, process, stack, time_ns);
}

static uint32_t place_stack(struct intake *intake, struct live_thread *thread,
			    const struct perf_record *record, enum context *ret_context)
{
	const uint64_t *kernel_addrs = NULL;
	size_t kernel_count = 0;
	struct copied_stack copied;
	struct record_stack sent;
	uint32_t stack;

	if (!record->sample.walk_hash)
		return STACK_ROOT_NONE;
	if (copied_stacks_find(&intake->copied_stacks, record->sample.walk_hash, &copied)) {
		*ret_context = copied.context;
		return copied.stack;
	}
	stack = chain_stack(intake->chains, thread, record, intake->want_user_stack, &kernel_addrs,
			    &kernel_count);
	*ret_context = context_of(intake, record, thread, kernel_addrs, kernel_count);
	if (sent_stacks_find(chains_sent_stacks(intake->chains), record->sample.walk_hash, &sent))
		missed(intake, thread->process, &sent, record->time_ns);
	return stack;
}

/*
 * Returns true if the stack belongs to a program that ran under this tgid earlier, and not to the
 * current one. This can happen for a waker: its stack was taken when it woke the other thread,
 * maybe long ago, and the waker may have exited since. Each program has a number (its life, see
 * bpf/wire.h). A stack with a user part tells the tracker the number of its program. If the tracker
 * nevertheless does not know the number of the process, the process was created after the stack was
 * taken.
 */
static bool is_past(const struct intake *intake, const struct live_process *process,
		    const struct perf_record *record)
{
	struct copied_stack copied;
	struct record_stack sent;

	if (copied_stacks_find(&intake->copied_stacks, record->sample.walk_hash, &copied))
		return copied.life != process->life;
	if (!sent_stacks_find(chains_sent_stacks(intake->chains), record->sample.walk_hash, &sent))
		return false;
	return sent.life != process->life && (process->life || sent.user_count > 0);
}

/*
 * Fills in the thread and its stack. If the user did not request the thread, leaves *@ret_place
 * unchanged. Returns -ENOMEM if out of memory, which is also assumed if @thread is NULL.
 */
static int fill_place(struct intake *intake, struct live_thread *thread,
		      const struct perf_record *record, struct wait_place *ret_place)
{
	if (!thread)
		return -ENOMEM;
	if (!is_wanted(intake, thread))
		return 0;
	ret_place->stack = place_stack(intake, thread, record, &ret_place->context);
	ret_place->thread = tracker_model_thread(intake->tracker, thread);
	return ret_place->thread ? 0 : -ENOMEM;
}

static int find_waker(struct intake *intake, const struct perf_record *record,
		      struct wait_place *ret_place)
{
	struct live_thread *thread = tracker_thread_of(intake->tracker, record, 0);

	if (thread && is_past(intake, thread->process, record)) {
		loss_add(&intake->model->losses, LOSS_PROCESS_UNVERIFIED, 1);
		return 0;
	}
	return fill_place(intake, thread, record, ret_place);
}

static int find_place(struct intake *intake, const struct perf_record *record,
		      struct wait_place *ret_place)
{
	return fill_place(intake, sampler_thread(intake, record), record, ret_place);
}

static int append(const struct intake *intake, struct sample_batch *batch,
		  const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct sample *slot = vec_push(&batch->samples);

		if (!slot)
			return -ENOMEM;
		*slot = samples[i];
		if (add_amounts(intake, NULL, batch) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int take_wait(struct intake *intake, const struct intake_source *source,
		     const struct perf_record *record, struct sample_batch *batch)
{
	const struct wire_wait *wait = &record->wait.wait;
	const struct wire_waker *waker = &record->wait.waker;
	const struct wait_place none = { .stack = STACK_ROOT_NONE, .context = CONTEXT_KERNEL };
	struct wait_places places = { .cpu = (uint16_t)source->cpu, .task = none, .waker = none };
	struct perf_record place = place_record(record, wait->tgid, wait->tid, wait->stack);
	struct sample samples[WAITS_SAMPLES_MAX];
	int rc;

	sent_stacks_advance(chains_sent_stacks(intake->chains), record->time_ns);
	rc = find_place(intake, &place, &places.task);
	if (rc < 0)
		return rc;
	if (waker->stack) {
		place = place_record(record, waker->tgid, waker->tid, waker->stack);
		rc = find_waker(intake, &place, &places.waker);
		if (rc < 0)
			return rc;
	}
	return append(intake, batch, samples,
		      waits_samples(record, &places, intake->first_wait_event, samples));
}

/* ---- spans ---- */

static enum context context_of_span(const struct event *event)
{
	return event->config == SPAN_FUNCTION	   ? CONTEXT_USER
	       : event->config == SPAN_SYSTEM_CALL ? CONTEXT_SYSCALL
						   : CONTEXT_KERNEL;
}

static int take_span(struct intake *intake, const struct intake_source *source,
		     const struct perf_record *record, struct sample_batch *batch)
{
	struct live_thread *thread;
	struct sample *sample;
	uint32_t event = intake->span_event(intake->span_context, record->span.span);

	if (event == SPAN_NO_EVENT)	/* the totals count it as lost */
		return 0;
	thread = tracker_thread_of(intake->tracker, record, 0);
	if (!thread)
		return -ENOMEM;
	if (!is_wanted(intake, thread))
		return 0;
	sample = vec_push(&batch->samples);
	if (!sample)
		return -ENOMEM;
	*sample = (struct sample){
		.time_ns = record->time_ns,
		.weight = record->span.ns,
		.thread = tracker_model_thread(intake->tracker, thread),
		.stack = STACK_ROOT_NONE,
		.late_ns = record->span.other_ns < INT32_MAX ? (int32_t)record->span.other_ns
							     : INT32_MAX,
		.cpu = (uint16_t)source->cpu,
		.event = (uint8_t)event,
		.context = (uint8_t)context_of_span(&intake->model->events.at[event]),
	};
	return sample->thread ? add_amounts(intake, &record->span, batch) : -ENOMEM;
}

/* ---- records ---- */

int intake_record(struct intake *intake, const struct intake_source *source,
		  const struct perf_record *record, struct sample_batch *batch)
{
	struct losses *losses = &intake->model->losses;
	uint32_t event;

	switch (record->kind) {
	case RECORD_SAMPLE:
		return record->sample.copy_hash ? take_copy(intake, record)
						: take_sample(intake, source, record, batch);
	case RECORD_STACK:
		return take_stack(intake, record);
	case RECORD_WAIT:
		return take_wait(intake, source, record, batch);
	case RECORD_SPAN:
		return take_span(intake, source, record, batch);
	case RECORD_LOST:
		if (record->lost.samples)
			loss_add(losses, LOSS_SAMPLE_KERNEL_DROPPED, record->lost.count);
		if (record->lost.process_events)
			tracker_distrust(intake->tracker, record->time_ns, record->lost.until_ns);
		return 0;
	case RECORD_THROTTLE:
		loss_add(losses, LOSS_THROTTLED, 1);
		return 0;
	case RECORD_KSYMBOL:
		kernel_images_apply(intake->kernel_images, record);
		return 0;
	case RECORD_COMM:
	case RECORD_EXIT:
		if (intake->listener.left && record->tid == record->tgid &&
		    (record->exec || record->kind == RECORD_EXIT))
			intake->listener.left(intake->listener.context, record->tgid);
		return tracker_apply(intake->tracker, record);
	case RECORD_FORK:
		intake->fork_count++;
		return tracker_apply(intake->tracker, record);
	case RECORD_MMAP:
		return tracker_apply(intake->tracker, record);
	/*
	 * the kernel restarts the timer after throttling, so the phase of its ticks is unknown
	 * again
	 */
	case RECORD_UNTHROTTLE:
		if (source->ticks && u64map_get(intake->ids, record->id, &event))
			source->ticks[event].base_ns = 0;
		return 0;
	default:
		return 0;
	}
}

void intake_account(const struct intake *intake)
{
	if (intake->count_32bit)
		model_fact_set_u64(intake->model, FACT_WALKED_32BIT, intake->count_32bit);
}
