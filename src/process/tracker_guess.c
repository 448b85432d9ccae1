/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/tracker_guess.h"

#include "process/tracker-private.h"

void tracker_guess_begin(const struct tracker *tracker, struct live_thread *thread,
			 const struct perf_record *record)
{
	struct live_process *process = thread->process;
	/* perf writes records with time 0 for processes that exist when it starts */
	bool was_there = !record->time_ns && !process->start_ns;

	if (!tracker->options.guess_execs || record->tid != record->tgid || was_there)
		return;
	process->guess = (struct exec_guess){ .is_open = true, .comm_ns = record->time_ns };
}

static bool is_called(const char *path, const char *comm)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(comm);

	if (!slash || !length || strncmp(slash + 1, comm, length) != 0)
		return false;
	return slash[1 + length] == '\0' || length == LIVE_COMM_MAX - 1;
}

/*
 * Finds the mappings since the COMM in the address space that exec dropped. A mapping may have been
 * merged with an earlier one.
 */
static size_t mappings_since(const struct live_process *process,
			     struct live_mapping ret_kept[static EXEC_GUESS_MAPS])
{
	const struct exec_guess *guess = &process->guess;
	size_t count = 0;

	for (size_t i = 0; i < guess->count; i++) {
		const struct live_mapping *mapping = address_space_find(process->space,
									guess->start_addrs[i]);

		if (!mapping)
			continue;
		ret_kept[count] = *mapping;
		ret_kept[count].start_addr = guess->start_addrs[i];
		ret_kept[count].offset += guess->start_addrs[i] - mapping->start_addr;
		count++;
	}
	return count;
}

static int begin_guessed(struct tracker *tracker, struct live_process *process, const char *name)
{
	struct live_mapping kept[EXEC_GUESS_MAPS];
	size_t count = mappings_since(process, kept);
	char comm[LIVE_COMM_MAX];
	int rc;

	(void)snprintf(comm, sizeof(comm), "%s", name);
	rc = tracker_apply_exec(tracker, &(struct perf_record){
						 .kind = RECORD_COMM,
						 .tgid = process->tgid,
						 .tid = process->tgid,
						 .time_ns = process->guess.comm_ns,
						 .exec = true,
						 .comm.name = comm,
					 });
	for (size_t i = 0; i < count && rc == 0; i++) {
		tracker_see_program(tracker, process, kept[i].pin);
		rc = address_space_map(&process->space, &kept[i], &tracker->clock);
	}
	return rc;
}

int tracker_guess_exec(struct tracker *tracker, struct live_process *process,
		       const struct record_mmap *mmap)
{
	struct exec_guess *guess = &process->guess;
	const struct live_thread *leader = live_thread_get(tracker, process->tgid);

	if (!guess->is_open)
		return 0;
	guess->is_open = false;
	if (!leader || leader->process != process)
		return 0;
	if (strcmp(mmap->path, "[vdso]") == 0 ||
	    (guess->count == 0 && is_called(mmap->path, leader->comm)))
		return begin_guessed(tracker, process, leader->comm);
	if (guess->count < EXEC_GUESS_MAPS) {
		guess->start_addrs[guess->count++] = mmap->start_addr;
		guess->is_open = true;
	}
	return 0;
}
