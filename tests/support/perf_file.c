/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf_file.h"

#include <byteswap.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <zstd.h>

#define ATTR_BYTES 112
#define CLOCK_AT 92		/* offset of clockid in an attr */
#define BRANCHES_AT 72		/* offset of branch_sample_type */
#define SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define BRANCH_TYPE (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK)
#define CODE_ADDR UINT64_C(0x400000)
#define EVENT_ID 7
#define PIECE_BYTES 100		/* not a multiple of 8, so that records are split anywhere */

enum { OWN_ATTR = 64, OWN_ROUND = 68, OWN_FEATURE = 80, OWN_PACKED = 81, OWN_PACKED2 = 83 };
enum { FEATURE_BUILD_ID = 2, FEATURE_HOST = 3, FEATURE_COMMAND = 11 };

void perf_file_put(struct perf_file *file, const void *bytes, size_t size_bytes)
{
	while (file->room_bytes < file->size_bytes + size_bytes) {
		file->room_bytes = 2 * file->room_bytes + 256;
		file->bytes = realloc(file->bytes, file->room_bytes);
		if (!file->bytes)
			abort();
	}
	memcpy(file->bytes + file->size_bytes, bytes, size_bytes);
	file->size_bytes += size_bytes;
}

void perf_file_u16(struct perf_file *file, uint16_t value)
{
	value = file->swapped ? bswap_16(value) : value;
	perf_file_put(file, &value, sizeof(value));
}

void perf_file_u32(struct perf_file *file, uint32_t value)
{
	value = file->swapped ? bswap_32(value) : value;
	perf_file_put(file, &value, sizeof(value));
}

void perf_file_u64(struct perf_file *file, uint64_t value)
{
	value = file->swapped ? bswap_64(value) : value;
	perf_file_put(file, &value, sizeof(value));
}

size_t perf_file_begin(struct perf_file *file, uint32_t type, uint16_t misc)
{
	perf_file_u32(file, type);
	perf_file_u16(file, misc);
	perf_file_u16(file, 0);
	return file->size_bytes - sizeof(struct perf_event_header);
}

void perf_file_end(struct perf_file *file, size_t begin)
{
	size_t end = file->size_bytes;

	while (end % 8 != begin % 8) {
		perf_file_put(file, "", 1);
		end++;
	}
	file->size_bytes = begin + 6;
	perf_file_u16(file, (uint16_t)(end - begin));
	file->size_bytes = end;
}

void perf_file_fini(struct perf_file *file)
{
	free(file->bytes);
	*file = (struct perf_file){ 0 };
}

/* ---- records ---- */

static void put_time(struct perf_file *file, uint64_t time_ns)
{
	if (!file->without_times)
		perf_file_u64(file, time_ns);
}

static void put_trailer(struct perf_file *file, uint64_t time_ns, uint32_t cpu)
{
	perf_file_u32(file, 1);
	perf_file_u32(file, 1);
	put_time(file, time_ns);
	perf_file_u32(file, cpu);
	perf_file_u32(file, 0);
	perf_file_u64(file, EVENT_ID);
}

/* Writes a branch from the call instruction just before the return address. */
static void put_call(struct perf_file *file)
{
	perf_file_u64(file, 1);
	perf_file_u64(file, CODE_ADDR + 0x1f);
	perf_file_u64(file, CODE_ADDR);
	perf_file_u64(file, 0);
}

static void put_sample(struct perf_file *file, uint32_t tgid, uint64_t time_ns, uint32_t cpu)
{
	size_t begin = perf_file_begin(file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	perf_file_u64(file, EVENT_ID);
	perf_file_u64(file, CODE_ADDR + 0x10);
	perf_file_u32(file, tgid);
	perf_file_u32(file, tgid);
	put_time(file, time_ns);
	if (file->accesses)
		perf_file_u64(file, 0x1000 + time_ns);
	perf_file_u32(file, cpu);
	perf_file_u32(file, 0);
	perf_file_u64(file, 1000000);
	perf_file_u64(file, file->branches ? 2 : 3);
	perf_file_u64(file, PERF_CONTEXT_USER);
	perf_file_u64(file, CODE_ADDR + 0x10);
	if (file->branches)
		put_call(file);
	else
		perf_file_u64(file, CODE_ADDR + 0x20);
	if (file->accesses) {
		perf_file_u64(file, UINT64_C(5) << 32 | 7);
		perf_file_u64(file, 0x42);
	}
	perf_file_end(file, begin);
}

static void put_task(struct perf_file *file, uint32_t type, uint16_t misc, uint64_t time_ns)
{
	size_t begin = perf_file_begin(file, type, misc);
	uint32_t tgid = time_ns ? 101 : 100;

	perf_file_u32(file, tgid);
	perf_file_u32(file, tgid - 1);
	perf_file_u32(file, tgid);
	perf_file_u32(file, tgid - 1);
	perf_file_u64(file, time_ns);
	put_trailer(file, time_ns, 0);
	perf_file_end(file, begin);
}

static void put_map(struct perf_file *file, uint64_t time_ns, uint64_t addr, const char *path)
{
	size_t begin = perf_file_begin(file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	perf_file_u32(file, 100);
	perf_file_u32(file, 100);
	perf_file_u64(file, addr);
	perf_file_u64(file, 0x1000);
	perf_file_u64(file, 0);
	perf_file_u32(file, 8);
	perf_file_u32(file, 1);
	perf_file_u64(file, 4242);
	perf_file_u64(file, 1);
	perf_file_u32(file, PROT_READ | PROT_EXEC);
	perf_file_u32(file, 0);
	perf_file_put(file, path, strlen(path) + 1);
	while ((file->size_bytes - begin) % 8)
		perf_file_put(file, "", 1);
	put_trailer(file, time_ns, 0);
	perf_file_end(file, begin);
}

static void put_worker(struct perf_file *file)
{
	size_t begin;

	put_task(file, PERF_RECORD_FORK, PERF_RECORD_MISC_COMM_EXEC, 0);
	begin = perf_file_begin(file, PERF_RECORD_COMM, 0);
	perf_file_u32(file, 100);
	perf_file_u32(file, 100);
	perf_file_put(file, "worker\0\0", 8);
	put_trailer(file, 0, 0);
	perf_file_end(file, begin);
	put_map(file, 0, CODE_ADDR, "/nowhere/worker");
}

static void put_lost(struct perf_file *file)
{
	size_t begin = perf_file_begin(file, PERF_RECORD_LOST, 0);

	perf_file_u64(file, EVENT_ID);
	perf_file_u64(file, 9);
	put_trailer(file, 20000, 0);
	perf_file_end(file, begin);
}

enum { PART_TASKS = 1, PART_CPU = 2, PART_ALL = PART_TASKS | PART_CPU | PART_CPU << 1 };

/*
 * Writes two samples of each CPU, one CPU after the other. The second round also has the child, on
 * CPU 0.
 */
static void put_round(struct perf_file *file, uint64_t round, unsigned int parts)
{
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		for (uint64_t i = 0; i < 2; i++)
			if (parts & (unsigned int)PART_CPU << cpu)
				put_sample(file, 100, (round * 4 + 1 + 2 * i + cpu) * 1000, cpu);
	if (round != 1 || !(parts & PART_CPU))
		return;
	if (file->jitdumps) {
		put_map(file, 4300, CODE_ADDR + 0x10000, "/nowhere/jit-7.dump");
		put_map(file, 4500, CODE_ADDR + 0x20000, PERF_FILE_DUMP);
		put_map(file, 4600, CODE_ADDR + 0x30000, PERF_FILE_DUMP);
	}
	put_task(file, PERF_RECORD_FORK, 0, 8100);
	put_sample(file, 101, 8200, 0);
	put_task(file, PERF_RECORD_EXIT, 0, 8300);
}

/* CPU 0 gets the odd multiples of 1000 as times, CPU 1 the even ones. */
static void put_records(struct perf_file *file, unsigned int parts)
{
	if (parts & PART_TASKS)
		put_worker(file);
	for (uint64_t round = 0; round < 3; round++) {
		put_round(file, round, parts);
		if (parts & PART_TASKS)
			perf_file_end(file, perf_file_begin(file, OWN_ROUND, 0));
	}
	if (parts & PART_TASKS)
		put_lost(file);
}

struct perf_file perf_file_cpu(uint32_t cpu)
{
	struct perf_file file = { 0 };

	put_records(&file, (unsigned int)PART_CPU << cpu);
	return file;
}

/* ---- attrs and features ---- */

static uint64_t attr_flags(bool swapped, bool has_clock)
{
	struct perf_event_attr attr = { .freq = 1, .sample_id_all = 1, .use_clockid = has_clock };
	uint64_t flags, turned = 0;

	memcpy(&flags, (char *)&attr + 40, sizeof(flags));
	for (int bit = 0; bit < 64; bit++)
		turned |= (flags >> bit & 1) << (63 - bit);
	return swapped ? turned : flags;
}

#define ACCESS_FIELDS (PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)

static void put_attr(struct perf_file *file, uint64_t config, uint64_t frequency_hz)
{
	perf_file_u32(file, PERF_TYPE_SOFTWARE);
	perf_file_u32(file, ATTR_BYTES);
	perf_file_u64(file, config);
	perf_file_u64(file, frequency_hz);
	perf_file_u64(file, (SAMPLE_TYPE & ~(file->without_times ? PERF_SAMPLE_TIME : 0u)) |
				    (file->branches ? PERF_SAMPLE_BRANCH_STACK : 0u) |
				    (file->accesses ? ACCESS_FIELDS : 0u));
	perf_file_u64(file, 0);
	perf_file_u64(file, attr_flags(file->swapped, file->monotonic));
	for (size_t at = 48; at < ATTR_BYTES; at += 8) {
		if (at == CLOCK_AT - 4 && file->monotonic) {
			perf_file_u32(file, 0);
			perf_file_u32(file, CLOCK_MONOTONIC);
		} else {
			perf_file_u64(file, at == BRANCHES_AT && file->branches ? BRANCH_TYPE : 0);
		}
	}
}

static void put_text(struct perf_file *file, const char *text)
{
	char padded[64] = "";

	memcpy(padded, text, strlen(text));
	perf_file_u32(file, sizeof(padded));
	perf_file_put(file, padded, sizeof(padded));
}

static void put_feature(struct perf_file *file, uint32_t feature)
{
	static const uint8_t build_id[24] = { 1, 2, 3, 4 };
	size_t begin;

	if (feature == FEATURE_HOST) {
		put_text(file, PERF_FILE_HOST);
	} else if (feature == FEATURE_COMMAND) {
		perf_file_u32(file, 2);
		put_text(file, "perf");
		put_text(file, "record");
	} else {
		begin = perf_file_begin(file, 0, PERF_RECORD_MISC_USER);
		perf_file_u32(file, UINT32_MAX);
		perf_file_put(file, build_id, sizeof(build_id));
		perf_file_put(file, "/nowhere/worker\0\0\0\0\0", 20);
		perf_file_end(file, begin);
	}
}

static const uint32_t features[] = { FEATURE_BUILD_ID, FEATURE_HOST, FEATURE_COMMAND };

#define FEATURE_COUNT (sizeof(features) / sizeof(features[0]))

/* ---- forms ---- */

void perf_file_pack(struct perf_file *file, const struct perf_file *plain, bool is_new)
{
	size_t room = ZSTD_compressBound(plain->size_bytes);
	uint8_t *packed = malloc(room);

	if (!packed)
		abort();
	room = ZSTD_compress(packed, room, plain->bytes, plain->size_bytes, 1);
	if (ZSTD_isError(room))
		abort();
	for (size_t at = 0; at < room; at += PIECE_BYTES) {
		size_t piece = room - at < PIECE_BYTES ? room - at : PIECE_BYTES;
		size_t begin = perf_file_begin(file, is_new ? OWN_PACKED2 : OWN_PACKED, 0), end;

		if (is_new)
			perf_file_u64(file, piece);
		perf_file_put(file, packed + at, piece);
		if (is_new) {
			perf_file_end(file, begin);
			continue;
		}
		end = file->size_bytes;		/* nothing may follow it, not even padding */
		file->size_bytes = begin + 6;
		perf_file_u16(file, (uint16_t)(end - begin));
		file->size_bytes = end;
	}
	free(packed);
}

static void put_data(struct perf_file *file, const struct perf_file_form *form)
{
	struct perf_file plain = {
		.swapped = form->swapped,
		.without_times = form->without_times,
		.branches = form->branches,
		.accesses = form->accesses,
		.jitdumps = form->jitdumps,
	};
	unsigned int parts = form->without_cpus ? PART_TASKS : PART_ALL;

	file->records_offset = file->size_bytes;
	if (!form->packed) {
		put_records(file, parts);
		return;
	}
	put_records(&plain, parts);
	perf_file_pack(file, &plain, form->packed_new);
	perf_file_fini(&plain);
}

static void put_magic(struct perf_file *file)
{
	perf_file_put(file, file->swapped ? "2ELIFREP" : "PERFILE2", 8);
}

static void make_pipe(struct perf_file *file, const struct perf_file_form *form)
{
	size_t begin;

	put_magic(file);
	perf_file_u64(file, 16);
	for (unsigned int i = 0; i < (form->two_events ? 2 : 1); i++) {
		begin = perf_file_begin(file, OWN_ATTR, 0);
		put_attr(file, i ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_CPU_CLOCK, i ? 0 : 1000);
		perf_file_u64(file, EVENT_ID + i);
		perf_file_end(file, begin);
	}
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		begin = perf_file_begin(file, OWN_FEATURE, 0);
		perf_file_u64(file, features[i]);
		put_feature(file, features[i]);
		perf_file_end(file, begin);
	}
	put_data(file, form);
}

static void put_features(struct perf_file *file)
{
	struct perf_file content[FEATURE_COUNT] = { 0 };
	uint64_t offset = file->size_bytes + FEATURE_COUNT * 16;

	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		content[i].swapped = file->swapped;
		put_feature(&content[i], features[i]);
		perf_file_u64(file, offset);
		perf_file_u64(file, content[i].size_bytes);
		offset += content[i].size_bytes;
	}
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		perf_file_put(file, content[i].bytes, content[i].size_bytes);
		perf_file_fini(&content[i]);
	}
}

static void make_file(struct perf_file *file, const struct perf_file_form *form)
{
	uint64_t count = form->two_events ? 2 : 1, attrs = 104 + count * 8;
	uint64_t data = attrs + count * (ATTR_BYTES + 16), flags = 0;
	size_t end;

	for (size_t i = 0; i < FEATURE_COUNT; i++)
		flags |= UINT64_C(1) << features[i];
	put_magic(file);
	perf_file_u64(file, 104);
	perf_file_u64(file, ATTR_BYTES + 16);
	perf_file_u64(file, attrs);
	perf_file_u64(file, count * (ATTR_BYTES + 16));
	perf_file_u64(file, data);
	perf_file_u64(file, 0);		/* size of the records, entered below */
	perf_file_u64(file, 0);
	perf_file_u64(file, 0);
	perf_file_u64(file, flags);
	for (int i = 0; i < 3; i++)
		perf_file_u64(file, 0);
	for (uint64_t i = 0; i < count; i++)
		perf_file_u64(file, EVENT_ID + i);
	for (uint64_t i = 0; i < count; i++) {
		put_attr(file, i ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_CPU_CLOCK, i ? 0 : 1000);
		perf_file_u64(file, 104 + i * 8);
		perf_file_u64(file, 8);
	}
	put_data(file, form);
	if (form->unfinished)
		return;
	end = file->size_bytes;
	file->size_bytes = 48;
	perf_file_u64(file, end - data);
	file->size_bytes = end;
	put_features(file);
}

struct perf_file perf_file_make(const struct perf_file_form *form)
{
	struct perf_file file = {
		.swapped = form->swapped,
		.without_times = form->without_times,
		.branches = form->branches,
		.accesses = form->accesses,
		.monotonic = form->monotonic,
		.jitdumps = form->jitdumps,
	};

	if (form->pipe)
		make_pipe(&file, form);
	else
		make_file(&file, form);
	return file;
}
