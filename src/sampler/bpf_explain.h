/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_explain.h - loading a BPF object, with a readable error if the kernel rejects it
 *
 * libbpf normally prints its own error messages to standard error. The function in this file keeps
 * libbpf silent and collects the verifier's output in a log. From the error code and the log it
 * makes a readable sentence.
 *
 * Not thread-safe, because libbpf has one global print function.
 */
#ifndef ASSAY_SAMPLER_BPF_EXPLAIN_H
#define ASSAY_SAMPLER_BPF_EXPLAIN_H

#include <bpf/libbpf.h>

#include "base/err.h"

/* The kernel's type information. No BPF program of assay can be loaded without it. */
#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/*
 * Opens an object with @options and loads it. Returns 0, an error code of libbpf, or, with a
 * message in @err, another negative errno.
 */
typedef int (*bpf_load_fn)(void *context, const struct bpf_object_open_opts *options,
			   struct err *err);

/*
 * Calls @load. If @load failed without a message, sets @err to say that @what (for example "timing
 * interrupts") does not work, followed by what it needs or by the verifier's last line. Returns 0,
 * the error of @load if it set a message, or else -EPERM, -ENOMEM or -EOPNOTSUPP.
 */
int bpf_load_explained(const char *what, bpf_load_fn load, void *context, struct err *err);

#endif
