/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf_explain.h - why the kernel does not take a BPF program, for people */
#ifndef ASSAY_CAPTURE_BPF_EXPLAIN_H
#define ASSAY_CAPTURE_BPF_EXPLAIN_H

#include "base/err.h"

/* The kernel's types, without which nothing of ours can be loaded. */
#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/*
 * @what ("timing interrupts") did not work, with what libbpf answered and what the verifier has
 * logged, which is cut here.  -EPERM, -ENOMEM or -EOPNOTSUPP.
 */
int bpf_explain(struct err *err, const char *what, int code, char *log);

#endif
