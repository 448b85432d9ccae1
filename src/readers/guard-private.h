/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard-private.h - what guard.c, guard_filter.c and guard_process.c share
 *
 * A session sends its guard GUARD_PLACE messages, each with a descriptor of the directory, and at
 * last GUARD_CALLS with the descriptor from which the guard receives the calls. The guard answers
 * each message with an int32_t, 0 or a negative errno.
 */
#ifndef ASSAY_READERS_GUARD_PRIVATE_H
#define ASSAY_READERS_GUARD_PRIVATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GUARD_PLACES_MAX 64

enum guard_message_kind { GUARD_PLACE, GUARD_CALLS };

struct guard_message {
	uint32_t kind;
	/* GUARD_PLACE: */
	bool only_new;			/* files may be created, but not changed, there */
	char name[NAME_MAX + 1];	/* how names begin */
};

/* Runs in a child of process @session. Never returns. */
_Noreturn void guard_run(int socket, pid_t session);

/*
 * Installs the filter for this process. If @may_open_events is false, the guard opens perf events,
 * too. Returns a descriptor of the calls that the guard decides, or a negative errno.
 */
int guard_filter_calls(bool may_open_events);

#endif
