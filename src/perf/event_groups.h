/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_groups.h - lists of events to count, with groups in braces
 *
 *	cycles,{instructions,branches:u}:S,page-faults
 *
 * The events of a group are counted at the same time or not at all. So the ratio of two of them is
 * correct even if the kernel multiplexes counters. An event outside braces forms a group by itself.
 *
 * Modifiers after a group apply to each member, in addition to the member's own modifiers. For
 * example, 'u' after the group restricts a member without modifiers to user code. A member with its
 * own 'k' then counts both user and kernel code. Two letters are valid only after a group:
 *
 * - S (only the leader is sampled) has no effect, because all events are counted.
 * - W (weak) allows the events to be counted separately if the group is too large for the machine.
 */
#ifndef ASSAY_PERF_EVENT_GROUPS_H
#define ASSAY_PERF_EVENT_GROUPS_H

#include "perf/event_spec.h"

#define COUNTED_EVENTS_MAX 64

struct event_group {
	size_t first, count;	/* index of the group's first spec, and number of its specs */
	bool weak;
};

struct event_groups {
	struct event_spec specs[COUNTED_EVENTS_MAX];
	size_t spec_count;
	struct event_group groups[COUNTED_EVENTS_MAX];
	size_t group_count;
	/* all specs exclude the kernel, because assay is not allowed to count it */
	bool user_only;
};

/* Appends ":letters" to the event's name, so that the output shows what was counted. */
void event_spec_note(struct event_spec *spec, const char *letters);

/* Parses @text and appends its events to @groups. Error messages name the event or the brace. */
int event_groups_parse(const char *text, struct event_groups *groups, struct err *err);

#endif
