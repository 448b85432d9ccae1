/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture_memory.h - how a capture divides the memory that it may take */
#ifndef ASSAY_CAPTURE_CAPTURE_MEMORY_H
#define ASSAY_CAPTURE_CAPTURE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Limits. Zero selects the default of the part that has the limit. */
struct capture_memory {
	size_t table_bytes;	/* unwind tables in the kernel (sampler/unwind_spaces.h) */
	size_t own_table_bytes;	/* unwind tables in this process (intake/image_tables.h) */
	/* all rings of the in-kernel sampler, or those of perf if they get copies of stacks */
	size_t rings_bytes;
	size_t sent_stack_bytes;	/* see intake/sent_stacks.h */
	uint32_t pins_max;		/* number of files (process/pins.h) */
	/* numbers for which the in-kernel sampler has room (sampler/bpf_sampler.h) */
	uint32_t processes_max, mappings_max, rules_max;
};

/*
 * Divides @budget_bytes, of which the capture gets five eighths: 5/16 for tables in the kernel,
 * 2/16 for tables in this process, 3/16 for rings. What has a fixed size otherwise shrinks with a
 * budget below CAPTURE_MEMORY_FULL_BYTES. Changes only limits that are 0.
 */
#define CAPTURE_MEMORY_FULL_BYTES (UINT64_C(192) << 20)

void capture_memory_divide(uint64_t budget_bytes, struct capture_memory *memory);

#endif
