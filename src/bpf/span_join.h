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
#include "bpf/span_sums.h"

/* ---- set before loading ---- */

const volatile struct span_key keys[SPAN_KEYS_MAX] = { 0 };

struct span_start {
	uint32_t span;
	uint32_t unused;
	uint64_t values[SPAN_VALUES];
};

/* When spans began, in nanoseconds. Allocated beforehand: points can be anywhere in the kernel. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPAN_STARTS_MAX);
	__type(key, struct span_start);
	__type(value, uint64_t);
} starts SEC(".maps");

/* ---- values ---- */

/* What is known at a point. */
struct span_point {
	/* SPAN_ARGUMENTS, rounded up to a power of two. At a return, the first is the result. */
	uint64_t arguments[8];
	const void *record;	/* of a tracepoint */
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

/* The size is a constant for the verifier. Fields are little-endian, as all machines of assay. */
static __always_inline uint64_t field(const volatile struct span_value *value, const void *record)
{
	const void *at = record + value->at;
	uint64_t number = 0;

	switch (value->size_bytes) {
	case 1:
		(void)bpf_probe_read_kernel(&number, 1, at);
		return value->is_signed ? (uint64_t)(int8_t)number : number;
	case 2:
		(void)bpf_probe_read_kernel(&number, 2, at);
		return value->is_signed ? (uint64_t)(int16_t)number : number;
	case 4:
		(void)bpf_probe_read_kernel(&number, 4, at);
		return value->is_signed ? (uint64_t)(int32_t)number : number;
	default:
		(void)bpf_probe_read_kernel(&number, 8, at);
		return number;
	}
}

static __always_inline uint64_t value_at(const struct span_point *point,
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
		return point->arguments[value->at & 7];
	case SPAN_VALUE_FIELD:
		return point->record ? field(value, point->record) : 0;
	default:
		return 0;
	}
}

static __always_inline void start_at(const struct span_point *point, uint64_t cookie, uint32_t key,
				     struct span_start *ret_start)
{
	ret_start->span = span_of_cookie(cookie);
	ret_start->unused = 0;
	for (uint32_t i = 0; i < SPAN_VALUES; i++) {
		const volatile struct span_value *from = &keys[key & (SPAN_KEYS_MAX - 1)].values[i];

		ret_start->values[i] = value_at(point, from);
	}
}

/* ---- begin and end ---- */

static __always_inline void begin(const struct span_start *start)
{
	uint64_t now_ns = bpf_ktime_get_ns();

	if (bpf_map_lookup_elem(&starts, start))
		miss(start->span, SPAN_OPEN);
	if (bpf_map_update_elem(&starts, start, &now_ns, BPF_ANY) < 0)
		miss(start->span, SPAN_NO_MEMORY);
}

/* Only one of two CPUs that end the same span at the same time can delete its start. */
static __always_inline void end(const struct span_start *start, uint64_t now_ns)
{
	uint64_t *start_ns = bpf_map_lookup_elem(&starts, start), ns;

	if (!start_ns) {
		(void)had_no_entry(start->span);
		return;
	}
	ns = now_ns - *start_ns;
	if (bpf_map_delete_elem(&starts, start) == 0)
		measured(start->span, ns);
}

/* A point that ends one span and begins the next does it in this order. */
static __always_inline int join(const struct span_point *point, uint64_t cookie, uint64_t now_ns)
{
	uint32_t begin_key = span_begin_of_cookie(cookie), end_key = span_end_of_cookie(cookie);
	struct span_start start;

	if (end_key) {
		start_at(point, cookie, end_key - 1, &start);
		end(&start, now_ns);
	}
	if (begin_key && enabled && is_target(current_tgid())) {
		start_at(point, cookie, begin_key - 1, &start);
		begin(&start);
	}
	return 0;
}

static __always_inline int is_joined(uint64_t cookie)
{
	return span_begin_of_cookie(cookie) || span_end_of_cookie(cookie);
}

#endif
