/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The smallest BPF program that can run at each tick. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("perf_event")
int null_sampler(void *context)
{
	return 0;
}

char null_license[] SEC("license") = "GPL";
