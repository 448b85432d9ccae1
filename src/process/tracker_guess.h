/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracker_guess.h - find execs in records of kernels before 3.16
 *
 * The COMM records of these kernels do not say whether exec or prctl(PR_SET_NAME) set the name.
 *
 * After exec, the leader's COMM is followed by the mappings of the program, of its interpreter (the
 * dynamic linker) and of the vdso, which only exec maps. So a COMM of the leader was an exec if one
 * of the next mappings is the vdso, or if the very next one is a file with the name in the COMM.
 * (The name differs if a link or a script was executed. Some machines have no vdso.) If neither is
 * the case, the COMM was a new name, and the mappings remain.
 *
 * Source: load_elf_binary(), install_special_mapping() and perf_event_comm() of Linux 3.2.
 */
#ifndef ASSAY_PROCESS_TRACKER_GUESS_H
#define ASSAY_PROCESS_TRACKER_GUESS_H

#include "process/tracker.h"

/* Called after a COMM without exec was applied: from now on, mappings may show that it was one. */
void tracker_guess_begin(const struct tracker *tracker, struct live_thread *thread,
			 const struct perf_record *record);

/*
 * Called before a mapping is added. If the mapping shows that the last COMM of the leader was an
 * exec, starts the new program, with the mappings since that COMM. Returns 0 or a negative errno.
 */
int tracker_guess_exec(struct tracker *tracker, struct live_process *process,
		       const struct record_mmap *mmap);

#endif
