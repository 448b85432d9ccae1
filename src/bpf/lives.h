/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lives.h - who a process is, and what its children have from it
 *
 * The collector hears of forks a drain later, when a short-lived child is gone.  So here a child
 * becomes a target where its parent is one, and is walked as its parent is, from its first moment
 * on; what exec() changes ends by itself, because it begins another life (bpf/wire.h).
 *
 * Tgids are those of the first pid namespace here: a collector in another one does without.
 */
#ifndef ASSAY_BPF_LIVES_H
#define ASSAY_BPF_LIVES_H

#include "bpf/maps.h"

/* Never 0. A process has its start from its leader, also when another thread becomes the leader. */
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
 * How @tgid is walked; false where nothing is known of this life of it.  An entry that is removed
 * may become somebody else's at once: the life that still stands there afterwards tells.
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
	child.flags = 0;	/* its maps may become others than the parent's */
	bpf_map_update_elem(&processes, &tgid, &child, BPF_ANY);
}

/*
 * What the collector enters and removes, it does by running these (BPF_PROG_TEST_RUN).  In
 * bpf(2)'s own update of a map the kernel passes over all ticks of the CPU, also while the caller
 * is preempted there; in a program it does not.
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

/* Another life begins: what was entered of the one before would never be found again. */
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

/* When nobody can be sampled as this task any more; its ids may have been given again by now. */
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
