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
 * sorted by rising address. When the mappings change, the collector first writes a new slice to
 * `spaces` and then replaces this struct in one update.
 *
 * Two numbers prevent the use of outdated data:
 * - `life` distinguishes programs that had the same tgid one after the other, after an exec() or in
 *   a new process that got the tgid. The sampler computes the life of each sampled task itself. If
 *   a process calls exec() just before the collector adds it to the map, its stacks are therefore
 *   not walked with the mappings of the old program.
 * - `space` is unique to the slice and never reused. It is also stored in each mapping of the
 *   slice. If the slice has been given to another process, a lookup therefore finds nothing.
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
 * The argument of the BPF programs with which the collector adds and removes processes (lives.h).
 */
struct wire_entry {
	struct wire_process process;
	uint32_t tgid;
	uint32_t unused;
};

#define WIRE_SETTLED 1u		/* send no raw sample for an address outside of all mappings */

#define WIRE_MAPPINGS_SHIFT 17	/* every process has fewer than 1 << 17 mappings */

#define WIRE_NO_TABLE UINT32_MAX
#define WIRE_TABLE_LATER (UINT32_MAX - 1)	/* table not made yet: send a raw sample */

#define WIRE_SERIAL_BITS 27

struct wire_mapping {		/* 48 bytes */
	uint64_t start_addr, end_addr;
	/* address - bias = distance of the address from the table's base_vaddr */
	uint64_t bias;
	/* index in `tables`, WIRE_NO_TABLE (walk by frame pointers) or WIRE_TABLE_LATER */
	uint32_t table;
	/*
	 * number of pages (256 bytes of code each) in the table; addresses after them have no rule
	 */
	uint32_t page_count;
	uint32_t rules_at;	/* index in `rules` at which the image's rules begin */
	uint32_t serial;	/* identifies the contents of the table, is never reused; 0: none */
	/* `space` of the process that has this slice; 0: the slice is free */
	uint64_t space;
};

_Static_assert(sizeof(struct wire_mapping) == 48, "struct wire_mapping is a layout");

/* A sampled tracepoint. There is one struct for each event. */
struct wire_point {
	/* every period-th hit by a recorded task is sent; each CPU counts separately */
	uint64_t period;
	/* 1: show only the user code, because the hit is the entry or exit of a system call */
	uint32_t in_user;
	uint32_t unused;
};

_Static_assert(sizeof(struct wire_point) == 16, "struct wire_point is a layout");

/* An unwind table is a BPF array of struct wire_line (bpf/wire_line.h). */

#endif
