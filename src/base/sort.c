/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* A number is sorted in passes, by one digit in each pass, the least significant digit first. */
#define DIGIT_BITS 11
#define DIGIT_VALUES (1u << DIGIT_BITS)

struct key {
	uint64_t number;
	size_t index;	/* of the element */
};

static void read_keys(const char *numbers, size_t element_bytes, struct key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		memcpy(&keys[i].number, numbers + i * element_bytes, sizeof(keys[i].number));
		keys[i].index = i;
	}
}

/* Returns the bits that differ between any two of the numbers. */
static uint64_t different_bits(const struct key *keys, size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 1; i < count; i++)
		bits |= keys[i].number ^ keys[0].number;
	return bits;
}

static void sort_by_digit(const struct key *from, size_t count, unsigned int shift, struct key *to)
{
	size_t starts[DIGIT_VALUES] = { 0 }, start = 0;

	for (size_t i = 0; i < count; i++)
		starts[from[i].number >> shift & (DIGIT_VALUES - 1)]++;
	for (size_t digit = 0; digit < DIGIT_VALUES; digit++) {
		size_t with_digit = starts[digit];

		starts[digit] = start;
		start += with_digit;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[from[i].number >> shift & (DIGIT_VALUES - 1)]++] = from[i];
}

/* Sorts @keys. @spare is an array of the same size. Returns the array that has the result. */
static const struct key *sort_keys(struct key *keys, struct key *spare, size_t count)
{
	uint64_t differ = different_bits(keys, count);

	for (unsigned int shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct key *sorted = spare;

		if (!(differ >> shift & (DIGIT_VALUES - 1)))
			continue;
		sort_by_digit(keys, count, shift, sorted);
		spare = keys;
		keys = sorted;
	}
	return keys;
}

int sort_by_number(void *elements, size_t count, size_t element_bytes, size_t number_offset)
{
	_cleanup_free_ struct key *keys = NULL;
	_cleanup_free_ char *copy = NULL;
	const struct key *sorted;

	if (count < 2)
		return 0;
	keys = calloc(count, 2 * sizeof(*keys));
	copy = calloc(count, element_bytes);
	if (!keys || !copy)
		return -ENOMEM;
	memcpy(copy, elements, count * element_bytes);
	read_keys(copy + number_offset, element_bytes, keys, count);
	sorted = sort_keys(keys, keys + count, count);
	for (size_t i = 0; i < count; i++)
		memcpy((char *)elements + i * element_bytes, copy + sorted[i].index * element_bytes,
		       element_bytes);
	return 0;
}
