/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_reach.h - which instructions of a BPF program can be reached
 *
 * libbpf replaces each access to a field that the kernel lacks by a call of a function that does
 * not exist. The kernel refuses the program only if the verifier reaches this call, so an access
 * behind a check that the field exists does no harm. This follows a program as the verifier does,
 * with the registers whose value is a constant. It knows less than the verifier: at a place that
 * is reached in several ways, it knows only what is the same in all of them.
 */
#ifndef ASSAY_TESTS_SUPPORT_BPF_REACH_H
#define ASSAY_TESTS_SUPPORT_BPF_REACH_H

#include <linux/bpf.h>
#include <stddef.h>

/*
 * Returns the index of the first instruction that can be reached and accesses a field that the
 * kernel lacks, or -1 if there is none.
 */
long bpf_reach_missing_field(const struct bpf_insn *insns, size_t count);

#endif
