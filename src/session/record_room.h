/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_room.h - keeps the memory of a session within its budget
 *
 * The budget is for what grows with the length of a run. A capture gets three quarters of it for
 * unwind tables and rings (capture/capture_memory.h), five eighths of it. An eighth each is for
 * stacks, for images, locations and strings, and for the names of generated code
 * (symbolize/jit_history.h). Other memory does not grow: about 60 MiB with the default budget.
 *
 * What was written is on disk, so it may leave memory. Processes, threads and mappings leave after
 * each flush, or, if a watcher reads them, when they take ROWS_SHARE of the budget. Stacks leave
 * all at once when they have used up their share. The dictionary of stacks then begins anew: stacks
 * that are still in use are written a second time, and nothing is lost. Images and locations are
 * needed until the end, when they get names. When their share is used up, the model adds no more of
 * them (model_limit_places()).
 */
#ifndef ASSAY_SESSION_RECORD_ROOM_H
#define ASSAY_SESSION_RECORD_ROOM_H

#include "session/record_session.h"

struct record_room {
	const struct session_watch *watch;	/* borrowed; NULL: no watcher */
	size_t stack_bytes_max, row_bytes_max, generated_bytes_max;
	/* numbers of rows at the last release */
	size_t processes, threads, mappings;
};

/*
 * @memory_bytes is the budget, 0 for the default: 192 MiB, but at most a quarter of what this
 * process may have (process/memory_limit.h). Stores it as a fact, and divides it: sets the limits
 * of *@memory that the user did not set, and that of the model. From now on, the C library gives
 * the memory of large arrays back when they are freed; by itself it would keep much of it.
 */
void record_room_init(struct record_room *room, uint64_t memory_bytes,
		      const struct session_watch *watch, struct model *model,
		      struct capture_memory *memory);

/* To be called after each flush, when everything in the model was written or is not to be. */
void record_room_make(struct record_room *room, struct capture *capture, struct model *model);

/*
 * Returns true if what could not be written takes more than its share of the budget. To be called
 * after a flush that found the disk full.
 */
bool record_room_is_used_up(const struct record_room *room, const struct model *model);

#endif
