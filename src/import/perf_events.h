/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_events.h - the events of a perf.data, and which of them wrote a record
 *
 * Each event decides the layout of its records (struct record_layout), so a record can be read only
 * when its event is known.  It is told by the id that perf asks for as soon as there is more than
 * one event: PERF_SAMPLE_IDENTIFIER stands first in a sample and last in other records, and where
 * only PERF_SAMPLE_ID is there, perf makes sure that it stands at the same place for all events.
 *
 * Source: perf_event_open(2), include/uapi/linux/perf_event.h.
 */
#ifndef ASSAY_IMPORT_PERF_EVENTS_H
#define ASSAY_IMPORT_PERF_EVENTS_H

#include "base/byte_reader.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "perf/event_spec.h"
#include "perf/record.h"

#define PERF_EVENTS_MAX 4096
#define PERF_IDS_MAX (1u << 20)

#define PERF_NO_EVENT UINT32_MAX

struct perf_event {
	struct perf_event_attr attr;	/* in the order of this machine; what is newer: zeros */
	struct record_layout layout;
	char name[EVENT_NAME_MAX];	/* "" until it is known */
};

struct perf_events {
	VEC(struct perf_event) events;
	struct u64map ids;		/* of perf -> index */
	size_t id_count;
	bool swapped;			/* the file's bytes are in the other order */
};

void perf_events_fini(struct perf_events *events);

/* An attr of @size_bytes, as the file has it.  -EINVAL, -E2BIG or -ENOMEM. */
int perf_events_add(struct perf_events *events, struct byte_reader *r, size_t size_bytes);

/* Records with this id are of the event that was added last. */
int perf_events_add_id(struct perf_events *events, uint64_t id);

/* The event with this id, or NULL. */
struct perf_event *perf_events_get(const struct perf_events *events, uint64_t id);

/*
 * Whose a record is, by its header in our order and the rest in the file's; NULL when its id is
 * nobody's.  Other records than samples are the first
 * event's then, as perf has it: of those that it writes itself the id is zero.
 */
const struct perf_event *perf_events_of(const struct perf_events *events, const void *bytes,
					size_t size_bytes);

/* "cycles:u": the name that the file has, or what type and config say. */
void perf_event_name(const struct perf_event *event, char ret_name[static EVENT_NAME_MAX]);

static inline bool perf_event_is_time(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

#endif
