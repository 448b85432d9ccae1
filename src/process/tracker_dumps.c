/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/proc_read.h"
#include "process/tracker-private.h"

/*
 * Returns true if @named_pid is the pid of this process. A forked process also maps its parent's
 * jitdump, but that jitdump does not belong to the child.
 */
static bool is_own(const struct live_process *process, uint32_t named_pid)
{
	uint32_t uid, inner_tgid = process->inner_tgid;

	if (named_pid == process->tgid || named_pid == inner_tgid)
		return true;
	return !process->was_read && proc_read_status(process->tgid, &uid, &inner_tgid) == 0 &&
	       named_pid == inner_tgid;
}

void tracker_see_dump(struct tracker *tracker, struct live_process *process,
		      const struct record_mmap *mmap)
{
	const struct jit_mapped_dump who = {
		.tgid = process->tgid,
		.start_ns = process->start_ns,
		.exec_ns = process->exec_ns,
	};
	bool is_wanted = process->is_target || tracker->options.all_are_targets;
	uint32_t named_pid = jit_dumps_pid(mmap->path);

	if (!is_wanted || !tracker->options.read_proc || !named_pid)
		return;
	if (process->dump_was_seen && process->dump_exec_ns == process->exec_ns)
		return;
	if (!is_own(process, named_pid))
		return;
	process->dump_was_seen = true;
	process->dump_exec_ns = process->exec_ns;
	if (!jit_dumps_see(&tracker->dumps, &who, mmap))
		loss_add(&tracker->model->losses, LOSS_JITDUMP_REFUSED, 1);
}

struct finding {
	struct tracker *tracker;
	struct live_process *process;
};

static int see_mapping(void *context, const struct record_mmap *mmap)
{
	const struct finding *finding = context;

	tracker_see_dump(finding->tracker, finding->process, mmap);
	return 0;
}

void tracker_find_dump(struct tracker *tracker, struct live_process *process)
{
	struct finding finding = { tracker, process };

	(void)proc_read_maps(process->tgid, see_mapping, &finding);
}

bool tracker_take_jit_dump(struct tracker *tracker, struct jit_mapped_dump *ret_dump)
{
	return jit_dumps_take(&tracker->dumps, ret_dump);
}
