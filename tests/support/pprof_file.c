/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/pprof_file.h"

#include <stdlib.h>
#include <string.h>

static const char *const strings[] = {
	"",
	"samples",
	"count",
	"cpu",
	"nanoseconds",
	"/bin/work",
	"0a0b0c",
	"main",
	"step",
	"add",
	"work.c",
	"[kernel]",
	"read",
	"comm",
	"worker",
	"pid",
	"tid",
	"context",
	"syscall",
	"<broken stack>",
	"9 samples lost: sample-ring-full",
};

enum {
	S_NONE,
	S_SAMPLES,
	S_COUNT,
	S_CPU,
	S_NS,
	S_PATH,
	S_BUILD_ID,
	S_MAIN,
	S_STEP,
	S_ADD,
	S_FILE,
	S_KERNEL,
	S_READ,
	S_COMM,
	S_WORKER,
	S_PID,
	S_TID,
	S_CONTEXT,
	S_SYSCALL,
	S_BROKEN,
	S_COMMENT
};

static void put_varint(struct pprof_file *file, uint64_t value)
{
	do {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		file->bytes[file->size_bytes++] = (uint8_t)(byte | (value ? 0x80 : 0));
	} while (value);
}

static void put_number(struct pprof_file *file, unsigned int field, uint64_t value)
{
	put_varint(file, field << 3);
	put_varint(file, value);
}

static void put_bytes(struct pprof_file *file, unsigned int field, const void *bytes, size_t size)
{
	put_varint(file, field << 3 | 2);
	put_varint(file, size);
	memcpy(file->bytes + file->size_bytes, bytes, size);
	file->size_bytes += size;
}

/* Writes a message of numbers. @pairs are (field, value) pairs and end with field 0. */
static void put_message(struct pprof_file *file, unsigned int field, const uint64_t *pairs)
{
	struct pprof_file message = { .size_bytes = 0 };

	for (; pairs[0]; pairs += 2)
		put_number(&message, (unsigned int)pairs[0], pairs[1]);
	put_bytes(file, field, message.bytes, message.size_bytes);
}

#define MESSAGE(file, field, ...) put_message(file, field, (const uint64_t[]){ __VA_ARGS__, 0, 0 })

static void put_tables(struct pprof_file *file)
{
	struct pprof_file location = { .size_bytes = 0 };

	MESSAGE(file, 3, 1, 1, 3, 0x9000, 5, S_PATH, 6, S_BUILD_ID);
	MESSAGE(file, 3, 1, 2, 2, 0x8000000000000000, 5, S_KERNEL);
	put_number(&location, 1, 1);
	put_number(&location, 2, 1);
	put_number(&location, 3, 0x1010);
	MESSAGE(&location, 4, 1, 3, 2, 7);
	MESSAGE(&location, 4, 1, 2, 2, 12);
	put_bytes(file, 4, location.bytes, location.size_bytes);
	location.size_bytes = 0;
	put_number(&location, 1, 2);
	put_number(&location, 2, 1);
	put_number(&location, 3, 0x1100);
	MESSAGE(&location, 4, 1, 1);
	put_bytes(file, 4, location.bytes, location.size_bytes);
	location.size_bytes = 0;
	put_number(&location, 1, 3);
	put_number(&location, 2, 2);
	put_number(&location, 3, 0x8000000000001000);
	MESSAGE(&location, 4, 1, 4);
	put_bytes(file, 4, location.bytes, location.size_bytes);
	location.size_bytes = 0;
	put_number(&location, 1, 4);
	MESSAGE(&location, 4, 1, 5);
	put_bytes(file, 4, location.bytes, location.size_bytes);
	MESSAGE(file, 5, 1, 1, 2, S_MAIN);
	MESSAGE(file, 5, 1, 2, 2, S_STEP, 4, S_FILE);
	MESSAGE(file, 5, 1, 3, 2, S_ADD, 4, S_FILE);
	MESSAGE(file, 5, 1, 4, 2, S_READ);
	MESSAGE(file, 5, 1, 5, 2, S_BROKEN);
}

static void put_samples(struct pprof_file *file)
{
	static const uint8_t packed[] = { 1, 2 }, values[] = { 3, 0x80, 0x87, 0xa7, 0x0e };
	struct pprof_file sample = { .size_bytes = 0 };

	put_bytes(&sample, 1, packed, sizeof(packed));
	put_bytes(&sample, 2, values, sizeof(values));	/* 3 and 30 million, packed */
	put_bytes(file, 2, sample.bytes, sample.size_bytes);
	sample.size_bytes = 0;
	put_number(&sample, 1, 3);
	put_number(&sample, 1, 2);
	put_number(&sample, 2, 1);
	put_number(&sample, 2, 10000000);
	MESSAGE(&sample, 3, 1, S_COMM, 2, S_WORKER);
	MESSAGE(&sample, 3, 1, S_PID, 3, 7);
	MESSAGE(&sample, 3, 1, S_TID, 3, 8);
	MESSAGE(&sample, 3, 1, S_CONTEXT, 2, S_SYSCALL);
	put_bytes(file, 2, sample.bytes, sample.size_bytes);
	MESSAGE(file, 2, 1, 1, 1, 4, 2, 1, 2, 10000000);
}

static void put_damage(struct pprof_file *file)
{
	MESSAGE(file, 2, 1, 99, 2, 1, 2, UINT64_MAX);	/* unknown location, negative value */
	put_bytes(file, 2, "\x0a\x7f", 2);		/* length exceeds the message */
	MESSAGE(file, 5, 1, 1, 2, S_ADD);		/* a duplicate id */
	MESSAGE(file, 5, 2, S_ADD);			/* a missing id */
	MESSAGE(file, 4, 1, 1);
	MESSAGE(file, 3, 1, 1);
}

struct pprof_file pprof_file_make(int damaged)
{
	struct pprof_file file = { .size_bytes = 0 };

	put_number(&file, 9, 1700000000000000000);
	MESSAGE(&file, 1, 1, S_SAMPLES, 2, S_COUNT);
	MESSAGE(&file, 1, 1, S_CPU, 2, S_NS);
	put_samples(&file);
	put_tables(&file);
	if (damaged)
		put_damage(&file);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		put_bytes(&file, 6, strings[i], strlen(strings[i]));
	put_number(&file, 10, 2000000000);
	MESSAGE(&file, 11, 1, S_CPU, 2, S_NS);
	put_number(&file, 12, 10000000);
	put_number(&file, 13, S_COMMENT);
	return file;
}

struct pprof_file pprof_file_deep(unsigned int line_count)
{
	struct pprof_file file = { .size_bytes = 0 }, location = { .size_bytes = 0 };

	MESSAGE(&file, 1, 1, S_SAMPLES, 2, S_COUNT);
	MESSAGE(&file, 1, 1, S_CPU, 2, S_NS);
	MESSAGE(&file, 2, 1, 1, 2, 5, 2, 0);
	put_number(&location, 1, 1);
	for (unsigned int i = 1; i < line_count; i++)
		MESSAGE(&location, 4, 1, 2, 2, i);
	MESSAGE(&location, 4, 1, 1, 2, line_count);
	put_bytes(&file, 4, location.bytes, location.size_bytes);
	MESSAGE(&file, 5, 1, 1, 2, S_MAIN);
	MESSAGE(&file, 5, 1, 2, 2, S_ADD);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		put_bytes(&file, 6, strings[i], strlen(strings[i]));
	return file;
}

static void put_string(struct pprof_file *file, const char *text)
{
	put_bytes(file, 6, text ? text : "", text ? strlen(text) : 0);
}

struct pprof_file pprof_file_values(const struct pprof_file_type *types, size_t type_count,
				    const int64_t *values, size_t record_count)
{
	const size_t known = sizeof(strings) / sizeof(strings[0]);
	struct pprof_file file = { .size_bytes = 0 };

	for (size_t i = 0; i < type_count; i++)
		MESSAGE(&file, 1, 1, types[i].name ? known + 2 * i : 0, 2,
			types[i].unit ? known + 2 * i + 1 : 0);
	for (size_t i = 0; i < record_count; i++) {
		struct pprof_file sample = { .size_bytes = 0 };

		put_number(&sample, 1, i % 2 + 2);
		put_number(&sample, 1, 1);
		for (size_t k = 0; k < type_count; k++)
			put_number(&sample, 2, (uint64_t)values[i * type_count + k]);
		put_bytes(&file, 2, sample.bytes, sample.size_bytes);
	}
	for (uint64_t id = 1; id <= 3; id++) {
		struct pprof_file location = { .size_bytes = 0 };

		put_number(&location, 1, id);
		MESSAGE(&location, 4, 1, id);
		put_bytes(&file, 4, location.bytes, location.size_bytes);
		MESSAGE(&file, 5, 1, id, 2, id == 1 ? S_MAIN : id == 2 ? S_STEP : S_ADD);
	}
	for (size_t i = 0; i < known; i++)
		put_string(&file, strings[i]);
	for (size_t i = 0; i < type_count; i++) {
		put_string(&file, types[i].name);
		put_string(&file, types[i].unit);
	}
	return file;
}
