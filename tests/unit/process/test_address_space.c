/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings that overlap, touch, are shared, and are numerous, compared with a simple table of
 * pages.
 */
#include "support/test.h"

#include <errno.h>

#include "process/address_space.h"

#define PAGE UINT64_C(0x1000)

static struct space_clock times;

/* Maps pages [first, first + count) of @pin; the file's offset is @offset_page pages. */
static int map_at(struct address_space **space, uint64_t first, uint64_t count, uint32_t pin,
		  uint64_t offset_page)
{
	return address_space_map(space,
				 &(struct live_mapping){
					 .start_addr = first * PAGE,
					 .end_addr = (first + count) * PAGE,
					 .offset = offset_page * PAGE,
					 .pin = pin,
				 },
				 &times);
}

static void assert_shows(const struct address_space *space, uint64_t page, uint32_t pin,
			 uint64_t offset_page)
{
	const struct live_mapping *mapping = address_space_find(space, page * PAGE + 5);

	assert_non_null(mapping);
	assert_int_equal(mapping->pin, pin);
	assert_int_equal(mapping->offset + (page * PAGE - mapping->start_addr), offset_page * PAGE);
}

static void test_bounds(void **state)
{
	struct address_space *space = NULL;

	assert_null(address_space_find(NULL, 5));
	assert_int_equal(map_at(&space, 10, 2, 1, 0), 0);
	assert_null(address_space_find(space, 10 * PAGE - 1));
	assert_non_null(address_space_find(space, 10 * PAGE));
	assert_non_null(address_space_find(space, 12 * PAGE - 1));
	assert_null(address_space_find(space, 12 * PAGE));
	assert_int_equal(map_at(&space, 20, 0, 1, 0), 0);
	assert_int_equal(space->mappings.count, 1);
	address_space_drop(space);
}

/*
 * As after dlclose and dlopen at one address: the later mapping wins, and the rest of the earlier
 * one remains.
 */
static void test_overlap_cuts(void **state)
{
	struct address_space *space = NULL;

	assert_int_equal(map_at(&space, 10, 10, 1, 0), 0);
	assert_int_equal(map_at(&space, 13, 3, 2, 7), 0);
	assert_int_equal(space->mappings.count, 3);
	assert_shows(space, 12, 1, 2);
	assert_shows(space, 13, 2, 7);
	assert_shows(space, 15, 2, 9);
	assert_shows(space, 16, 1, 6);
	assert_int_equal(map_at(&space, 5, 20, 3, 0), 0);
	assert_int_equal(space->mappings.count, 1);
	assert_shows(space, 16, 3, 11);
	address_space_drop(space);
}

static void test_continuation_is_one_mapping(void **state)
{
	struct address_space *space = NULL;
	uint64_t stamp;

	assert_int_equal(map_at(&space, 10, 2, 1, 0), 0);
	assert_int_equal(map_at(&space, 14, 2, 1, 4), 0);
	assert_int_equal(map_at(&space, 12, 2, 1, 2), 0);
	assert_int_equal(space->mappings.count, 1);
	assert_shows(space, 15, 1, 5);
	stamp = space->stamp;
	assert_int_equal(map_at(&space, 11, 3, 1, 1), 0);	/* already known */
	assert_int_equal(space->stamp, stamp);
	/* adjacent, but at another file offset */
	assert_int_equal(map_at(&space, 16, 2, 1, 0), 0);
	assert_int_equal(space->mappings.count, 2);
	assert_true(space->stamp != stamp);
	address_space_drop(space);
}

static void test_copy_on_write(void **state)
{
	struct address_space *parent = NULL, *child;
	uint64_t stamp;

	assert_int_equal(map_at(&parent, 10, 2, 1, 0), 0);
	stamp = parent->stamp;
	child = address_space_share(parent);
	assert_ptr_equal(child, parent);
	assert_int_equal(map_at(&child, 10, 2, 1, 0), 0);
	assert_ptr_equal(child, parent);
	assert_int_equal(map_at(&child, 10, 1, 2, 0), 0);
	assert_ptr_not_equal(child, parent);
	assert_shows(parent, 10, 1, 0);
	assert_shows(child, 10, 2, 0);
	assert_int_equal(parent->stamp, stamp);
	assert_true(child->stamp != stamp);
	address_space_drop(parent);
	assert_shows(child, 11, 1, 1);
	address_space_drop(child);
}

/* Mappings that are the same after a new reading keep what is known of them. */
static void test_replace(void **state)
{
	struct address_space *space = NULL, *fresh = NULL;
	uint64_t stamp;

	assert_int_equal(map_at(&space, 10, 2, 1, 0), 0);
	assert_int_equal(map_at(&space, 20, 2, 2, 0), 0);
	address_space_find(space, 10 * PAGE)->image = 77;
	stamp = space->stamp;
	assert_int_equal(map_at(&fresh, 20, 2, 2, 0), 0);
	assert_int_equal(map_at(&fresh, 10, 2, 1, 0), 0);
	assert_false(address_space_replace(&space, fresh));
	assert_int_equal(space->stamp, stamp);
	fresh = NULL;
	assert_int_equal(map_at(&fresh, 10, 2, 1, 0), 0);
	assert_int_equal(map_at(&fresh, 30, 2, 2, 0), 0);
	assert_true(address_space_replace(&space, fresh));
	assert_true(space->stamp != stamp);
	assert_int_equal(address_space_find(space, 10 * PAGE)->image, 77);
	assert_null(address_space_find(space, 20 * PAGE));
	address_space_drop(space);
}

#define MODEL_PAGES 64

static void test_random_against_pages(void **state)
{
	uint32_t pins[MODEL_PAGES] = { 0 }, seed = 12345;
	uint64_t offsets[MODEL_PAGES] = { 0 };
	struct address_space *space = NULL;

	for (int round = 0; round < 20000; round++) {
		uint32_t first, count, pin, offset;

		seed = seed * 1664525 + 1013904223;
		first = (seed >> 8) % MODEL_PAGES;
		count = 1 + (seed >> 16) % 9;
		pin = 1 + (seed >> 22) % 3;
		offset = (seed >> 25) % 2 ? first : 100;
		if (first + count > MODEL_PAGES)
			continue;
		assert_int_equal(map_at(&space, first, count, pin, offset), 0);
		for (uint32_t i = 0; i < count; i++) {
			pins[first + i] = pin;
			offsets[first + i] = offset + i;
		}
		for (uint32_t page = 0; page < MODEL_PAGES; page++) {
			if (pins[page])
				assert_shows(space, page, pins[page], offsets[page]);
			else
				assert_null(address_space_find(space, page * PAGE));
		}
		for (size_t i = 1; i < space->mappings.count; i++)
			assert_true(space->mappings.at[i].end_addr <=
				    space->mappings.at[i - 1].start_addr);
	}
	address_space_drop(space);
}

/* As many mappings as the kernel allows, from the top down, none of which continues another. */
static void test_many(void **state)
{
	struct address_space *space = NULL;
	const uint64_t count = 65530;

	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(map_at(&space, 2 * (count - i), 1, 1, 0), 0);
	assert_int_equal(space->mappings.count, count);
	assert_shows(space, 2, 1, 0);
	assert_shows(space, 2 * count, 1, 0);
	assert_null(address_space_find(space, 3 * PAGE));
	address_space_drop(space);
}

static void test_limit(void **state)
{
	struct address_space *space = NULL;
	uint64_t i;

	for (i = ADDRESS_SPACE_MAX; i > 0; i--)
		assert_int_equal(map_at(&space, 2 * i, 1, 1, 0), 0);
	assert_int_equal(map_at(&space, 0, 1, 1, 0), -E2BIG);
	assert_int_equal(space->mappings.count, ADDRESS_SPACE_MAX);
	address_space_drop(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_overlap_cuts),
		cmocka_unit_test(test_continuation_is_one_mapping),
		cmocka_unit_test(test_copy_on_write),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_random_against_pages),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
