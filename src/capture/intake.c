/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/intake-private.h"

#include <inttypes.h>

#include "base/hash.h"
#include "capture/kernel_images.h"

void intake_fini(struct intake *intake)
{
	u64map_fini(&intake->last_index);
	vec_free(&intake->last_counters);
}

bool intake_is_wanted(const struct intake *intake, const struct live_thread *thread)
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
 * Where the counter values of this event at its previous sample stand: zeros before the first,
 * as the kernel's.  Per-task events count for each thread, CPU-wide ones for the CPU.
 */
static uint64_t *last_values(struct intake *intake, const struct perf_record *record,
			     const struct live_thread *thread)
{
	size_t width = intake->plan->counter_count, row_count = intake->last_counters.count / width;
	uint64_t who = intake->plan->per_task ? hash_pair(thread->tid, thread->start_ns) : 0;
	uint64_t key = hash_pair(record->id, who);
	uint32_t row;

	if (u64map_get(&intake->last_index, key, &row))
		return intake->last_counters.at + (size_t)row * width;
	if (vec_reserve(&intake->last_counters, intake->last_counters.count + width) < 0 ||
	    u64map_put(&intake->last_index, key, (uint32_t)row_count) < 0)
		return NULL;
	intake->last_counters.count += width;
	return memset(intake->last_counters.at + row_count * width, 0, width * sizeof(uint64_t));
}

/* What the counters advanced by since the previous sample. */
static int add_counters(struct intake *intake, const struct perf_record *record,
			const struct live_thread *thread, struct sample_batch *batch)
{
	uint64_t *last = last_values(intake, record, thread);

	if (!last)
		return -ENOMEM;
	batch->counter_count = (uint32_t)intake->plan->counter_count;
	for (size_t i = 0; i < intake->plan->counter_count; i++) {
		uint64_t now = i < record->sample.counter_count ? record->sample.counters[i] : 0;
		uint64_t *slot = vec_push(&batch->counters);

		if (!slot)
			return -ENOMEM;
		*slot = now > last[i] ? now - last[i] : 0;
		last[i] = now;
	}
	return 0;
}

uint64_t intake_life(const struct intake *intake, const struct record_sample *sample)
{
	if (!sample->walk_hash)
		return sample->life;
	return sent_stacks_life(chains_sent_stacks(intake->chains), sample->walk_hash);
}

enum context intake_context(const struct intake *intake, const struct perf_record *record,
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

static int32_t lateness(const struct intake *intake, struct source *source, uint32_t event,
			const struct perf_record *record)
{
	struct cpu_ledger *ledger;

	if (!event_plan_has_ticks(intake->plan, event))
		return LATE_UNKNOWN;
	ledger = event == 0 && !intake->collector ? ledger_cpu(&intake->model->ledger, source->cpu)
						  : NULL;
	if (ledger)
		ledger->sample_count++;
	return ticks_late(&source->ticks[event], record->time_ns);
}

/* Which event of the plan has written the record; false: none. */
static bool find_event(const struct intake *intake, const struct perf_record *record,
		       uint32_t *ret_event)
{
	if (!record->sample.by_sampler)
		return u64map_get(intake->ids, record->id, ret_event);
	*ret_event = (uint32_t)record->id;
	return record->id < intake->plan->sampled_count;
}

/* A stack is the first that is heard of its life. */
static int meet(struct intake *intake, const struct perf_record *record, uint64_t life,
		const struct record_owner *owner)
{
	int rc = tracker_meet(intake->tracker, &(struct sighting){ record->tgid, record->tid,
								   record->time_ns, life, owner });

	if (rc == 0 && intake->collector)
		bpf_collector_heard(intake->collector, record->tgid, owner);
	return rc;
}

static int take_stack(struct intake *intake, const struct perf_record *record)
{
	struct sent_stacks *sent = chains_sent_stacks(intake->chains);
	int rc;

	sent_stacks_advance(sent, record->time_ns);
	rc = meet(intake, record, record->stack.life, &record->stack.owner);
	if (rc == 0)
		rc = sent_stacks_keep(sent, &record->stack);
	return rc == -ENOSPC ? 0 : rc;	/* its samples will miss it */
}

struct live_thread *intake_thread(struct intake *intake, const struct perf_record *record)
{
	struct live_thread *thread = tracker_thread_of(intake->tracker, record,
						       intake_life(intake, &record->sample));

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
	return intake_thread(intake, record);
}

static int take_sample(struct intake *intake, struct source *source,
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
	if (record->sample.by_sampler)
		sent_stacks_advance(chains_sent_stacks(intake->chains), record->time_ns);
	sample.event = (uint8_t)event;
	sample.weight = source_weight(source, intake->plan, event, record);
	sample.late_ns = lateness(intake, source, event, record);
	thread = find_thread(intake, record);
	if (!thread)
		return -ENOMEM;
	if (!intake_is_wanted(intake, thread))
		return 0;
	sample.stack = chain_stack(intake->chains, thread, record, intake->want_user_stack,
				   &kernel_addrs, &kernel_count);
	intake->count_32bit += intake->want_user_stack && record->sample.regs_bits == 32;
	sample.context = (uint8_t)intake_context(intake, record, thread, kernel_addrs,
						 kernel_count);
	sample.thread = tracker_model_thread(intake->tracker, thread);
	if (intake->collector)
		bpf_collector_saw(intake->collector, thread->process, record);
	slot = vec_push(&batch->samples);
	if (!slot || !sample.thread)
		return -ENOMEM;
	*slot = sample;
	return intake->plan->counter_count ? add_counters(intake, record, thread, batch) : 0;
}

int intake_record(struct intake *intake, struct source *source, struct stream *stream,
		  struct sample_batch *batch)
{
	const struct perf_record *record = &stream->record;
	struct losses *losses = &intake->model->losses;
	uint32_t event;

	switch (record->kind) {
	case RECORD_SAMPLE:
		return take_sample(intake, source, record, batch);
	case RECORD_STACK:
		return take_stack(intake, record);
	case RECORD_WAIT:
		return intake_wait(intake, source, record, batch);
	case RECORD_LOST:
		if (record->lost.samples)
			loss_add(losses, LOSS_SAMPLE_KERNEL_DROPPED, record->lost.count);
		else
			stream->lost += record->lost.count;
		if (stream->sideband)
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
		if (intake->collector && record->tid == record->tgid &&
		    (record->exec || record->kind == RECORD_EXIT))
			bpf_collector_left(intake->collector, record->tgid);
		return tracker_apply(intake->tracker, record);
	case RECORD_MMAP:
	case RECORD_FORK:
		return tracker_apply(intake->tracker, record);
	case RECORD_UNTHROTTLE:	/* the timer starts anew, and with it the phase */
		if (u64map_get(intake->ids, record->id, &event))
			source->ticks[event].base_ns = 0;
		return 0;
	default:
		return 0;
	}
}

void intake_account(const struct intake *intake)
{
	if (intake->count_32bit)
		model_fact_set(intake->model, "walked_32bit", "%" PRIu64, intake->count_32bit);
}
