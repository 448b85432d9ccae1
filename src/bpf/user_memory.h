/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_memory.h - reads words of the current task's stack for unwind/step.h
 *
 * Reading 512 bytes of user memory takes about as long as reading 8 bytes: 110 ns on the machine
 * where this was measured. Unwinding a frame spends most of its time on this read. The frames of a
 * stack are close to each other. So a whole aligned block is read at once, and the words for the
 * next frames are taken from this block. An aligned block never crosses a page boundary, so the
 * whole block is readable if one of its words is.
 */
#ifndef ASSAY_BPF_USER_MEMORY_H
#define ASSAY_BPF_USER_MEMORY_H

#include "bpf/kernel_types.h"
#include "bpf/maps.h"

#define BLOCK_BYTES (BLOCK_WORDS * sizeof(uint64_t))
#define NO_BLOCK 1u	/* never the address of a block, because blocks are aligned */

/* Reads a word of user memory. @memory is a struct scratch. */
static __always_inline int unwind_read(void *memory, uint64_t addr, uint64_t *ret_value)
{
	struct scratch *scratch = memory;
	uint64_t block_addr = addr & ~(BLOCK_BYTES - 1);

	if (addr % sizeof(uint64_t) != 0)
		return (int)bpf_probe_read_user(ret_value, sizeof(*ret_value), (const void *)addr);
	if (scratch->block_addr != block_addr) {
		scratch->block_addr = NO_BLOCK;
		if (bpf_probe_read_user(scratch->block, BLOCK_BYTES, (const void *)block_addr))
			return -1;
		scratch->block_addr = block_addr;
	}
	*ret_value = scratch->block[addr / sizeof(uint64_t) % BLOCK_WORDS];
	return 0;
}

#include "unwind/step.h"

#endif
