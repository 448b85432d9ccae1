/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.bpf.c - turns ticks of a CPU into records in its ring
 *
 * sample_tick() runs in the interrupt of a perf event, when the event overflows. It replaces perf's
 * own sample. sample_point() runs when a tracepoint is hit (points.h). Both programs get the number
 * of the event as the cookie of their attachment.
 */
#include "bpf/kernel_types.h"
#include "bpf/clock_ticks.h"
#include "bpf/lives.h"
#include "bpf/maps.h"
#include "bpf/raw_stack.h"
#include "bpf/ring_order.h"
#include "bpf/stacks_sent.h"
#include "bpf/user_regs.h"
#include "bpf/walk.h"

char sampler_license[] SEC("license") = "GPL";

#define IDLE_FRAMES 3		/* only this many innermost frames are checked for idle code */

/* The state of one tick while it is processed. */
struct tick {
	struct wire_sample sample;
	struct wire_counters *counters;
	struct scratch *scratch;
	void *ring;
	uint64_t life;		/* life of the sampled process (lives.h); 0 for the idle task */
	/* 1: another program that writes to the same ring can interrupt this program */
	int is_interruptible;
};

static __always_inline int end(struct tick *tick, enum wire_reason reason)
{
	tick->counters->reasons[reason]++;
	return 0;
}

static __always_inline void lacks(struct tick *tick, enum wire_reason reason)
{
	tick->counters->reasons[reason]++;
}

static __always_inline int find_counters(struct tick *tick, uint64_t event)
{
	tick->counters = counters_of(event < WIRE_EVENTS_MAX ? (uint32_t)event
							     : WIRE_EVENTS_MAX - 1);
	if (tick->counters)
		tick->counters->ticks++;
	return tick->counters != NULL;
}

/* ---- the task ---- */

/* Sets tgid and tid. Returns false for tasks that have no pid in the collector's pid namespace. */
static __always_inline int identify(struct wire_sample *sample)
{
	uint64_t tgid_tid = bpf_get_current_pid_tgid();
	struct bpf_pidns_info here;

	if (namespace_ino && tgid_tid != 0) {
		if (bpf_get_ns_current_pid_tgid(namespace_dev, namespace_ino, &here, sizeof(here)))
			return 0;
		sample->tgid = here.tgid;
		sample->tid = here.pid;
		return 1;
	}
	sample->tgid = (uint32_t)(tgid_tid >> 32);
	sample->tid = (uint32_t)tgid_tid;
	return 1;
}

/* Returns WIRE_ENDS_COUNT if the sample is wanted, otherwise the reason why it is not wanted. */
static __always_inline enum wire_reason refusal(struct wire_sample *sample)
{
	if (!identify(sample))
		return WIRE_END_OTHER_NAMESPACE;
	if (own_tgid && sample->tgid == own_tgid)
		return WIRE_END_OWN_PROCESS;
	if (!all_tgids && !bpf_map_lookup_elem(&targets, &sample->tgid))
		return WIRE_END_NO_TARGET;
	if (only_user && (uint32_t)bpf_get_current_uid_gid() != wanted_uid)
		return WIRE_END_OTHER_USER;
	if (in_cgroup && bpf_current_task_under_cgroup(&cgroups, 0) != 1)
		return WIRE_END_OTHER_CGROUP;
	return WIRE_ENDS_COUNT;
}

/* ---- where the tick interrupted the task ---- */

static __always_inline void take_kernel_stack(void *context, struct tick *tick)
{
	struct scratch *scratch = tick->scratch;
	long size_bytes = bpf_get_stack(context, scratch->words,
					WIRE_KERNEL_FRAMES_MAX * sizeof(uint64_t), 0);

	if (size_bytes < (long)sizeof(uint64_t)) {
		scratch->words[0] = tick->sample.ip;
		size_bytes = sizeof(uint64_t);
		lacks(tick, WIRE_LACK_KERNEL_STACK);
	}
	scratch->user.kernel_count = (uint32_t)size_bytes / sizeof(uint64_t);
	bpf_loop(scratch->user.kernel_count, hash_kernel_frame, &scratch, 0);
}

/*
 * Reads the kernel part of the stack, and the registers with which the walk of the user part
 * begins. Sets the bits WIRE_IN_KERNEL, WIRE_IN_IDLE and WIRE_HAS_USER of sample.flags.
 */
static __always_inline void take_place(void *context, const struct unwind_regs *regs,
				       struct tick *tick)
{
	struct user_part *user = &tick->scratch->user;

	if (tick->sample.tid != 0)
		tick->life = life_of_current();
	begin_stack(tick->scratch, tick->sample.tgid, tick->life);
	/* The tick was in user mode. There ip may be 0, after a jump to address 0. */
	if ((int64_t)regs->ip >= 0) {
		tick->sample.flags = WIRE_HAS_USER;
		user->regs = *regs;
		return;
	}
	tick->sample.flags = WIRE_IN_KERNEL;
	take_kernel_stack(context, tick);
	if (tick->sample.tid == 0)
		tick->sample.flags |= WIRE_IN_IDLE;
	else if (user_regs_of_task(&user->regs))
		tick->sample.flags |= WIRE_HAS_USER;
}

static __always_inline void take_width(struct tick *tick)
{
	if (!(tick->sample.flags & WIRE_HAS_USER) || !task_is_32bit())
		return;
	tick->sample.flags |= WIRE_32BIT;
	tick->scratch->user.regs.is_32bit = 1;
}

/*
 * Returns true if the CPU is idle. It is not enough that the idle task is current, because it is
 * also current during interrupts that arrive while no other task runs. The innermost frame is not
 * enough, either. The code that halts the CPU may be outside of the kernel's idle code (for example
 * code for a hypervisor). But idle code has called it, so the innermost IDLE_FRAMES frames are
 * checked.
 */
static __always_inline int is_idle(const struct tick *tick)
{
	const uint64_t *words = tick->scratch->words;

	if (tick->sample.tid != 0 || keep_idle)
		return 0;
	for (uint32_t i = 0; i < IDLE_FRAMES && i < tick->scratch->user.kernel_count; i++)
		if (words[i] >= idle_start_addr && words[i] < idle_end_addr)
			return 1;
	return 0;
}

/* ---- records ---- */

/*
 * Copies a record to the ring. If no other program can interrupt this one, uses
 * bpf_ringbuf_output(), which is faster. Otherwise uses ring_put(), which keeps the records in time
 * order.
 */
static __always_inline int put(const struct tick *tick, void *record, uint32_t size_bytes,
			       uint64_t flags)
{
	return tick->is_interruptible
		       ? ring_put(tick->ring, record, size_bytes, flags)
		       : bpf_ringbuf_output(tick->ring, record, size_bytes, flags) == 0;
}

static __always_inline int send_sample(struct tick *tick)
{
	struct wire_sample *record = tick->is_interruptible
					     ? ring_reserve(tick->ring, sizeof(*record),
							    &tick->sample.time_ns)
					     : bpf_ringbuf_reserve(tick->ring, sizeof(*record), 0);

	if (!record)
		return end(tick, WIRE_END_RING_FULL);
	*record = tick->sample;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return end(tick, WIRE_END_SENT);
}

/*
 * Sends the stack of a sample. If the ring has no room for the stack, counts WIRE_LACK_STACK_ROOM.
 * The caller then sends the sample without its stack.
 */
static __always_inline void send_stack(struct tick *tick)
{
	struct scratch *scratch = tick->scratch;

	describe_stack(scratch, tick->sample.stack, tick->sample.tgid);
	scratch->stack.time_ns = tick->sample.time_ns;
	scratch->stack.tid = tick->sample.tid;
	scratch->stack.life = tick->life;
	take_owner(&scratch->stack.owner);
	if (put(tick, &scratch->stack, stack_bytes(&scratch->user), wakeup_flag(tick->ring)))
		stack_set_sent(tick->sample.stack, scratch->stack.time_ns);
	else
		lacks(tick, WIRE_LACK_STACK_ROOM);
}

/*
 * Sends the stack, as far as it was walked, unless the collector already has it. Then sends the
 * sample, which refers to the stack by its hash.
 */
static __always_inline int send_named(struct tick *tick)
{
	const struct user_part *user = &tick->scratch->user;

	tick->sample.stack = hash_of_stack(user);
	if (!stack_was_sent(tick->sample.stack, tick->sample.time_ns))
		send_stack(tick);
	return send_sample(tick);
}

/* ---- raw samples: with a copy of the stack's memory ---- */

/*
 * Writes the sample and a copy of its stack's memory to the ring as one record. Returns false if
 * the record was not written, usually because the ring is full.
 */
static __always_inline int put_raw(struct tick *tick, uint32_t most_bytes)
{
	struct raw_record *record = raw_record_of_this_cpu(RAW_OF_TICK);
	uint32_t size_bytes;

	if (!record)
		return 0;
	size_bytes = make_raw(record, tick->scratch, &tick->sample, tick->life, most_bytes);
	if (record->raw.size_bytes == 0)
		lacks(tick, WIRE_LACK_USER_STACK);
	return size_bytes &&
	       put(tick, record, size_bytes, raw_wakeup_flag(tick->ring, tick->sample.time_ns));
}

/*
 * Sends a raw sample. The collector will walk its user part. If the record cannot be written,
 * returns false and discards the user frames that were already walked.
 */
static __always_inline int send_raw(struct tick *tick, uint32_t most_bytes)
{
	if (put_raw(tick, most_bytes))
		return 1;
	forget_user_part(tick->scratch);
	return 0;
}

static __always_inline int walk_here(struct tick *tick)
{
	if (no_user_stacks || !(tick->sample.flags & WIRE_HAS_USER))
		return 1;
	return walk_user_if_known(tick->scratch, tick->sample.tgid, tick->life);
}

/*
 * Sends the sample. If the collector should walk the user part, sends a raw sample. If that fails,
 * sends the frames that are known. `stop` is then UNWIND_STOP_NOT, because the real stack has more
 * frames.
 */
static __always_inline int send(struct tick *tick)
{
	uint32_t most_bytes;

	if (walk_here(tick))
		return send_named(tick);
	most_bytes = most_raw_bytes(tick->ring);
	if (most_bytes > 0 && send_raw(tick, most_bytes))
		return end(tick, WIRE_END_SENT_RAW);
	lacks(tick, WIRE_LACK_RAW_ROOM);
	tick->scratch->user.stop = UNWIND_STOP_NOT;
	return send_named(tick);
}

/* ---- the program ---- */

static __always_inline uint32_t clamped(uint64_t period)
{
	return period < UINT32_MAX ? (uint32_t)period : UINT32_MAX;
}

static __always_inline int find_ring(struct tick *tick)
{
	tick->ring = ring_of_this_cpu();
	return tick->ring != NULL;
}

static __always_inline int find_scratch(struct tick *tick)
{
	uint32_t zero = 0;

	tick->scratch = bpf_map_lookup_elem(&scratches, &zero);
	return tick->scratch != NULL;
}

SEC("perf_event")
int sample_tick(struct bpf_perf_event_data *context)
{
	uint64_t event = bpf_get_attach_cookie(context);
	struct tick tick = {
		.sample = {
			.time_ns = bpf_ktime_get_ns(),
			.kind = WIRE_SAMPLE,
			.event = (uint8_t)event,
			.period = clamped(context->sample_period),
		},
	};
	struct unwind_regs regs = { 0 };
	enum wire_reason refused;

	note_tick(event);
	if (!find_counters(&tick, event))
		return 0;
	user_regs_of_context(context, &regs);
	tick.sample.ip = regs.ip;
	refused = refusal(&tick.sample);
	if (refused != WIRE_ENDS_COUNT)
		return end(&tick, refused);
	if (!find_ring(&tick))
		return end(&tick, WIRE_END_RING_MISSING);
	if (!find_scratch(&tick))
		return end(&tick, WIRE_END_SCRATCH_MISSING);
	take_place(context, &regs, &tick);
	if (is_idle(&tick))
		return end(&tick, WIRE_END_IDLE);
	take_width(&tick);
	return send(&tick);
}

#include "bpf/points.h"

#include "bpf/off_cpu.h"
