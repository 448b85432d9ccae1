/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_explain.h - getting a BPF object into the kernel, and why the kernel does not take it
 *
 * libbpf says what went wrong on standard error, in its own words.  Here it is silent, what the
 * verifier has to say goes to a log, and of both a sentence for people is made.
 *
 * Not thread-safe: libbpf has one print function for all.
 */
#ifndef ASSAY_SAMPLER_BPF_EXPLAIN_H
#define ASSAY_SAMPLER_BPF_EXPLAIN_H

#include <bpf/libbpf.h>

#include "base/err.h"

/* The kernel's types, without which nothing of ours can be loaded. */
#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/*
 * Opens an object with @options and loads it.  0, or what libbpf answered, or a negative errno with
 * a sentence of its own in @err.
 */
typedef int (*bpf_load_fn)(void *context, const struct bpf_object_open_opts *options,
			   struct err *err);

/*
 * Calls @load.  When that failed without a sentence, @err says that @what ("timing interrupts")
 * does not work, and what it needs or what the verifier said last: -EPERM, -ENOMEM or -EOPNOTSUPP.
 */
int bpf_load_explained(const char *what, bpf_load_fn load, void *context, struct err *err);

#endif
