/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_caller.h - where the function that returns now was called
 *
 * Part of stopwatch.bpf.c, which includes it. The place is a file and an offset in it, not an
 * address: a file is at other addresses in other processes, and the process may soon be gone. Needs
 * Linux 5.17 (bpf_find_vma).
 */
#ifndef ASSAY_BPF_SPAN_CALLER_H
#define ASSAY_BPF_SPAN_CALLER_H

#include "bpf/kernel_fields.h"
#include "bpf/kernel_types.h"
#include "bpf/span.h"

const volatile uint64_t page_bytes = 4096;	/* set before loading */

struct caller_search {
	uint64_t addr;
	struct span_caller *caller;
};

static long see_mapping(struct task_struct *task, struct vm_area_struct *mapping,
			struct caller_search *search)
{
	const struct file *file = mapping->vm_file;
	struct span_caller caller = { 0 };

	if (file) {
		caller.place = search->addr - mapping->vm_start + mapping->vm_pgoff * page_bytes;
		caller.file.inode = BPF_CORE_READ(file, f_inode, i_ino);
		caller.file.dev = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
		caller.mapping.start_addr = mapping->vm_start;
		caller.mapping.tgid = (uint32_t)task->tgid;
		caller.mapping.parent_tgid = (uint32_t)task->real_parent->tgid;
	}
	*search->caller = caller;
	return 0;
}

/*
 * @addr is where the function returns to. The instruction before it is in the caller; the one at
 * it need not be, if the function was not expected to return.
 */
static __always_inline void find_caller(uint64_t addr, struct span_caller *ret_caller)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct caller_search search = { .addr = addr - 1, .caller = ret_caller };

	/* It fails if nothing is mapped there, or if another thread is changing the mappings. */
	*ret_caller = (struct span_caller){ .place = SPAN_NO_CALLER };
	(void)bpf_find_vma(task, search.addr, see_mapping, &search, 0);
}

#endif
