/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/identity.h"

#include <string.h>

static bool same_process(const struct identity *known, const struct identity *shown)
{
	if (known->start_ticks && shown->start_ticks)
		return known->start_ticks == shown->start_ticks;
	return !known->start_ns || !shown->start_ns || shown->start_ns <= known->start_ns;
}

enum identity_match identity_compare(const struct identity *known, const struct identity *shown)
{
	if (!same_process(known, shown))
		return IDENTITY_OTHER_PROCESS;
	if (!known->start_stack || !shown->start_stack)
		return IDENTITY_UNCLEAR;
	return known->start_code == shown->start_code && known->start_stack == shown->start_stack
		       ? IDENTITY_SAME
		       : IDENTITY_OTHER_PROGRAM;
}

struct identity identity_of_task(const struct proc_task *leader)
{
	return (struct identity){
		.start_ns = leader->start_ns,
		.start_ticks = leader->start_ticks,
		.start_code = leader->start_code,
		.start_stack = leader->start_stack,
	};
}

struct identity identity_of_owner(const struct record_owner *owner, int64_t boot_shift_ns)
{
	bool is_whole = owner->start_code && owner->start_stack;
	uint64_t shown_ns = owner->start_boot_ns + (uint64_t)boot_shift_ns;

	return (struct identity){
		.start_ns = owner->start_ns,
		.start_ticks = owner->start_boot_ns ? proc_ticks(shown_ns) : 0,
		.start_code = is_whole ? owner->start_code : 0,
		.start_stack = is_whole ? owner->start_stack : 0,
	};
}

bool identity_is_unchanged(const struct proc_task *before, const struct proc_task *after)
{
	return before->start_ticks == after->start_ticks &&
	       before->start_code == after->start_code &&
	       before->start_stack == after->start_stack && strcmp(before->comm, after->comm) == 0;
}
