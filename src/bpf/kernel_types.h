/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_types.h - the kernel structures that the BPF programs read
 *
 * Only the members that the programs read are declared. When libbpf loads a program, it finds the
 * real offsets of these members in the BTF of the running kernel ("CO-RE"). A vmlinux.h, which
 * would come from some other kernel, is therefore not needed. The programs read the members with
 * plain loads, which the verifier allows for pointers whose type it knows. Unlike
 * bpf_probe_read_kernel(), plain loads also work if the kernel is locked down for confidentiality.
 *
 * This header also provides the fixed-width types that wire.h and unwind/step.h need, because the C
 * library's <stdint.h> does not support the BPF target.
 */
#ifndef ASSAY_BPF_KERNEL_TYPES_H
#define ASSAY_BPF_KERNEL_TYPES_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
typedef __s8 int8_t;
typedef __s16 int16_t;
typedef __s32 int32_t;
typedef __s64 int64_t;

#define UINT32_MAX 0xffffffffu

#define EEXIST 17	/* include/uapi/asm-generic/errno-base.h */
#define PF_KTHREAD 0x00200000u	/* include/linux/sched.h: flag in task_struct.flags */

/* where the kernel executes instructions that uprobes have replaced, and returns go with probes */
struct xol_area {
	unsigned long vaddr;
} __attribute__((preserve_access_index));

struct uprobes_state {
	struct xol_area *xol_area;
} __attribute__((preserve_access_index));

struct mm_struct {
	struct uprobes_state uprobes_state;
	unsigned long exec_vm;
	unsigned long start_code, start_stack, task_size;
} __attribute__((preserve_access_index));

struct pid {
	unsigned int level;
} __attribute__((preserve_access_index));

struct sched_info {
	unsigned long long run_delay;	/* total time in ns that the task waited on a run queue */
	/*
	 * on the scheduler's clock: when the task last began to run, and since when it waits for a
	 * CPU; last_queued is 0 if it does not wait for a CPU
	 */
	unsigned long long last_arrival, last_queued;
} __attribute__((preserve_access_index));

struct cred {
	struct {
		unsigned int val;
	} uid;
} __attribute__((preserve_access_index));

struct thread_info {
	unsigned long flags;
#if defined(__TARGET_ARCH_x86)
	unsigned int status;
#endif
} __attribute__((preserve_access_index));

/* arch/x86/include/asm/thread_info.h, arch/arm64/include/asm/thread_info.h */
#define TS_COMPAT 2u		/* in thread_info.status: in a system call of 32-bit code */
#define TIF_32BIT (1ul << 22)	/* in thread_info.flags: the task runs a 32-bit program */

struct kernfs_node {
	uint64_t id;
} __attribute__((preserve_access_index));

struct cgroup {
	struct kernfs_node *kn;
} __attribute__((preserve_access_index));

struct css_set {
	struct cgroup *dfl_cgrp;	/* of cgroup v2 */
} __attribute__((preserve_access_index));

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	unsigned int on_cpu;		/* int; u8 since Linux 7.2 */
	unsigned int __state;		/* TASK_... bits; 0: the task is able to run */
	int pid, tgid;
	unsigned int in_iowait : 1;
	struct sched_info sched_info;
	struct mm_struct *mm;
	struct pid *thread_pid;
	struct task_struct *group_leader, *real_parent;
	const struct cred *cred;
	struct css_set *cgroups;
	uint64_t start_time, start_boottime;
	unsigned long sas_ss_sp, sas_ss_size;
	uint64_t self_exec_id;
	char comm[16];
} __attribute__((preserve_access_index));

/* Names of fields in older kernels. libbpf ignores ___ and everything after it. */
struct task_struct___before_5_5 {
	uint64_t real_start_time;
} __attribute__((preserve_access_index));

struct task_struct___before_5_14 {
	unsigned long state;
} __attribute__((preserve_access_index));

struct hrtimer {
	/* time at which the timer is due (the earliest time if the timer has slack) */
	uint64_t _softexpires;
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct task_struct *task;	/* NULL in the last call, at the end of the iteration */
} __attribute__((preserve_access_index));

struct super_block {
	unsigned int s_dev;
} __attribute__((preserve_access_index));

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
} __attribute__((preserve_access_index));

struct file {
	struct inode *f_inode;
} __attribute__((preserve_access_index));

struct vm_area_struct {
	unsigned long vm_start, vm_pgoff;
	struct file *vm_file;
} __attribute__((preserve_access_index));

/*
 * The user-mode registers that the kernel saved when the task entered the kernel. libbpf ignores
 * ___ and everything after ___ when it looks up the kernel's type. The suffix is needed because
 * user space has a different struct pt_regs.
 */
struct pt_regs___kernel {
#if defined(__TARGET_ARCH_x86)
	unsigned long bx, bp, r8, r9, r10, ax, dx, si, di, ip, sp, orig_ax;
#else
	uint64_t regs[31], sp, pc;
	int syscallno;
#endif
} __attribute__((preserve_access_index));

#endif
