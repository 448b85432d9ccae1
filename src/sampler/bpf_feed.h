/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_feed.h - provides the data with which the in-kernel sampler unwinds processes
 *
 * Private to sampler/. unwind_spaces.c and unwind_tables.c decide which data the
 * sampler gets. The functions here write the data to its arrays and maps. bpf/wire_feed.h
 * describes the data.
 */
#ifndef ASSAY_SAMPLER_BPF_FEED_H
#define ASSAY_SAMPLER_BPF_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/wire.h"
#include "bpf/wire_line.h"
#include "sampler/bpf_sampler.h"
#include "unwind/rule.h"

/*
 * These functions return arrays that the sampler reads. The options mappings_max and rules_max are
 * the numbers of their entries.
 */
struct wire_mapping *bpf_sampler_mappings(const struct bpf_sampler *sampler);
struct unwind_rule *bpf_sampler_rules(const struct bpf_sampler *sampler);

/*
 * From now on, the sampler unwinds the process @tgid with the data in @process, which replaces
 * earlier data. Returns -E2BIG if there are too many processes.
 */
int bpf_sampler_set_process(struct bpf_sampler *sampler, uint32_t tgid,
			    const struct wire_process *process);

/*
 * Allocates kernel memory for a table of @line_count lines, all zero. The caller fills the lines at
 * *@ret_lines, which remain mapped until bpf_sampler_unmap_table(). Returns a file descriptor for
 * the table or a negative errno.
 */
int bpf_sampler_make_table(size_t line_count, struct wire_line **ret_lines, struct err *err);
void bpf_sampler_unmap_table(struct wire_line *lines, size_t line_count);

/*
 * Stores the table with the descriptor fds[i] in slots[i], for each i. If fds[i] is -1, frees
 * slots[i]. Waits once for samples in progress, like bpf_sampler_wait().
 */
int bpf_sampler_set_tables(struct bpf_sampler *sampler, const uint32_t *slots, const int *fds,
			   size_t count, struct err *err);

/* Waits until all samples that began before this call are finished. */
int bpf_sampler_wait(struct bpf_sampler *sampler);

#endif
