/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lives.h - identifies processes, and lets children inherit from their parents
 *
 * A "life" is one program run by one process. fork() and exec() each begin a new life. A life is
 * identified by a number (life_of()).
 *
 * The collector learns of a fork only when it next reads the rings. A short-lived child may already
 * have exited by then. The BPF programs in this file therefore act at the fork itself. A child of a
 * target becomes a target. From the child's first moment on, the sampler walks its stacks with the
 * mappings of its parent. When a process calls exec(), it gets a new life. The data that the old
 * life inherited is then no longer used (bpf/wire_feed.h).
 *
 * The tgids in this file are numbers of the first (initial) pid namespace. A collector in another
 * pid namespace does not load the programs that follow fork, exec and exit.
 */
#ifndef ASSAY_BPF_LIVES_H
#define ASSAY_BPF_LIVES_H

#include "bpf/kernel_fields.h"
#include "bpf/maps.h"

/*
 * Returns a number that identifies the process of @task and the program that it runs (its life). A
 * later process with the same tgid has another number. Never returns 0. The number is computed from
 * the start time of the thread group leader and the number of exec() calls. The start time stays
 * the same if another thread becomes the leader.
 */
static __always_inline uint64_t life_of(const struct task_struct *task)
{
	uint64_t life = start_time_of(leader_of(task)) + exec_id_of(task) * 0x9e3779b97f4a7c15ull;

	return life ? life : 1;
}

__noinline uint64_t life_of_current(void)
{
	return life_of(bpf_get_current_task_btf());
}

/*
 * Copies the entry that the map `processes` has for @tgid to the scratch memory, where the walk of
 * the user part uses it. Returns false if there is no entry, or if the entry is for another life
 * than @life. During the copying, the entry may be removed and its memory reused for another
 * process. The life in the map is therefore checked again after copying.
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
	const struct task_struct *leader = leader_of(task);
	const struct mm_struct *mm = task->mm;

	if (!owner)
		return 0;
	*owner = (struct wire_owner){
		.cgroup_id = bpf_get_current_cgroup_id(),
		.uid = (uint32_t)bpf_get_current_uid_gid(),
		.in_namespace = is_in_pid_namespace(task),
		.start_ns = start_time_of(leader),
		.start_boot_ns = start_boottime_of(leader),
	};
	if (mm) {
		owner->start_code = start_code_of(mm);
		owner->start_stack = start_stack_of(mm);
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
	child.flags = 0;	/* not settled: the child's mappings may later differ */
	bpf_map_update_elem(&processes, &tgid, &child, BPF_ANY);
}

/*
 * The collector adds and removes entries of `processes` by running the following programs
 * (BPF_PROG_TEST_RUN). It does not use the map commands of bpf(2), because the kernel would skip
 * all ticks of the collector's CPU during such a command, even while the collector is preempted
 * inside the call. The kernel does not skip ticks while these programs run.
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

/*
 * Runs at exec(), which begins a new life. Removes the entry of the old life from `processes`,
 * because it would never be used again. Stores the new life in `targets`.
 */
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
 * Runs after the last possible sample of @task. By then the kernel may already have given the pid
 * of @task to another task, so entries that belong to another life are kept.
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
