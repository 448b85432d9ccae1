/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder of perf records. The first 16 bytes of an input are the layout (sample_type, then
 * read_format with sample_id_all as its top bit). The rest is a series of records.
 */
#include "perf/record.h"
#include "fuzz.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "support/record_writer.h"

#define ID_ALL (UINT64_C(1) << 63)

#define FIELDS \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define REGS 1 /* read_format also serves as the register mask; PERF_FORMAT_GROUP is one bit */

/* Reads everything that the record declares, so that the sanitizer sees the reads. */
static uint64_t touch(const struct perf_record *record)
{
	const struct record_sample *sample = &record->sample;
	uint64_t sum = 0, addr;

	switch (record->kind) {
	case RECORD_SAMPLE:
		for (size_t i = 0; i < sample->chain_count; i++) {
			memcpy(&addr, &sample->chain[i], sizeof(addr));
			sum += addr;
		}
		for (size_t i = 0; i < sample->counter_count; i++)
			sum += sample->counters[i];
		for (size_t i = 0; sample->regs && i < sample->reg_count * sizeof(uint64_t); i++)
			sum += ((const uint8_t *)sample->regs)[i];
		for (size_t i = 0; i < sample->stack_bytes; i++)
			sum += sample->stack[i];
		return sum;
	case RECORD_MMAP:
		for (size_t i = 0; i < record->mmap.build_id_size; i++)
			sum += record->mmap.build_id[i];
		return sum + strlen(record->mmap.path);
	case RECORD_COMM:
		return strlen(record->comm.name);
	case RECORD_KSYMBOL:
		return strlen(record->ksymbol.name);
	default:
		return 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct record_layout layout;
	uint64_t words[2];
	uint64_t sum = 0;
	size_t at = sizeof(words);

	if (size_bytes < sizeof(words))
		return 0;
	memcpy(words, bytes, sizeof(words));
	layout.sample_type = words[0];
	layout.read_format = words[1] & ~ID_ALL;
	layout.regs_user = words[1] & 0xffffff;
	layout.sample_id_all = words[1] & ID_ALL;
	while (size_bytes - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		struct perf_record record;

		if (record_decode(bytes + at, size_bytes - at, &layout, &record) == 0)
			sum += touch(&record);
		memcpy(&header, bytes + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > size_bytes - at)
			break;
		at += header.size;
	}
	/* Uses the sum, so that the compiler does not drop the reads. */
	__asm__ volatile("" : : "r"(sum));
	return 0;
}

static void put_trailer(struct record_writer *w)
{
	record_u32(w, 1);
	record_u32(w, 1);
	record_u64(w, 5000);
	record_u32(w, 0);
	record_u32(w, 0);
	record_u64(w, 7);
}

static void put_numbers(struct record_writer *w, uint64_t first, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		record_u64(w, first + i);
}

/* Writes the fields before the trailer for each kind. Kinds not listed contain only numbers. */
static void put_body(struct record_writer *w, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
		put_numbers(w, 7, 6);
		put_numbers(w, 2, 3); /* a group of two */
		put_numbers(w, 3, 4); /* a callchain of three */
		put_numbers(w, PERF_SAMPLE_REGS_ABI_64, 1 + REGS);
		put_numbers(w, 16, 3); /* 16 bytes of stack */
		put_numbers(w, 8, 1); /* 8 of which were read */
		break;
	case PERF_RECORD_MMAP:
		put_numbers(w, 0x1000, 4);
		record_text(w, "/usr/bin/x");
		break;
	case PERF_RECORD_MMAP2:
		put_numbers(w, 0x1000, 4);
		put_numbers(w, 20, 3); /* a build-id of 20 bytes, or device and inode */
		put_numbers(w, 4, 1); /* PROT_EXEC */
		record_text(w, "/usr/lib/libx.so");
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_KSYMBOL:
		put_numbers(w, 1, type == PERF_RECORD_KSYMBOL ? 2 : 1);
		record_text(w, "name");
		break;
	default:
		put_numbers(w, 1, 3);
		break;
	}
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const struct {
		uint32_t type;
		uint16_t misc;
	} kinds[] = {
		{ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER },
		{ PERF_RECORD_MMAP, 0 },
		{ PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID },
		{ PERF_RECORD_MMAP2, 0 },
		{ PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC },
		{ PERF_RECORD_FORK, 0 },
		{ PERF_RECORD_EXIT, 0 },
		{ PERF_RECORD_LOST, 0 },
		{ PERF_RECORD_LOST_SAMPLES, 0 },
		{ PERF_RECORD_THROTTLE, 0 },
		{ PERF_RECORD_KSYMBOL, 0 },
	};
	const uint64_t layout[] = { FIELDS, PERF_FORMAT_GROUP | ID_ALL };
	struct record_writer w;

	if (i >= sizeof(kinds) / sizeof(*kinds))
		return -1;
	record_begin(&w, kinds[i].type, kinds[i].misc);
	put_body(&w, kinds[i].type);
	if (kinds[i].type != PERF_RECORD_SAMPLE)
		put_trailer(&w);
	record_end(&w);
	*ret_size_bytes = sizeof(layout) + w.size_bytes;
	*ret_bytes = malloc(*ret_size_bytes);
	if (!*ret_bytes)
		abort();
	memcpy(*ret_bytes, layout, sizeof(layout));
	memcpy(*ret_bytes + sizeof(layout), w.bytes, w.size_bytes);
	return 0;
}
