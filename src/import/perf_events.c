/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

void perf_events_fini(struct perf_events *events)
{
	vec_free(&events->events);
	u64map_fini(&events->ids);
}

/* ---- attrs ---- */

/*
 * Reads the bit fields of an attr. If the file has the opposite byte order, the order of the bits
 * is reversed, because compilers for such machines allocate bit fields from the other end of the
 * word.
 */
static uint64_t read_flags(struct byte_reader *r)
{
	uint64_t flags = byte_reader_u64(r), turned = 0;

	if (!r->swapped)
		return flags;
	for (int bit = 0; bit < 64; bit++)
		turned |= (flags >> bit & 1) << (63 - bit);
	return turned;
}

/* Reads an attr. Attrs written by older kernels are shorter; the missing fields stay zero. */
static void read_attr(struct byte_reader *r, struct perf_event_attr *attr)
{
	uint64_t flags;

	attr->type = byte_reader_u32(r);
	attr->size = byte_reader_u32(r);
	attr->config = byte_reader_u64(r);
	attr->sample_period = byte_reader_u64(r);
	attr->sample_type = byte_reader_u64(r);
	attr->read_format = byte_reader_u64(r);
	flags = read_flags(r);
	memcpy((char *)attr + offsetof(struct perf_event_attr, read_format) + sizeof(uint64_t),
	       &flags, sizeof(flags));
	attr->wakeup_events = byte_reader_u32(r);
	attr->bp_type = byte_reader_u32(r);
	attr->config1 = byte_reader_u64(r);
	if (byte_reader_left(r) < 6 * sizeof(uint64_t))
		return;
	attr->config2 = byte_reader_u64(r);
	attr->branch_sample_type = byte_reader_u64(r);
	attr->sample_regs_user = byte_reader_u64(r);
	attr->sample_stack_user = byte_reader_u32(r);
	attr->clockid = (int32_t)byte_reader_u32(r);
}

int perf_events_add(struct perf_events *events, struct byte_reader *r, size_t size_bytes)
{
	struct byte_reader part = byte_reader_part(r, r->at, size_bytes);
	struct perf_event *event;

	byte_reader_skip(r, size_bytes);
	if (part.failed || size_bytes < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	if (events->events.count == PERF_EVENTS_MAX)
		return -E2BIG;
	event = vec_push(&events->events);
	if (!event)
		return -ENOMEM;
	read_attr(&part, &event->attr);
	event->layout = (struct record_layout){
		.sample_type = event->attr.sample_type,
		.read_format = event->attr.read_format,
		.regs_user = event->attr.sample_regs_user,
		.branches = event->attr.branch_sample_type,
		.sample_id_all = event->attr.sample_id_all,
		.no_build_ids = !event->attr.build_id,
	};
	return part.failed ? -EINVAL : 0;
}

int perf_events_add_id(struct perf_events *events, uint64_t id)
{
	if (events->id_count++ == PERF_IDS_MAX)
		return -E2BIG;
	return u64map_put(&events->ids, id, (uint32_t)events->events.count - 1);
}

struct perf_event *perf_events_get(const struct perf_events *events, uint64_t id)
{
	uint32_t index;

	if (!u64map_get(&events->ids, id, &index))
		return NULL;
	return &events->events.at[index];
}

/* ---- records ---- */

static size_t words(uint64_t type, uint64_t fields)
{
	return (size_t)__builtin_popcountll(type & fields);
}

/* Returns the offset of the id in a record, or 0 if the record has no id. */
static size_t id_offset(uint64_t type, bool is_sample, size_t size_bytes)
{
	size_t behind;

	if (is_sample && type & PERF_SAMPLE_IDENTIFIER)
		return sizeof(struct perf_event_header);
	if (is_sample && type & PERF_SAMPLE_ID)
		return sizeof(struct perf_event_header) +
		       8 * words(type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					       PERF_SAMPLE_ADDR);
	if (is_sample || !(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return 0;
	behind = type & PERF_SAMPLE_IDENTIFIER
			 ? 8
			 : 8 + 8 * words(type, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
	return size_bytes < sizeof(struct perf_event_header) + behind ? 0 : size_bytes - behind;
}

const struct perf_event *perf_events_of(const struct perf_events *events, const void *bytes,
					size_t size_bytes)
{
	const struct perf_event *first = events->events.at, *event;
	struct perf_event_header header;
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	bool is_sample;
	size_t offset;

	if (events->events.count <= 1)
		return events->events.count ? first : NULL;
	memcpy(&header, bytes, sizeof(header));
	r.swapped = events->swapped;
	is_sample = header.type == PERF_RECORD_SAMPLE;
	if (!is_sample && !first->layout.sample_id_all)
		return first;
	offset = id_offset(first->layout.sample_type, is_sample, size_bytes);
	byte_reader_seek(&r, offset);
	event = offset ? perf_events_get(events, byte_reader_u64(&r)) : first;
	return event || is_sample ? event : first;
}

/* ---- names ---- */

void perf_event_name(const struct perf_event *event, char ret_name[static EVENT_NAME_MAX])
{
	static const char *const software[] = {
		"cpu-clock",	  "task-clock",	  "page-faults",  "context-switches",
		"cpu-migrations", "minor-faults", "major-faults",
	};
	static const char *const hardware[] = {
		"cycles",   "instructions",  "cache-references", "cache-misses",
		"branches", "branch-misses", "bus-cycles",
	};
	uint64_t config = event->attr.config;

	if (event->name[0])
		(void)snprintf(ret_name, EVENT_NAME_MAX, "%s", event->name);
	else if (event->attr.type == PERF_TYPE_SOFTWARE &&
		 config < sizeof(software) / sizeof(software[0]))
		(void)snprintf(ret_name, EVENT_NAME_MAX, "%s", software[config]);
	else if (event->attr.type == PERF_TYPE_HARDWARE &&
		 config < sizeof(hardware) / sizeof(hardware[0]))
		(void)snprintf(ret_name, EVENT_NAME_MAX, "%s", hardware[config]);
	else
		(void)snprintf(ret_name, EVENT_NAME_MAX, "type %u config %" PRIx64,
			       event->attr.type, config);
}
