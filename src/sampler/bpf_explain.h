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

/*
 * The file with the kernel's type information (BTF). Without it, no BPF program of assay can be
 * loaded.
 */
#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/*
 * Opens a BPF object with @options and loads it. Returns 0 or an error. If the error comes from
 * libbpf, the function returns libbpf's error code and leaves @err empty. For any other error, it
 * returns a negative errno and sets a message in @err.
 */
typedef int (*bpf_load_fn)(void *context, const struct bpf_object_open_opts *options,
			   struct err *err);

/*
 * Calls @load. If @load fails with a message in @err, returns the error of @load. If it fails
 * without a message, makes the message: it says that @what (for example "timing interrupts") does
 * not work, and what is missing or which line the verifier printed last. In that case returns
 * -EPERM, -ENOMEM or -EOPNOTSUPP. Returns 0 on success.
 */
int bpf_load_explained(const char *what, bpf_load_fn load, void *context, struct err *err);

#endif
