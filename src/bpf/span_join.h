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
#include "bpf/span_values.h"

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

/* ---- begin and end ---- */

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
	struct span_values values;
	struct span_start start;

	if (end_key) {
		key_at(point, record, cookie, end_key, &key);
		if (!end(&key, now_ns, current_tgid(), (uint32_t)bpf_get_current_pid_tgid()))
			(void)had_no_entry(key.span);
	}
	if (begin_key && enabled && is_target(current_tgid())) {
		key_at(point, record, cookie, begin_key, &key);
		values = by_values_at(point, record, cookie);
		group_of(bpf_get_current_task_btf(), &values, &start.group);
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
