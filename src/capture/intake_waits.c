/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/intake-private.h"

#include <errno.h>

#include "capture/waits.h"

/* A sample in the kernel, of which the sampler has sent only the stack. */
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

static uint32_t place_stack(struct intake *intake, struct live_thread *thread,
			    const struct perf_record *record, enum context *ret_context)
{
	const uint64_t *kernel_addrs = NULL;
	size_t kernel_count = 0;
	struct record_stack sent;
	uint32_t stack;

	if (!record->sample.walk_hash)
		return STACK_ROOT_NONE;
	stack = chain_stack(intake->chains, thread, record, intake->want_user_stack, &kernel_addrs,
			    &kernel_count);
	*ret_context = intake_context(intake, record, thread, kernel_addrs, kernel_count);
	if (sent_stacks_find(chains_sent_stacks(intake->chains), record->sample.walk_hash, &sent))
		bpf_collector_missed(intake->collector, thread->process, &sent, record->time_ns);
	return stack;
}

/*
 * A waker's stack was taken when it woke the other, maybe long ago: who has its tgid now may be
 * another life.  One whose user part was sent would have been learnt, if nothing came since.
 */
static bool is_past(const struct intake *intake, const struct live_process *process,
		    const struct perf_record *record)
{
	struct record_stack sent;

	if (!sent_stacks_find(chains_sent_stacks(intake->chains), record->sample.walk_hash, &sent))
		return false;
	return sent.life != process->life && (process->life || sent.user_count > 0);
}

/* Nothing is to be said of those who were not asked for. -ENOMEM, also for no thread. */
static int fill_place(struct intake *intake, struct live_thread *thread,
		      const struct perf_record *record, struct wait_place *ret_place)
{
	if (!thread)
		return -ENOMEM;
	if (!intake_is_wanted(intake, thread))
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
	return fill_place(intake, intake_thread(intake, record), record, ret_place);
}

static int append(struct sample_batch *batch, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct sample *slot = vec_push(&batch->samples);

		if (!slot)
			return -ENOMEM;
		*slot = samples[i];
	}
	return 0;
}

int intake_wait(struct intake *intake, const struct source *source,
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
	if (rc == 0 && waker->stack) {
		place = place_record(record, waker->tgid, waker->tid, waker->stack);
		rc = find_waker(intake, &place, &places.waker);
	}
	if (rc < 0)
		return rc;
	return append(batch, samples,
		      waits_samples(record, &places, intake->first_wait_event, samples));
}
