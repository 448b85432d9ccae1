/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lives.h - identifies processes, and lets children inherit from their parents
 *
 * A life is one program run by one process: fork() and exec() each begin a new one. It is
 * identified by a number (life_of()).
 *
 * The collector learns of a fork only at its next drain of the rings, when a short-lived child may
 * already have exited. The BPF programs in this file therefore act at the fork itself: a child of a
 * target becomes a target, and its stacks are walked with its parent's mappings from its first
 * moment on. When a process calls exec(), it gets a new life, so the inherited data is no longer
 * used (bpf/wire.h).
 *
 * Tgids in this file are those of the first pid namespace. A collector in another pid namespace
 * does not use these programs.
 */
#ifndef ASSAY_BPF_LIVES_H
#define ASSAY_BPF_LIVES_H

#include "bpf/maps.h"

/*
 * Returns the life of the process of @task, never 0. The life is computed from the start time of
 * the thread group leader, which stays the same if another thread becomes the leader.
 */
static __always_inline uint64_t life_of(const struct task_struct *task)
{
	uint64_t life = task->group_leader->start_time + task->self_exec_id * 0x9e3779b97f4a7c15ull;

	return life ? life : 1;
}

__noinline uint64_t life_of_current(void)
{
	return life_of(bpf_get_current_task_btf());
}

/*
 * Copies the entry of @tgid in `processes`. The entry is needed to walk the stacks of the process.
 * Returns false if there is no entry for @life. The entry may be removed and at once reused for
 * another process, so the life in the entry is checked again after copying.
 */
static __always_inline int know_process(struct scratch *scratch, uint32_t tgid, uint64_t life)
{
	const struct wire_process *process = bpf_map_lookup_elem(&processes, &tgid);

	if (!process)
		return 0;
	scratch->user.process = *process;
	barrier();
	return scratch->user.process.life == life && *(volatile uint64_t *)&process->life == life;
}

__noinline int take_owner(struct wire_owner *owner)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	const struct task_struct *leader = task->group_leader;
	const struct mm_struct *mm = task->mm;

	if (!owner)
		return 0;
	*owner = (struct wire_owner){
		.cgroup_id = bpf_get_current_cgroup_id(),
		.uid = (uint32_t)bpf_get_current_uid_gid(),
		.in_namespace = task->thread_pid->level > 0,
		.start_ns = leader->start_time,
		.start_boot_ns = leader->start_boottime,
	};
	if (mm) {
		owner->start_code = mm->start_code;
		owner->start_stack = mm->start_stack;
	}
	bpf_get_current_comm(owner->comm, sizeof(owner->comm));
	return 1;
}

static __always_inline void inherit_space(uint32_t parent_tgid, uint64_t parent_life, uint32_t tgid,
					  uint64_t life)
{
	const struct wire_process *parent = bpf_map_lookup_elem(&processes, &parent_tgid);
	struct wire_process child;

	if (!parent || parent->life != parent_life)
		return;
	child = *parent;
	child.life = life;
	child.flags = 0;	/* the child's mappings may later differ from the parent's */
	bpf_map_update_elem(&processes, &tgid, &child, BPF_ANY);
}

/*
 * The collector adds and removes entries of `processes` by running the following programs
 * (BPF_PROG_TEST_RUN). If the collector updated the map with bpf(2) instead, the kernel would skip
 * all ticks of the collector's CPU during the update, even while the collector is preempted inside
 * the call. The kernel does not skip ticks while these programs run.
 */
SEC("syscall")
int enter_process(const struct wire_entry *entry)
{
	struct wire_process process = entry->process;
	uint32_t tgid = entry->tgid;

	return (int)bpf_map_update_elem(&processes, &tgid, &process, BPF_ANY);
}

SEC("syscall")
int remove_process(const struct wire_entry *entry)
{
	uint32_t tgid = entry->tgid;

	return (int)bpf_map_delete_elem(&processes, &tgid);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_forked, struct task_struct *parent, struct task_struct *child)
{
	uint32_t parent_tgid = (uint32_t)parent->tgid, tgid = (uint32_t)child->tgid;
	uint64_t life;

	if (tgid == parent_tgid)
		return 0;
	life = life_of(child);
	if (!all_tgids && bpf_map_lookup_elem(&targets, &parent_tgid) &&
	    bpf_map_update_elem(&targets, &tgid, &life, BPF_ANY))
		__sync_fetch_and_add(&children_lost, 1);
	inherit_space(parent_tgid, life_of(parent), tgid, life);
	return 0;
}

/* exec() begins a new life. Removes the entry of the old life, which would never be used again. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_executes, struct task_struct *task)
{
	uint32_t tgid = (uint32_t)task->tgid;
	const struct wire_process *process = bpf_map_lookup_elem(&processes, &tgid);
	uint64_t life = life_of(task);

	if (process && process->life != life)
		bpf_map_delete_elem(&processes, &tgid);
	if (!all_tgids && bpf_map_lookup_elem(&targets, &tgid))
		bpf_map_update_elem(&targets, &tgid, &life, BPF_EXIST);
	return 0;
}

/*
 * Runs when no more samples of @task can occur. By then the pid of @task may already have been
 * given to another task.
 */
SEC("tp_btf/sched_process_free")
int BPF_PROG(task_freed, struct task_struct *task)
{
	uint32_t tgid = (uint32_t)task->tgid;
	const struct wire_process *process;
	const uint64_t *target;
	uint64_t life;

	if (task->pid != task->tgid)
		return 0;
	life = life_of(task);
	process = bpf_map_lookup_elem(&processes, &tgid);
	if (process && process->life == life)
		bpf_map_delete_elem(&processes, &tgid);
	target = bpf_map_lookup_elem(&targets, &tgid);
	if (target && (*target == life || *target == 0))
		bpf_map_delete_elem(&targets, &tgid);
	return 0;
}

#endif
