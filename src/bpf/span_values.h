/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_values.h - values that a point has: arguments, fields, and those of the task and CPU
 *
 * Part of stopwatch.bpf.c, which includes it.
 */
#ifndef ASSAY_BPF_SPAN_VALUES_H
#define ASSAY_BPF_SPAN_VALUES_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_groups.h"
#include "bpf/span_targets.h"

/* ---- set before loading ---- */

const volatile struct span_key keys[SPAN_KEYS_MAX] = { 0 };

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

static __always_inline struct span_values by_values_at(const struct span_point *point,
						       const void *record, uint64_t cookie)
{
	return (struct span_values){
		.first = entry_value_at(point, record, cookie, SPAN_BY),
		.second = entry_value_at(point, record, cookie, SPAN_BY_SECOND),
	};
}

/* ---- points where nothing begins or ends, but a value is measured ---- */

static __always_inline int measure_here(const struct span_point *point, const void *record,
					uint64_t cookie)
{
	struct span_values values;
	struct span_group group;

	if (!enabled || !is_target(current_tgid()))
		return 0;
	values = by_values_at(point, record, cookie);
	group_of(bpf_get_current_task_btf(), &values, &group);
	(void)measured_value(span_of_cookie(cookie), &group,
			     entry_value_at(point, record, cookie, SPAN_MEASURED));
	return 0;
}

#endif
