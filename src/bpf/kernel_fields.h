/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_fields.h - reads the fields of the kernel's structures that a kernel may lack
 *
 * The structures of the kernel change. If a program reads a field that the running kernel does not
 * have, libbpf replaces the read by an invalid instruction, and the kernel refuses the whole
 * program. So the programs read such a field only after a check that it exists. The verifier does
 * not look at code behind a check that fails.
 *
 * libbpf also replaces a read if the field is a signed number of another size than in
 * kernel_types.h. It adapts reads of unsigned numbers. on_cpu, for example, was an int until
 * Linux 7.1, and is a u8 in Linux 7.2. Therefore kernel_types.h declares numbers as unsigned.
 *
 * kernel_fields.def lists the fields that have a check, so that the user can be told what a kernel
 * lacks. Other checks are refused by the compiler. The fields that have no check are those without
 * which there is nothing to record: pid and tgid of a task, its memory (mm) and its registers.
 */
#ifndef ASSAY_BPF_KERNEL_FIELDS_H
#define ASSAY_BPF_KERNEL_FIELDS_H

#include "bpf/kernel_types.h"

/* has_NAME(): returns true if the running kernel has the field of this row. */
#define HAS(name, structure, member)                                 \
	static __always_inline int has_##name(void)                  \
	{                                                            \
		return bpf_core_field_exists(struct structure, member); \
	}
#define FIELD(name, structure, member, use, cost) HAS(name, structure, member)
#define FORMER(name, structure, member, new_name) HAS(name, structure, member)
#include "bpf/kernel_fields.def"
#undef FORMER
#undef FIELD
#undef HAS
#undef bpf_core_field_exists
#pragma GCC poison bpf_core_field_exists

/* ---- who the task is ---- */

static __always_inline const struct task_struct *leader_of(const struct task_struct *task)
{
	return has_group_leader() ? task->group_leader : task;
}

static __always_inline uint64_t start_time_of(const struct task_struct *task)
{
	return has_start_time() ? task->start_time : 0;
}

/* Linux 5.5 renamed real_start_time to start_boottime. */
static __always_inline uint64_t start_boottime_of(const struct task_struct *task)
{
	const struct task_struct___before_5_5 *old = (const void *)task;

	if (has_real_start_time())
		return old->real_start_time;
	return has_start_boottime() ? task->start_boottime : 0;
}

static __always_inline uint64_t exec_id_of(const struct task_struct *task)
{
	return has_self_exec_id() ? task->self_exec_id : 0;
}

/* Returns true if the task is in a pid namespace below the first one, or if this is unknown. */
static __always_inline int is_in_pid_namespace(const struct task_struct *task)
{
	if (!has_thread_pid() || !has_pid_level())
		return 1;
	return task->thread_pid->level > 0;
}

static __always_inline int is_of_user(const struct task_struct *task, uint32_t uid)
{
	if (!has_cred() || !has_uid())
		return 0;
	return task->cred->uid.val == uid;
}

/* ---- what the task is doing ---- */

#define STATE_UNKNOWN UINT32_MAX

/*
 * Returns the TASK_... bits of the task, 0 if it is able to run, or STATE_UNKNOWN. Linux 5.14
 * renamed state to __state.
 */
static __always_inline uint32_t state_of(const struct task_struct *task)
{
	const struct task_struct___before_5_14 *old = (const void *)task;

	if (has_former_state())
		return (uint32_t)old->state;
	return has_state() ? task->__state : STATE_UNKNOWN;
}

/* Returns true if the task is running on a CPU. If this is unknown, every able task counts so. */
static __always_inline int is_on_cpu(const struct task_struct *task)
{
	return has_on_cpu() ? task->on_cpu != 0 : state_of(task) == 0;
}

static __always_inline int is_in_iowait(struct task_struct *task)
{
	return has_in_iowait() && BPF_CORE_READ_BITFIELD(task, in_iowait);
}

/* The fields of sched_info are missing if the kernel was built without CONFIG_SCHED_INFO. */

static __always_inline uint64_t run_delay_of(const struct task_struct *task)
{
	return has_run_delay() ? task->sched_info.run_delay : 0;
}

static __always_inline uint64_t last_arrival_of(const struct task_struct *task)
{
	return has_last_arrival() ? task->sched_info.last_arrival : 0;
}

static __always_inline uint64_t last_queued_of(const struct task_struct *task)
{
	return has_last_queued() ? task->sched_info.last_queued : 0;
}

/* ---- its memory ---- */

static __always_inline int is_kernel_thread(const struct task_struct *task)
{
	return has_task_flags() && (task->flags & PF_KTHREAD) != 0;
}

static __always_inline uint64_t start_code_of(const struct mm_struct *mm)
{
	return has_start_code() ? mm->start_code : 0;
}

static __always_inline uint64_t start_stack_of(const struct mm_struct *mm)
{
	return has_start_stack() ? mm->start_stack : 0;
}

/* Returns true until the program that the memory is for has been loaded. */
static __always_inline int is_being_filled(const struct mm_struct *mm)
{
	return has_start_code() && !mm->start_code;
}

#endif
