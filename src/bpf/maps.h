/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - the maps, constants and variables of the sampler
 *
 * The loader (sampler/bpf_load.c) sets the constants before loading. It also sets the real sizes of
 * most maps that have size 1 here. The verifier knows the values of the constants, so it removes
 * the code of a filter that is off.
 *
 * On each CPU, at most one of the programs on perf events and their tracepoints runs at a time,
 * even if an NMI occurs (kernel/events/core.c: bpf_prog_active). The per-CPU data of these programs
 * therefore needs no lock.
 */
#ifndef ASSAY_BPF_MAPS_H
#define ASSAY_BPF_MAPS_H

#include "bpf/kernel_types.h"
#include "bpf/wire.h"
#include "bpf/wire_line.h"
#include "unwind/rule.h"

/* ---- set before loading ---- */

const volatile uint32_t own_tgid = 0;		/* tgid that is not sampled; 0: none */
const volatile uint8_t all_tgids = 1;		/* 1: every process; 0: those in `targets` */
const volatile uint8_t only_user = 0;		/* 1: sample only tasks of wanted_uid */
const volatile uint32_t wanted_uid = 0;
const volatile uint8_t in_cgroup = 0;		/* 1: sample only tasks in or below cgroups[0] */
const volatile uint8_t keep_idle = 0;		/* 1: also send ticks of idle CPUs */
const volatile uint64_t namespace_dev = 0;	/* st_dev of the collector's pid namespace */
const volatile uint64_t namespace_ino = 0;	/* st_ino; 0: the initial pid namespace */
/* wake the collector if a ring holds at least this many bytes */
const volatile uint64_t wakeup_bytes = 0;
/* send no stack memory if a ring holds more than this many bytes */
const volatile uint64_t raw_room_bytes = 0;
/* first address of the kernel code in which a CPU idles */
const volatile uint64_t idle_start_addr = 0;
/* end of that code (exclusive); equal to idle_start_addr if unknown */
const volatile uint64_t idle_end_addr = 0;
const volatile uint32_t cpu_count = 1;		/* number of possible CPUs */
const volatile uint8_t no_user_stacks = 0;	/* 1: record only the kernel part of each stack */

/* ---- set while running ---- */

/*
 * a stack that was last sent before this time must be sent again when it is next sampled (wire.h)
 */
volatile uint64_t epoch_ns = 0;
volatile uint8_t points_enabled = 0;		/* 1: record hits of tracepoints */
struct wire_point points[WIRE_EVENTS_MAX] = { 0 };	/* indexed by event */

/* ---- written by the sampler, in addition to the counters ---- */

/* number of children of targets that could not be added to the full map `targets` */
uint64_t children_lost = 0;
volatile uint64_t raw_woken_ns = 0;		/* time of the last wakeup for a raw sample */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);	/* life of the process (wire.h); 0: unknown */
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

/*
 * A template for the inner maps of `rings`. The real rings may have any size. The size of the
 * template is a multiple of the page size of every machine.
 */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__array(values, struct ring);
} rings SEC(".maps");		/* indexed by CPU */

/* Returns NULL if this CPU has no ring. */
static __always_inline void *ring_of_this_cpu(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&rings, &cpu);
}

/*
 * Indexed by CPU, then by event. Not a per-CPU array, because the collector reads the memory
 * directly, without bpf(2).
 */
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
} point_hits SEC(".maps");	/* number of hits since the last sample; indexed by event */

/*
 * Sizes of arrays. They are powers of two, so that an index can be masked: the verifier accepts no
 * other index.
 */
#define FRAME_SLOTS 1024u
#define BLOCK_WORDS 64u
#define RECENT_MAPPINGS 32u
#define KNOWN_RULES_SHIFT 11
#define KNOWN_RULES (1u << KNOWN_RULES_SHIFT)

/*
 * The user part of a stack: the registers with which the walk begins, the data that the walk uses,
 * and the result. (The kernel part of a stack comes from the kernel's own unwinder.)
 */
struct user_part {
	struct unwind_regs regs;	/* registers of the innermost frame */
	struct wire_process process;
	struct unwind_regs frame;	/* registers of the frame that the walk has reached */
	/* mapping of the previous (inner) frame; before the first frame, its `space` is 0 */
	struct wire_mapping mapping;
	/* hash of the addresses so far: of the kernel part, and later also of the user part */
	uint64_t hash;
	uint64_t kernel_hash;
	uint32_t kernel_count;		/* number of addresses in the kernel part */
	uint32_t user_count;
	uint32_t stop;			/* enum unwind_stop */
	/*
	 * cache of recently used indices in `spaces`; indexed by bits of the address (RECENT_SHIFT)
	 */
	uint32_t recent[RECENT_MAPPINGS];
};

/*
 * Memory for building one stack. The record that is sent begins at `stack` and continues in
 * `words`.
 */
struct scratch {
	struct user_part user;
	struct wire_stack stack;
	uint64_t words[FRAME_SLOTS];
	/* `block` is a copy of the user memory at this address; see user_memory.h */
	uint64_t block_addr;
	uint64_t block[BLOCK_WORDS];
	uint64_t known_rules[KNOWN_RULES];	/* cache of found rules; see find_rule.h */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* A raw sample that is being built: the sample and a copy of its stack's memory (stack_copy.h). */
struct raw_record {
	struct wire_raw raw;
	uint64_t kernel_words[FRAME_SLOTS / 8];
	/*
	 * room for the copied stack bytes. They begin directly after the last kernel word in use,
	 * so some of them are in kernel_words.
	 */
	uint8_t bytes[WIRE_RAW_BYTES];
	uint64_t next_addr, end_addr;
};

/*
 * Indexed by enum raw_use, then by CPU. Without waits, only the elements of RAW_OF_TICK exist. Not
 * a per-CPU array, because the kernel limits an entry of a per-CPU array to 32 KiB.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct raw_record);
} raws SEC(".maps");

#endif
