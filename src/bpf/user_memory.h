/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_memory.h - words of the current task's stack, as unwind/step.h wants them
 *
 * A read of user memory costs about the same for 8 bytes as for 512 (110 ns on the machine where
 * it was measured, most of what a frame costs), and the frames of a stack lie close together: so
 * whole aligned blocks are read, and the words of the next frames taken from there.  An aligned
 * block never crosses a page: it is readable where one word of it is.
 */
#ifndef ASSAY_BPF_USER_MEMORY_H
#define ASSAY_BPF_USER_MEMORY_H

#include "bpf/kernel_types.h"
#include "bpf/maps.h"

#define BLOCK_BYTES (BLOCK_WORDS * sizeof(uint64_t))
#define NO_BLOCK 1u	/* as an address: no word has it */

/*
 * The word at @addr into scratch->word; 0 or an error.  As a global function it is verified once,
 * by itself, and not again in every state of each of its callers (a sixth of the instructions).
 */
__noinline int read_user_word(struct scratch *scratch, uint64_t addr)
{
	uint64_t block_addr = addr & ~(BLOCK_BYTES - 1);

	if (!scratch)
		return -1;
	if (addr % sizeof(uint64_t) != 0)
		return (int)bpf_probe_read_user(&scratch->word, sizeof(scratch->word),
						(const void *)addr);
	if (scratch->block_addr != block_addr) {
		scratch->block_addr = NO_BLOCK;
		if (bpf_probe_read_user(scratch->block, BLOCK_BYTES, (const void *)block_addr))
			return -1;
		scratch->block_addr = block_addr;
	}
	scratch->word = scratch->block[addr / sizeof(uint64_t) % BLOCK_WORDS];
	return 0;
}

/* @memory is the struct scratch. */
static __always_inline int unwind_read(void *memory, uint64_t addr, uint64_t *ret_value)
{
	struct scratch *scratch = memory;
	int rc = read_user_word(scratch, addr);

	*ret_value = scratch->word;
	return rc;
}

#include "unwind/step.h"

#endif
