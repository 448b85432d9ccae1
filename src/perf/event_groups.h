/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_groups.h - lists of events to be counted, with groups in braces
 *
 *	cycles,{instructions,branches:u}:S,page-faults
 *
 * The events of a group are counted at the same time or not at all, so that a ratio of two of
 * them is true also where counters take turns.  An event outside of braces is a group of one.
 * Modifiers behind a group are added to those of each member: 'u' to an event without any
 * leaves user code, to one with 'k' both.  Two letters are known here alone: S (when sampled,
 * only the leader is), which says nothing where all are counted, and W (weak: where the group
 * is too large for the machine its events may be counted apart).
 */
#ifndef ASSAY_PERF_EVENT_GROUPS_H
#define ASSAY_PERF_EVENT_GROUPS_H

#include "perf/event_spec.h"

#define COUNTED_EVENTS_MAX 64

struct event_group {
	size_t first, count;	/* of the specs */
	bool weak;
};

struct event_groups {
	struct event_spec specs[COUNTED_EVENTS_MAX];
	size_t spec_count;
	struct event_group groups[COUNTED_EVENTS_MAX];
	size_t group_count;
	bool user_only;		/* the kernel was taken out of the specs: it may not be counted */
};

/* Puts ":letters" behind the event's name, for who reads what was counted. */
void event_spec_note(struct event_spec *spec, const char *letters);

/* Adds the events of @text; what was there stays. Errors name the event or the brace. */
int event_groups_parse(const char *text, struct event_groups *groups, struct err *err);

#endif
