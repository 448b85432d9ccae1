/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_targets.h - which processes are measured, and when
 *
 * Part of stopwatch.bpf.c, which includes it.
 */
#ifndef ASSAY_BPF_SPAN_TARGETS_H
#define ASSAY_BPF_SPAN_TARGETS_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_sums.h"

/* ---- set before loading ---- */

const volatile uint8_t all_processes = 1;	/* 0: only those in `targets` */

/* ---- set while running ---- */

volatile uint8_t enabled = 0;	/* spans that begin or end while this is 0 are not measured */

/* tgid -> 1. Children of these processes join them when they are forked. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPAN_TARGETS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint32_t);
	__type(value, uint8_t);
} targets SEC(".maps");

static __always_inline int is_target(uint32_t tgid)
{
	return all_processes || bpf_map_lookup_elem(&targets, &tgid);
}

static __always_inline uint32_t current_tgid(void)
{
	return (uint32_t)(bpf_get_current_pid_tgid() >> 32);
}

/* Counts a span that has ended, but had not begun. */
static __always_inline int had_no_entry(uint32_t span)
{
	if (enabled && is_target(current_tgid()))
		miss(span, SPAN_NO_ENTRY);
	return 0;
}

#endif
