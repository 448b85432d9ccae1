/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target without a fuzzer, either on each file named as an argument, or if there are
 * none, on the target's own seeds and a fixed series of mutations of each. The series is the same
 * in every run and on every machine, so a failure can be repeated. With --write-seeds DIR, writes
 * the seeds to files in DIR, for a fuzzer to start from.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MUTATIONS_PER_SEED 2000
#define FILE_MAX_BYTES (64L << 20)

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Returns a number that often breaks parsers of sizes and offsets. */
static uint64_t awkward_number(uint64_t random)
{
	static const uint64_t numbers[] = {
		0,	    1,		0x7f,	    0x80,      0xff,	   0x7fff,	  0xffff,
		0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, UINT64_MAX, UINT64_MAX - 7
	};

	return numbers[random % (sizeof(numbers) / sizeof(*numbers))];
}

/* Changes @bytes in place. Returns the new size. */
static size_t mutate(uint8_t *bytes, size_t size_bytes, uint64_t *random)
{
	size_t at = next_random(random) % size_bytes;
	size_t width = (size_t)1 << next_random(random) % 4;
	uint64_t number = awkward_number(next_random(random));
	size_t from = next_random(random) % size_bytes;

	if (width > size_bytes - at)
		width = size_bytes - at;
	switch (next_random(random) % 8) {
	case 0:
		return at + 1;	/* truncate */
	case 1:
	case 2:
		memcpy(bytes + at, &number, width);
		break;
	case 3:			/* copy a field from elsewhere */
		if (width <= size_bytes - from)
			memmove(bytes + at, bytes + from, width);
		break;
	case 4:
		bytes[at] = (uint8_t)number;
		break;
	default:
		bytes[at] ^= (uint8_t)(1u << number % 8);
		bytes[from] ^= (uint8_t)(1u << next_random(random) % 8);
		break;
	}
	return size_bytes;
}

/*
 * Copies the input to memory of exactly its size, so that the sanitizer sees a read past the end.
 */
static void run_once(const uint8_t *bytes, size_t size_bytes)
{
	uint8_t *copy = malloc(size_bytes ? size_bytes : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, size_bytes);
	(void)LLVMFuzzerTestOneInput(copy, size_bytes);
	free(copy);
}

static void run_mutations(const uint8_t *seed, size_t size_bytes)
{
	uint64_t random = UINT64_C(0x9e3779b97f4a7c15) ^ size_bytes;
	uint8_t *work = malloc(size_bytes);

	if (!work)
		abort();
	for (unsigned int i = 0; i < MUTATIONS_PER_SEED; i++) {
		size_t mutated_bytes = size_bytes;
		unsigned int changes = 1 + (unsigned int)(next_random(&random) % 4);

		memcpy(work, seed, size_bytes);
		while (changes--)
			mutated_bytes = mutate(work, mutated_bytes, &random);
		run_once(work, mutated_bytes);
	}
	free(work);
}

static int replay_seeds(void)
{
	unsigned int count = 0;
	size_t size_bytes;
	uint8_t *seed;

	for (; fuzz_seed(count, &seed, &size_bytes) == 0; count++) {
		run_once(seed, size_bytes);
		if (size_bytes > 0)
			run_mutations(seed, size_bytes);
		free(seed);
	}
	(void)printf("%u seeds, %u mutations of each\n", count, MUTATIONS_PER_SEED);
	return count > 0 ? 0 : 1;
}

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rbe");
	uint8_t *bytes = NULL;
	long size_bytes;
	int rc = 1;

	if (!file)
		return 1;
	if (fseek(file, 0, SEEK_END) == 0 && (size_bytes = ftell(file)) >= 0 &&
	    size_bytes <= FILE_MAX_BYTES && fseek(file, 0, SEEK_SET) == 0) {
		bytes = malloc((size_t)size_bytes + 1);
		if (bytes && fread(bytes, 1, (size_t)size_bytes, file) == (size_t)size_bytes) {
			run_once(bytes, (size_t)size_bytes);
			rc = 0;
		}
	}
	free(bytes);
	(void)fclose(file);
	return rc;
}

static int write_file(const char *path, const uint8_t *bytes, size_t size_bytes)
{
	FILE *file = fopen(path, "wbe");
	size_t written = file ? fwrite(bytes, 1, size_bytes, file) : 0;

	return file && fclose(file) == 0 && written == size_bytes ? 0 : 1;
}

static int write_seeds(const char *directory)
{
	size_t size_bytes;
	uint8_t *seed;
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && fuzz_seed(i, &seed, &size_bytes) == 0; i++) {
		char path[4096];

		(void)snprintf(path, sizeof(path), "%s/seed-%u", directory, i);
		rc = write_file(path, seed, size_bytes);
		free(seed);
		if (rc != 0)
			(void)fprintf(stderr, "cannot write %s\n", path);
	}
	return rc;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return replay_seeds();
	if (argc == 3 && strcmp(argv[1], "--write-seeds") == 0)
		return write_seeds(argv[2]);
	for (int i = 1; i < argc; i++) {
		if (replay_file(argv[i]) != 0) {
			(void)fprintf(stderr, "cannot read %s\n", argv[i]);
			return 1;
		}
	}
	return 0;
}
