/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_feed.h - data that the collector writes for the in-kernel sampler
 *
 * The data that the sampler sends to the collector is in wire.h. All structs here are values of BPF
 * maps, so their layout is fixed.
 */
#ifndef ASSAY_BPF_WIRE_FEED_H
#define ASSAY_BPF_WIRE_FEED_H

/*
 * A process whose stacks the sampler may walk. Its mappings are a slice of the array `spaces`,
 * sorted by rising address. The collector first writes a new slice and then stores its position
 * here, in one update.
 *
 * Two numbers prevent the use of outdated data:
 * - `life` distinguishes programs that had the same tgid one after the other, by fork or by exec.
 *   The sampler computes it from the task. If a process calls exec() just before the collector
 *   adds it to the map, its stacks are therefore not walked with the mappings of the old program.
 * - `space` is unique to the slice and never reused. It is also stored in each mapping of the
 *   slice, so that a lookup finds nothing if the slice has been given to another process.
 */
struct wire_process {
	uint32_t first, count;	/* slice of `spaces` */
	uint64_t life;
	uint64_t space;
	uint32_t flags;
	/* WIRE_SETTLED is valid only while this many code pages are mapped */
	uint32_t code_pages;
};

/*
 * A process and its tgid. The argument of the BPF programs with which the collector adds and
 * removes processes.
 */
struct wire_entry {
	struct wire_process process;
	uint32_t tgid;
	uint32_t unused;
};

#define WIRE_SETTLED 1u		/* send no raw sample for an address outside of all mappings */

#define WIRE_MAPPINGS_SHIFT 17	/* log2 of a number of mappings that no process reaches */

#define WIRE_NO_TABLE UINT32_MAX
#define WIRE_TABLE_LATER (UINT32_MAX - 1)	/* table not made yet: send a raw sample */

#define WIRE_SERIAL_BITS 27

struct wire_mapping {		/* 48 bytes */
	uint64_t start_addr, end_addr;
	/* address - bias = distance of the address from the table's base_vaddr */
	uint64_t bias;
	/* index in `tables`, WIRE_NO_TABLE (walk by frame pointers) or WIRE_TABLE_LATER */
	uint32_t table;
	/* number of pages of the table; addresses after them have no rule */
	uint32_t page_count;
	uint32_t rules_at;	/* index of the image's rule 0 in `rules` */
	uint32_t serial;	/* identifies the contents of the table, never reused; 0: none */
	/* `space` of the process that has this slice; 0: the slice is free */
	uint64_t space;
};

_Static_assert(sizeof(struct wire_mapping) == 48, "struct wire_mapping is a layout");

/* A sampled tracepoint; one for each event. */
struct wire_point {
	uint64_t period;	/* number of hits by recorded tasks; each CPU counts its own hits */
	/* 1: show only the user code, because the hit is the entry or exit of a system call */
	uint32_t in_user;
	uint32_t unused;
};

_Static_assert(sizeof(struct wire_point) == 16, "struct wire_point is a layout");

/* An unwind table is a BPF array of struct wire_line (bpf/wire_line.h). */

#endif
