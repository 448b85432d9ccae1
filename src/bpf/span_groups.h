/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_groups.h - counts durations, if wanted apart for each process, value or the like
 *
 * Part of stopwatch.bpf.c, which includes it. A group has one sum, which all CPUs share.
 */
#ifndef ASSAY_BPF_SPAN_GROUPS_H
#define ASSAY_BPF_SPAN_GROUPS_H

#include "bpf/kernel_types.h"
#include "bpf/kernel_fields.h"
#include "bpf/span.h"
#include "bpf/span_sums.h"
#include "bpf/span_targets.h"

/* ---- set before loading ---- */

const volatile uint32_t by = SPAN_BY_NOTHING;
const volatile uint32_t first_group = 0;	/* where in `sums` the groups begin */

/* ---- groups ---- */

volatile uint32_t group_count = 0;	/* may exceed SPAN_GROUPS_MAX a little */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPAN_GROUPS_MAX);
	__uint(key_size, __builtin_offsetof(struct span_group, mapping));
	__type(value, uint32_t);
} group_numbers SEC(".maps");

/* By number. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SPAN_GROUPS_MAX);
	__type(key, uint32_t);
	__type(value, struct span_group);
} groups SEC(".maps");

/* The verifier lets programs read an array in a kernel structure only byte by byte. */
static __always_inline void set_comm(struct span_group *group, const struct task_struct *task)
{
	for (uint32_t i = 0; i < SPAN_COMM_BYTES; i++)
		group->comm[i] = *(const volatile char *)&task->comm[i];
}

/* Returns the group of the spans of @task with these values. */
static __always_inline void group_of(const struct task_struct *task,
				     const struct span_values *values, struct span_group *ret_group)
{
	*ret_group = (struct span_group){ 0 };
	switch (by) {
	case SPAN_BY_APPLICATION:
		set_comm(ret_group, leader_of(task));
		break;
	case SPAN_BY_PROCESS:
		ret_group->id = (uint32_t)task->tgid;
		set_comm(ret_group, leader_of(task));
		break;
	case SPAN_BY_THREAD:
		ret_group->id = (uint32_t)task->pid;
		set_comm(ret_group, task);
		break;
	case SPAN_BY_CGROUP:
		ret_group->id = task->cgroups->dfl_cgrp->kn->id;
		break;
	case SPAN_BY_VALUE:
		ret_group->id = values->first;
		ret_group->second = values->second;
		break;
	case SPAN_BY_RESULT:
		ret_group->id = values->first;
		break;
	case SPAN_BY_SIGN:
		ret_group->id = values->first ? (span_signed(values->first) < 0 ? -1ull : 1) : 0;
		break;
	}
}

/* Returns the number of a group that is new, or SPAN_GROUPS_MAX if there is no room. */
static __always_inline uint32_t new_group(const struct span_group *group)
{
	uint32_t number, *known;

	if (group_count >= SPAN_GROUPS_MAX)
		return SPAN_GROUPS_MAX;
	number = __sync_fetch_and_add(&group_count, 1);
	if (number >= SPAN_GROUPS_MAX)
		return SPAN_GROUPS_MAX;
	/* Whoever finds the number can find the group. */
	(void)bpf_map_update_elem(&groups, &number, group, BPF_ANY);
	if (bpf_map_update_elem(&group_numbers, group, &number, BPF_NOEXIST) == 0)
		return number;
	known = bpf_map_lookup_elem(&group_numbers, group);	/* another CPU was faster */
	return known ? *known : SPAN_GROUPS_MAX;
}

/* Returns the sum of the group, or that of the span if there are too many groups. */
static __always_inline struct span_sum *sum_of_group(const struct span_group *group)
{
	uint32_t *known = bpf_map_lookup_elem(&group_numbers, group), at;

	at = known ? *known : new_group(group);
	if (at >= SPAN_GROUPS_MAX)
		return sum_of(group->span);
	at += first_group;
	return bpf_map_lookup_elem(&sums, &at);
}

/* Returns the sum of a span that ends now, of the group that it had where it began, or NULL. */
static __always_inline struct span_sum *sum_in(uint32_t span, struct span_group *group)
{
	if (!enabled)
		return NULL;
	group->span = span;
	if (by == SPAN_BY_CPU)
		group->id = bpf_get_smp_processor_id();	/* where it ended */
	return by ? sum_of_group(group) : sum_of(span);
}

/* Counts a span that has taken @ns. */
static __always_inline struct span_sum *measured(uint32_t span, struct span_group *group,
						 uint64_t ns)
{
	struct span_sum *sum = sum_in(span, group);

	add_duration(sum, ns);
	return sum;
}

/* Adds a value that is measured besides the time. */
static __always_inline void add_value(struct span_sum *sum, uint64_t number)
{
	uint64_t value = (uint64_t)span_signed(number);

	if (sum && value > SPAN_MEASURED_MAX)	/* as negative numbers are */
		add(&sum->no_amount, 1);
	else if (sum)
		add(&sum->values, value);
}

/* Counts a value that is measured. Returns the sum to which it was added, or NULL. */
static __always_inline struct span_sum *measured_value(uint32_t span, struct span_group *group,
						       uint64_t number)
{
	uint64_t value = (uint64_t)span_signed(number);
	struct span_sum *sum = sum_in(span, group);

	if (!sum)
		return NULL;
	if (value > SPAN_MEASURED_MAX) {	/* as negative numbers are */
		add(&sum->no_amount, 1);
		return NULL;
	}
	add_duration(sum, value);
	return sum;
}

#endif
