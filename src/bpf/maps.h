/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - what the sampler knows and where it writes
 *
 * Sizes that are 1 here are set by the loader (sampler/bpf_sampler.c), as are the constants, which
 * the verifier then treats as such: code behind a filter that is off is not even there.
 *
 * Of the programs that run on perf events and on their tracepoints one at most runs on a CPU at any
 * time, also in an NMI (kernel/events/core.c: bpf_prog_active), so what is per CPU needs no lock.
 */
#ifndef ASSAY_BPF_MAPS_H
#define ASSAY_BPF_MAPS_H

#include "bpf/kernel_types.h"
#include "bpf/wire.h"
#include "bpf/wire_line.h"
#include "unwind/rule.h"

/* ---- set before loading ---- */

const volatile uint32_t own_tgid = 0;		/* left out; 0: nobody is */
const volatile uint8_t all_tgids = 1;		/* else only those in `targets` */
const volatile uint8_t only_user = 0;		/* only tasks of wanted_uid */
const volatile uint32_t wanted_uid = 0;
const volatile uint8_t in_cgroup = 0;		/* only tasks below cgroups[0] */
const volatile uint8_t keep_idle = 0;		/* send ticks of idle CPUs, too */
const volatile uint64_t namespace_dev = 0;	/* of the collector's pid namespace; */
const volatile uint64_t namespace_ino = 0;	/* 0: the first one */
const volatile uint64_t wakeup_bytes = 0;	/* wake the collector with so much in a ring */
const volatile uint64_t raw_room_bytes = 0;	/* with more in it, no memory of stacks */
const volatile uint64_t idle_start_addr = 0;	/* code in which a CPU idles; */
const volatile uint64_t idle_end_addr = 0;	/* equal: not known */
const volatile uint8_t no_user_stacks = 0;	/* samples have the kernel part alone */

/* ---- set while running ---- */

volatile uint64_t epoch_ns = 0;			/* see wire.h */
volatile uint8_t points_enabled = 0;		/* hits of tracepoints count */
struct wire_point points[WIRE_EVENTS_MAX] = { 0 };	/* by event */

/* ---- written by the sampler, once more than in counters ---- */

uint64_t children_lost = 0;			/* of targets: there was no room for more */
volatile uint64_t raw_woken_ns = 0;		/* the collector last, for a raw sample */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);	/* life (wire.h), or 0 */
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct wire_process);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct wire_mapping);
} spaces SEC(".maps");

struct table {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__uint(value_size, sizeof(struct wire_line));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__array(values, struct table);
} tables SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct unwind_rule);
} rules SEC(".maps");

/* ---- written by the sampler ---- */

/* Only a pattern: the rings that are put in may be of any size. This one is pages anywhere. */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__array(values, struct ring);
} rings SEC(".maps");		/* by CPU */

/* NULL: it has none. */
static __always_inline void *ring_of_this_cpu(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&rings, &cpu);
}

/* By CPU, then by event.  Not a per-CPU array: the collector reads it in place, without bpf(2). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct wire_counters);
} counters SEC(".maps");

static __always_inline struct wire_counters *counters_of(uint32_t event)
{
	uint32_t index = bpf_get_smp_processor_id() * WIRE_COUNTERS_COUNT + event;

	return bpf_map_lookup_elem(&counters, &index);
}

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_EVENTS_MAX);
	__type(key, uint32_t);
	__type(value, uint64_t);
} point_hits SEC(".maps");	/* since the last sample, by event */

/* Powers of two: an index that is masked is one that the verifier believes. */
#define FRAME_SLOTS 1024u
#define BLOCK_WORDS 64u
#define RECENT_MAPPINGS 32u
#define KNOWN_RULES_SHIFT 11
#define KNOWN_RULES (1u << KNOWN_RULES_SHIFT)

/* The user part of a stack: where its walk begins, how it is to go, and what came of it. */
struct user_part {
	struct unwind_regs regs;	/* of the innermost frame */
	struct wire_process process;
	struct unwind_regs frame;	/* of the one that the walk has come to */
	struct wire_mapping mapping;	/* of the frame before; of space 0 at first */
	uint64_t hash;			/* before: of the kernel part; after: of both */
	uint64_t kernel_hash;
	uint32_t kernel_count;		/* words that the kernel part takes */
	uint32_t user_count;
	uint32_t stop;			/* enum unwind_stop */
	uint32_t recent[RECENT_MAPPINGS];	/* by address: where in `spaces` one was found */
};

/* A stack under construction: a record from `stack` on. */
struct scratch {
	struct user_part user;
	struct wire_stack stack;
	uint64_t words[FRAME_SLOTS];
	uint64_t block_addr;		/* of the user memory in block; see user_memory.h */
	uint64_t block[BLOCK_WORDS];
	uint64_t known_rules[KNOWN_RULES];	/* see find_rule.h */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* A raw sample under construction; see stack_copy.h. */
struct raw_record {
	struct wire_raw raw;
	uint64_t kernel_words[FRAME_SLOTS / 8];
	uint8_t bytes[WIRE_RAW_BYTES];	/* in the record they begin behind the last kernel word */
	uint64_t next_addr, end_addr;
};

/* By CPU: what a map keeps for each CPU by itself has 32 KiB at most. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct raw_record);
} raws SEC(".maps");

#endif
