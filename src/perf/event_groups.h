/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_groups.h - lists of events to count, with groups in braces
 *
 *	cycles,{instructions,branches:u}:S,page-faults
 *
 * The kernel counts the events of a group during the same periods. So the ratio of two of these
 * events is correct even if the kernel multiplexes counters. An event outside braces forms a group
 * by itself.
 *
 * Modifiers after a group apply to each member, in addition to the member's own modifiers. For
 * example, 'u' after the group restricts a member without modifiers to user code. If a member has
 * its own 'k', it then counts both user and kernel code. Two letters are valid only after a group:
 *
 * - S (in perf: sample only the group's leader) has no effect, because events in these lists are
 *   never sampled.
 * - W (weak) allows the events to be counted separately if the machine cannot count all of them at
 *   the same time.
 */
#ifndef ASSAY_PERF_EVENT_GROUPS_H
#define ASSAY_PERF_EVENT_GROUPS_H

#include "perf/event_spec.h"

#define COUNTED_EVENTS_MAX 64

struct event_group {
	/* index of the group's first spec in event_groups.specs; number of specs in the group */
	size_t first, count;
	bool weak;
};

struct event_groups {
	struct event_spec specs[COUNTED_EVENTS_MAX];
	size_t spec_count;
	struct event_group groups[COUNTED_EVENTS_MAX];
	size_t group_count;
	/* all specs exclude the kernel, because the user may not count kernel code */
	bool user_only;
};

/* Appends ":letters" to the event's name, so that the output shows what was counted. */
void event_spec_note(struct event_spec *spec, const char *letters);

/*
 * Parses @text and appends its events to @groups. An error message says which event is invalid or
 * which brace has no partner.
 */
int event_groups_parse(const char *text, struct event_groups *groups, struct err *err);

#endif
