/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_events.h - the events of a perf.data, and which of them wrote a record
 *
 * The layout of a record depends on its event (struct record_layout), so a record can be decoded
 * only when its event is known. A record contains an id that identifies its event; perf omits the
 * id only if there is a single event. With PERF_SAMPLE_IDENTIFIER, the id is the first field of a
 * sample and the last field of any other record. With only PERF_SAMPLE_ID, perf ensures that the id
 * is at the same offset for all events.
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
	/* in native byte order; fields that this reader does not support are zero */
	struct perf_event_attr attr;
	struct record_layout layout;
	char name[EVENT_NAME_MAX];	/* "" until the name is known */
};

struct perf_events {
	VEC(struct perf_event) events;
	struct u64map ids;		/* perf's id -> index in events */
	size_t id_count;
	bool swapped;			/* the file has the opposite byte order */
};

void perf_events_fini(struct perf_events *events);

/*
 * Reads an attr of @size_bytes from @r and adds the event. Returns -EINVAL if the attr is damaged,
 * -E2BIG if there are too many events, or -ENOMEM.
 */
int perf_events_add(struct perf_events *events, struct byte_reader *r, size_t size_bytes);

/* Assigns @id to the event that was added last. */
int perf_events_add_id(struct perf_events *events, uint64_t id);

/* Returns the event with this id, or NULL. */
struct perf_event *perf_events_get(const struct perf_events *events, uint64_t id);

/*
 * Returns the event of a record. The header of the record must already be in native byte order, and
 * the rest still in the file's byte order. If there is only one event, returns this event.
 * Otherwise, returns NULL for a sample with an unknown id. Any other record with an unknown id is
 * assigned to the first event, as in perf, because records that perf itself writes have the id
 * zero.
 */
const struct perf_event *perf_events_of(const struct perf_events *events, const void *bytes,
					size_t size_bytes);

/*
 * Stores the event's name, such as "cycles:u", in @ret_name. If the file does not contain the name,
 * creates one from type and config.
 */
void perf_event_name(const struct perf_event *event, char ret_name[static EVENT_NAME_MAX]);

static inline bool perf_event_is_time(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

#endif
