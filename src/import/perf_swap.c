/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_swap.h"

#include <byteswap.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	uint8_t *at, *end;
};

static void swap_u64s(struct cursor *c, uint64_t count)
{
	for (; count && (size_t)(c->end - c->at) >= sizeof(uint64_t); count--) {
		uint64_t value;

		memcpy(&value, c->at, sizeof(value));
		value = bswap_64(value);
		memcpy(c->at, &value, sizeof(value));
		c->at += sizeof(value);
	}
}

static void swap_u32s(struct cursor *c, size_t count)
{
	for (; count && (size_t)(c->end - c->at) >= sizeof(uint32_t); count--) {
		uint32_t value;

		memcpy(&value, c->at, sizeof(value));
		value = bswap_32(value);
		memcpy(c->at, &value, sizeof(value));
		c->at += sizeof(value);
	}
}

static void swap_u16s(struct cursor *c, size_t count)
{
	for (; count && (size_t)(c->end - c->at) >= sizeof(uint16_t); count--) {
		uint16_t value;

		memcpy(&value, c->at, sizeof(value));
		value = bswap_16(value);
		memcpy(c->at, &value, sizeof(value));
		c->at += sizeof(value);
	}
}

static void skip(struct cursor *c, uint64_t size_bytes)
{
	uint64_t left = (uint64_t)(c->end - c->at);

	c->at += size_bytes < left ? size_bytes : left;
}

/* Converts the next 64-bit word and returns it in native byte order. */
static uint64_t swap_count(struct cursor *c)
{
	uint64_t value = 0;
	const uint8_t *at = c->at;

	swap_u64s(c, 1);
	if (c->at != at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t bits(uint64_t type, uint64_t fields)
{
	return (uint64_t)__builtin_popcountll(type & fields);
}

static void swap_values(struct cursor *c, uint64_t format)
{
	uint64_t each = 1 + bits(format, PERF_FORMAT_ID | PERF_FORMAT_LOST);
	uint64_t times = bits(format,
			      PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t count = format & PERF_FORMAT_GROUP ? swap_count(c) : 1;

	swap_u64s(c, times);
	if (count <= UINT16_MAX)
		swap_u64s(c, count * each);
}

static void swap_raw(struct cursor *c)
{
	const uint8_t *at = c->at;
	uint32_t size_bytes = 0;

	swap_u32s(c, 1);
	if (c->at != at)
		memcpy(&size_bytes, at, sizeof(size_bytes));
	skip(c, size_bytes);
}

static void swap_branches(struct cursor *c, uint64_t branches)
{
	uint64_t count = swap_count(c);

	swap_u64s(c, bits(branches, PERF_SAMPLE_BRANCH_HW_INDEX));
	if (count <= UINT16_MAX)
		swap_u64s(c, (branches & RECORD_BRANCH_COUNTERS ? 4 : 3) * count);
}

static void swap_user_part(struct cursor *c, const struct record_layout *layout)
{
	if (layout->sample_type & PERF_SAMPLE_REGS_USER && swap_count(c))
		swap_u64s(c, bits(layout->regs_user, UINT64_MAX));
	if (layout->sample_type & PERF_SAMPLE_STACK_USER) {
		uint64_t size_bytes = swap_count(c);

		skip(c, size_bytes);
		swap_u64s(c, size_bytes != 0);
	}
}

static void swap_sample(struct cursor *c, const struct record_layout *layout)
{
	uint64_t type = layout->sample_type;

	swap_u64s(c, bits(type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP));
	swap_u32s(c, 2 * bits(type, PERF_SAMPLE_TID));
	swap_u64s(c, bits(type, PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
					PERF_SAMPLE_STREAM_ID));
	swap_u32s(c, 2 * bits(type, PERF_SAMPLE_CPU));
	swap_u64s(c, bits(type, PERF_SAMPLE_PERIOD));
	if (type & PERF_SAMPLE_READ)
		swap_values(c, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		swap_u64s(c, swap_count(c));
	if (type & PERF_SAMPLE_RAW)
		swap_raw(c);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		swap_branches(c, layout->branches);
	swap_user_part(c, layout);
	swap_u64s(c, bits(type,
			  PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC));
}

static void swap_mmap(struct cursor *c, const struct perf_event_header *header,
		      const struct record_layout *layout)
{
	swap_u32s(c, 2);
	swap_u64s(c, 3);
	if (header->type != PERF_RECORD_MMAP2)
		return;
	if (c->at < c->end && record_has_build_id(header, *c->at, layout)) {
		skip(c, 24);
	} else {
		swap_u32s(c, 2);
		swap_u64s(c, 2);
	}
	swap_u32s(c, 2);
}

static void swap_body(struct cursor *c, const struct perf_event_header *header,
		      const struct record_layout *layout)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		swap_mmap(c, header, layout);
		break;
	case PERF_RECORD_COMM:
		swap_u32s(c, 2);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		swap_u32s(c, 4);
		swap_u64s(c, 1);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		swap_u64s(c, header->type == PERF_RECORD_LOST		? 2
			     : header->type == PERF_RECORD_LOST_SAMPLES ? 1
									: 3);
		break;
	case PERF_RECORD_KSYMBOL:
		swap_u64s(c, 1);
		swap_u32s(c, 1);
		swap_u16s(c, 2);
		break;
	default:
		break;
	}
}

static void swap_trailer(struct cursor *c, uint64_t type)
{
	swap_u32s(c, 2 * bits(type, PERF_SAMPLE_TID));
	swap_u64s(c, bits(type, PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
	swap_u32s(c, 2 * bits(type, PERF_SAMPLE_CPU));
	swap_u64s(c, bits(type, PERF_SAMPLE_IDENTIFIER));
}

void perf_swap_header(struct perf_event_header *header)
{
	header->type = bswap_32(header->type);
	header->misc = bswap_16(header->misc);
	header->size = bswap_16(header->size);
}

void perf_swap_record(void *bytes, size_t size_bytes, const struct record_layout *layout)
{
	const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	struct cursor c = { bytes, (uint8_t *)bytes + size_bytes };
	size_t trailer_bytes = 8 * bits(layout->sample_type, fields);
	struct perf_event_header header;
	struct cursor trailer;

	memcpy(&header, bytes, sizeof(header));
	skip(&c, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		swap_sample(&c, layout);
		return;
	}
	if (!layout->sample_id_all || (size_t)(c.end - c.at) < trailer_bytes)
		trailer_bytes = 0;
	c.end -= trailer_bytes;
	trailer = (struct cursor){ c.end, c.end + trailer_bytes };
	swap_body(&c, &header, layout);
	if (trailer_bytes)
		swap_trailer(&trailer, layout->sample_type);
}
