/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_copy.h - copies the memory of the current task's stack
 *
 * This is used for tasks whose stacks cannot be walked in the kernel yet. The collector walks the
 * copy. A process's first stack is the one that the kernel created for its main thread. The kernel
 * stores the top of this stack: the value that sp had when the program was started
 * (mm->start_stack). All frames are below that address. A copy that ends there therefore includes
 * everything that a walk can need, whether the stack has 500 bytes or, as in a compiler's parser,
 * 40 KiB.
 */
#ifndef ASSAY_BPF_STACK_COPY_H
#define ASSAY_BPF_STACK_COPY_H

#include "bpf/kernel_types.h"
#include "bpf/maps.h"
#include "bpf/user_regs.h"

#define COPY_PAGES (WIRE_RAW_BYTES / WIRE_PAGE_BYTES)

/*
 * If sp is less than this many bytes below the top of the first stack, it points into the first
 * stack, because the kernel maps nothing else there.
 */
#define FIRST_STACK_BYTES (128ull << 20)

static __always_inline struct raw_record *raw_record_of_this_cpu(enum raw_use use)
{
	uint32_t index = use * cpu_count + bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&raws, &index);
}

/*
 * Copies the bytes up to the next page boundary. Each page is read separately, because a read that
 * crosses the end of the stack's memory would fail completely. If a stack is just growing, its
 * lowest pages do not exist yet and are skipped. The variables that change from page to page are in
 * the record. The verifier does not track values there, so it treats all iterations as equal.
 */
static long copy_page(uint32_t index, struct raw_record **copied)
{
	struct raw_record *record = *copied;
	uint64_t addr = record->next_addr, left_bytes = record->end_addr - addr;
	uint32_t size_bytes = WIRE_PAGE_BYTES - ((uint32_t)addr & (WIRE_PAGE_BYTES - 1));
	uint32_t kernel_bytes = (record->raw.kernel_count & 127) * sizeof(uint64_t);
	uint32_t at = record->raw.size_bytes;
	uint8_t *bytes = (uint8_t *)record->kernel_words;

	if (addr >= record->end_addr || at > WIRE_RAW_BYTES - WIRE_PAGE_BYTES)
		return 1;
	if (size_bytes > left_bytes)
		size_bytes = (uint32_t)left_bytes;
	/*
	 * makes the compiler keep one copy of size_bytes, so that the checked value is the one that
	 * is used
	 */
	barrier_var(size_bytes);
	if (size_bytes > WIRE_PAGE_BYTES)
		return 1;
	if (!bpf_probe_read_user(bytes + kernel_bytes + at, size_bytes, (const void *)addr)) {
		record->raw.size_bytes = at + size_bytes;
	} else if (at == 0) {
		record->raw.stack_addr = addr + size_bytes;
	} else {
		record->raw.is_cut = 0;
		return 1;
	}
	record->next_addr = addr + size_bytes;
	return 0;
}

/*
 * Copies at most @most_bytes of the stack's memory to the record, from user_sp upwards. The copied
 * bytes are stored after the kernel part of the stack.
 */
static __always_inline void copy_stack(struct raw_record *record, uint32_t most_bytes)
{
	uint64_t top_addr = first_stack_addr(), sp = record->raw.user_sp;
	int is_first = sp < top_addr && top_addr - sp < FIRST_STACK_BYTES;

	if (!is_first && most_bytes > WIRE_RAW_BYTES_USUAL)
		most_bytes = WIRE_RAW_BYTES_USUAL;
	record->raw.stack_addr = sp;
	record->raw.size_bytes = 0;
	record->raw.is_cut = 1;
	record->next_addr = sp;
	record->end_addr = sp + most_bytes;
	if (is_first && record->end_addr > top_addr)
		record->end_addr = top_addr;
	bpf_loop(COPY_PAGES, copy_page, &record, 0);
	if (is_first && record->next_addr >= top_addr)
		record->raw.is_cut = 0;
}

#endif
