/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_join.h - spans from one point to another, joined by a key
 *
 * Part of stopwatch.bpf.c, which includes it.
 */
#ifndef ASSAY_BPF_SPAN_JOIN_H
#define ASSAY_BPF_SPAN_JOIN_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_calls.h"
#include "bpf/span_groups.h"
#include "bpf/span_record.h"
#include "bpf/span_sums.h"

/* ---- set before loading ---- */

const volatile struct span_key keys[SPAN_KEYS_MAX] = { 0 };

struct span_start_key {
	uint32_t span;
	uint32_t unused;
	uint64_t values[SPAN_VALUES];
};

struct span_start {
	uint64_t now_ns;
	struct span_group group;
};

/*
 * Where spans began. Allocated beforehand: points can be anywhere in the kernel. Values that no key
 * has are no part of the map's keys, because it takes time to hash and compare them.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPAN_STARTS_MAX);
	__uint(key_size, sizeof(struct span_start_key));	/* set before loading */
	__type(value, struct span_start);
} starts SEC(".maps");

/* ---- values ---- */

/* What is known at a point, except for the record of a tracepoint. */
struct span_point {
	/* SPAN_ARGUMENTS, rounded up to a power of two. At a return, the first is the result. */
	uint64_t arguments[8];
};

static __always_inline struct span_point point_of_entry(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (struct span_point){ .arguments = { regs->rdi, regs->rsi, regs->rdx, regs->rcx,
						   regs->r8, regs->r9 } };
#else
	const struct user_pt_regs *user = (const void *)regs;

	return (struct span_point){ .arguments = { user->regs[0], user->regs[1], user->regs[2],
						   user->regs[3], user->regs[4], user->regs[5] } };
#endif
}

static __always_inline struct span_point point_of_call(const struct pt_regs___kernel *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (struct span_point){ .arguments = { regs->di, regs->si, regs->dx, regs->r10,
						   regs->r8, regs->r9 } };
#else
	return (struct span_point){ .arguments = { regs->regs[0], regs->regs[1], regs->regs[2],
						   regs->regs[3], regs->regs[4], regs->regs[5] } };
#endif
}

static __always_inline struct span_point point_of_return(uint64_t result)
{
	return (struct span_point){ .arguments = { result } };
}

/* What a register has of a number of this size. */
static __always_inline uint64_t extended(uint64_t number, uint8_t size_bytes, uint8_t is_signed)
{
	switch (size_bytes) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)number : (uint8_t)number;
	case 2:
		return is_signed ? (uint64_t)(int16_t)number : (uint16_t)number;
	case 4:
		return is_signed ? (uint64_t)(int32_t)number : (uint32_t)number;
	default:
		return number;
	}
}

/* The size is a constant for the verifier. Fields are little-endian, as all machines of assay. */
static __always_inline uint64_t field(const volatile struct span_value *value, const void *record)
{
	const void *at = record + value->at;
	uint64_t number = 0;

	switch (value->size_bytes) {
	case 1:
		(void)bpf_probe_read_kernel(&number, 1, at);
		break;
	case 2:
		(void)bpf_probe_read_kernel(&number, 2, at);
		break;
	case 4:
		(void)bpf_probe_read_kernel(&number, 4, at);
		break;
	default:
		(void)bpf_probe_read_kernel(&number, 8, at);
		break;
	}
	return extended(number, value->size_bytes, value->is_signed);
}

/*
 * @record: of a tracepoint; elsewhere a constant NULL, so that the compiler leaves field() out.
 * Where the kernel is locked down for confidentiality, programs that read its memory are refused.
 */
static __always_inline uint64_t value_at(const struct span_point *point, const void *record,
					 const volatile struct span_value *value)
{
	switch (value->kind) {
	case SPAN_VALUE_TID:
		return (uint32_t)bpf_get_current_pid_tgid();
	case SPAN_VALUE_TGID:
		return current_tgid();
	case SPAN_VALUE_CPU:
		return bpf_get_smp_processor_id();
	case SPAN_VALUE_ARGUMENT:
		return extended(point->arguments[value->at & 7], value->size_bytes,
				value->is_signed);
	case SPAN_VALUE_FIELD:
		return record ? field(value, record) : 0;
	default:
		return 0;
	}
}

/* Returns the value by which spans that begin here are grouped, or which is measured. */
static __always_inline uint64_t entry_value_at(const struct span_point *point, const void *record,
					       uint64_t cookie, uint32_t which)
{
	uint32_t number = span_by_of_cookie(cookie);

	if (!number)
		return 0;
	return value_at(point, record, &keys[(number - 1) & (SPAN_KEYS_MAX - 1)].values[which]);
}

static __always_inline void key_at(const struct span_point *point, const void *record,
				   uint64_t cookie, uint32_t number, struct span_start_key *ret_key)
{
	ret_key->span = span_of_cookie(cookie);
	ret_key->unused = 0;
	for (uint32_t i = 0; i < SPAN_VALUES; i++) {
		const volatile struct span_key *key = &keys[(number - 1) & (SPAN_KEYS_MAX - 1)];

		ret_key->values[i] = value_at(point, record, &key->values[i]);
	}
}

/* ---- points where nothing begins or ends, but a value is measured ---- */

static __always_inline int measure_here(const struct span_point *point, const void *record,
					uint64_t cookie)
{
	struct span_group group;

	if (!enabled || !is_target(current_tgid()))
		return 0;
	group_of(bpf_get_current_task_btf(), entry_value_at(point, record, cookie, SPAN_BY),
		 &group);
	(void)measured_value(span_of_cookie(cookie), &group,
			     entry_value_at(point, record, cookie, SPAN_MEASURED));
	return 0;
}

/* ---- begin and end ---- */

static __always_inline void begin(const struct span_start_key *key, const struct span_start *start)
{
	long rc = bpf_map_update_elem(&starts, key, start, BPF_NOEXIST);

	if (rc == -EEXIST) {
		miss(key->span, SPAN_OPEN);
		rc = bpf_map_update_elem(&starts, key, start, BPF_ANY);
	}
	if (rc < 0)
		miss(key->span, SPAN_NO_MEMORY);
}

/*
 * Counts the span if it has begun. Only one of two CPUs that end the same span at the same time can
 * delete its start. Returns 0 if it has not begun. @tgid and @tid are those of the task that it
 * is recorded for.
 */
static __always_inline int end(const struct span_start_key *key, uint64_t now_ns, uint32_t tgid,
			       uint32_t tid)
{
	struct span_start *known = bpf_map_lookup_elem(&starts, key), start;
	struct ended_span ended = { .end_ns = now_ns, .span = key->span, .tgid = tgid, .tid = tid };

	if (!known)
		return 0;
	start = *known;
	if (bpf_map_delete_elem(&starts, key) < 0)
		return 1;
	ended.start_ns = start.now_ns;
	if (measured(key->span, &start.group, now_ns - start.now_ns))
		record_span(&ended);
	return 1;
}

/* A point that ends one span and begins the next does it in this order. */
static __always_inline int join(const struct span_point *point, const void *record, uint64_t cookie,
				uint64_t now_ns)
{
	uint32_t begin_key = span_begin_of_cookie(cookie), end_key = span_end_of_cookie(cookie);
	struct span_start_key key;
	struct span_start start;

	if (end_key) {
		key_at(point, record, cookie, end_key, &key);
		if (!end(&key, now_ns, current_tgid(), (uint32_t)bpf_get_current_pid_tgid()))
			(void)had_no_entry(key.span);
	}
	if (begin_key && enabled && is_target(current_tgid())) {
		key_at(point, record, cookie, begin_key, &key);
		group_of(bpf_get_current_task_btf(), entry_value_at(point, record, cookie, SPAN_BY),
			 &start.group);
		start.now_ns = bpf_ktime_get_ns();
		begin(&key, &start);
	}
	return 0;
}

static __always_inline int is_joined(uint64_t cookie)
{
	return span_begin_of_cookie(cookie) || span_end_of_cookie(cookie);
}

#endif
