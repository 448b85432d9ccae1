/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_stack.h - stacks whose user part the collector must walk
 *
 * walk_user_if_known() walks a stack if everything that the walk needs is known here. If it is not,
 * the registers and a copy of the stack's memory are sent (WIRE_RAW), and the collector walks the
 * copy. So no stack is lost because its process is new.
 */
#ifndef ASSAY_BPF_RAW_STACK_H
#define ASSAY_BPF_RAW_STACK_H

#include "bpf/lives.h"
#include "bpf/stack_copy.h"
#include "bpf/walk.h"

#define RAW_WAKEUP_NS 25000000ull

/*
 * Returns the wakeup flag for a large record. Small records never wake the collector, because only
 * large records can fill a ring before the collector's next regular drain.
 */
static __always_inline uint64_t wakeup_flag(void *ring)
{
	return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP
									  : BPF_RB_NO_WAKEUP;
}

/*
 * Returns the wakeup flag for a raw record. The stacks of a process are sent raw until the
 * collector has added the process to `processes`. To do so, the collector must read files of /proc
 * while the process is alive, so a raw record wakes it at once. Unless the ring fills up, raw
 * records wake the collector at most once in RAW_WAKEUP_NS, so that a thousand short-lived
 * processes do not cause a thousand wakeups.
 */
static __always_inline uint64_t raw_wakeup_flag(void *ring, uint64_t time_ns)
{
	if (time_ns - raw_woken_ns < RAW_WAKEUP_NS)
		return wakeup_flag(ring);
	raw_woken_ns = time_ns;
	return BPF_RB_FORCE_WAKEUP;
}

/*
 * Returns the maximum number of bytes to copy from a stack; 0: copy none and send no raw record.
 * The fuller the ring is, the fewer bytes are copied. There are two reasons: many incomplete stacks
 * are worth more than a few complete ones, and some space must be left for small records.
 */
static __always_inline uint32_t most_raw_bytes(void *ring)
{
	uint64_t used_bytes = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);

	if (used_bytes > raw_room_bytes)
		return 0;
	if (used_bytes > raw_room_bytes / 2)
		return WIRE_RAW_BYTES_FEW;
	return used_bytes > raw_room_bytes / 4 ? WIRE_RAW_BYTES_USUAL : WIRE_RAW_BYTES;
}

/*
 * Walks the user part. Returns false if the collector should walk it instead, because the collector
 * may know more. This is the case if the process has no entry in `processes` yet, if an address is
 * outside of the mappings known here, or if the unwind table of an image is not built yet.
 */
static __always_inline int walk_user_if_known(struct scratch *scratch, uint32_t tgid, uint64_t life)
{
	const struct user_part *user = &scratch->user;

	if (!know_process(scratch, tgid, life))
		return 0;
	walk_user(scratch);
	if (user->stop == UNWIND_STOP_NO_IMAGE)
		return user->process.flags & WIRE_SETTLED &&
		       user->process.code_pages == code_pages();
	return user->stop != UNWIND_STOP_NO_ROW;
}

/* Discards the user frames that were already walked. */
static __always_inline void forget_user_part(struct scratch *scratch)
{
	if (scratch->user.user_count > 0)
		scratch->user.hash = scratch->user.kernel_hash;
	scratch->user.user_count = 0;
}

/* Fills in the record except what describes the task's process and its memory. */
static __always_inline void begin_raw(struct wire_raw *raw, const struct scratch *scratch,
				      const struct wire_sample *sample, uint64_t life)
{
	const struct user_part *user = &scratch->user;

	*raw = (struct wire_raw){
		.sample = *sample,
		.user_ip = user->regs.ip,
		.user_sp = user->regs.sp,
		.user_fp = user->regs.fp,
		.user_extra = user->regs.extra,
		.user_kept = user->regs.kept,
		.user_link = user->regs.link,
		.life = life,
		.kernel_count = (uint16_t)user->kernel_count,
		.exact = 1,
		.is_new = user->regs.is_new,
	};
	raw->sample.kind = WIRE_RAW;
}

/*
 * Makes a record of @sample, the kernel part of its stack, and a copy of the stack's memory. The
 * sample must be of the current task. record->raw.size_bytes is 0 if no memory could be read.
 * Returns the size of the whole record, or 0 if it is invalid.
 */
static __always_inline uint32_t make_raw(struct raw_record *record, const struct scratch *scratch,
					 const struct wire_sample *sample, uint64_t life,
					 uint32_t most_bytes)
{
	uint32_t kernel_bytes = (scratch->user.kernel_count & 127) * sizeof(uint64_t);
	uint32_t size_bytes;

	begin_raw(&record->raw, scratch, sample, life);
	record->raw.code_pages = code_pages();
	take_owner(&record->raw.owner);
	__builtin_memcpy(record->kernel_words, scratch->words,
			 WIRE_KERNEL_FRAMES_MAX * sizeof(uint64_t));
	copy_stack(record, most_bytes);
	size_bytes = record->raw.size_bytes;
	if (size_bytes > WIRE_RAW_BYTES)
		return 0;
	return sizeof(record->raw) + kernel_bytes + size_bytes;
}

#endif
