/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <stdio.h>

#include "symbolize/jit_history.h"

static struct jit_budget budget;
static struct jit_history history;

static int begin(void **state)
{
	budget = (struct jit_budget){ .bytes_max = 1 << 20 };
	jit_history_init(&history, &budget);
	return 0;
}

static int end(void **state)
{
	jit_history_fini(&history);
	return budget.bytes != 0;
}

/*
 * Adds a claim of 16 bytes from @addr on, which took effect after @from_ns and not later than
 * @by_ns.
 */
static void claim(uint64_t addr, uint64_t from_ns, uint64_t by_ns, const char *name)
{
	const struct jit_claim new = {
		.start_addr = addr,
		.end_addr = addr + 16,
		.from_ns = from_ns,
		.by_ns = by_ns,
	};

	assert_true(jit_history_claim(&history, &new, name, strlen(name)));
}

static void put_spot(uint64_t addr)
{
	assert_int_not_equal(jit_history_spot(&history, addr, 1), UINT32_MAX);
}

/* Returns the name of samples of the first spot. "?" is an uncertain name, "" no name. */
static const char *name(uint64_t first_ns, uint64_t last_ns)
{
	const struct jit_place place = { .first_ns = first_ns, .last_ns = last_ns };
	bool is_unsure = false;
	uint32_t id = jit_history_judge(&history, &history.spots.at[0], &place, &is_unsure);

	if (is_unsure || id == JIT_NO_CLAIM)
		return is_unsure ? "?" : "";
	return strpool_get(&history.names, history.claims.at[id].name);
}

static uint32_t generation(uint64_t time_ns)
{
	return jit_history_generation(&history, &history.spots.at[0], time_ns);
}

static void times_of_a_dump_are_exact(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 100, 100, "a");
	claim(0x1000, 200, 200, "b");
	claim(0x2000, 150, 150, "elsewhere");
	jit_history_settle(&history);
	assert_string_equal(name(50, 99), "");
	assert_string_equal(name(100, 199), "a");
	assert_string_equal(name(200, 900), "b");
	assert_string_equal(name(199, 200), "?");
	assert_string_equal(name(99, 100), "?");
	assert_int_equal(generation(99), 0);
	assert_int_equal(generation(100), 1);
	assert_int_equal(generation(199), 1);
	assert_int_equal(generation(200), 2);
}

static void what_was_moved_away_has_no_name(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 100, 100, "a");
	claim(0x1000, 200, 200, "");
	jit_history_settle(&history);
	assert_string_equal(name(100, 199), "a");
	assert_string_equal(name(200, 300), "");
	assert_string_equal(name(150, 250), "?");
}

static void parts_of_a_range_are_given_away(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 100, 100, "a");
	claim(0xff8, 200, 200, "b");
	claim(0x1008, 300, 300, "c");	/* begins after the spot */
	jit_history_settle(&history);
	assert_string_equal(name(100, 199), "a");
	assert_string_equal(name(200, 900), "b");
	assert_string_equal(name(100, 200), "?");
}

static void between_two_looks_nothing_is_sure(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 0, 100, "a");
	claim(0x1000, 200, 300, "b");
	jit_history_settle(&history);
	assert_string_equal(name(0, 199), "a");	/* the line of "a" came late */
	assert_string_equal(name(0, 200), "?");
	assert_string_equal(name(200, 200), "?");
	assert_string_equal(name(299, 299), "?");
	assert_string_equal(name(300, 900), "b");
	assert_int_equal(generation(250), JIT_UNSURE);
	assert_int_equal(generation(150), 1);
	assert_int_equal(generation(300), 2);
}

/* Code that ran before the line can have been written had another name. */
static void a_line_does_not_name_what_was_before_it(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 100, 200, "a");
	jit_history_settle(&history);
	assert_string_equal(name(50, 60), "");
	assert_string_equal(name(50, 150), "?");
	assert_string_equal(name(100, 150), "a");
}

static void a_map_that_says_it_again(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 0, 100, "a");
	claim(0x2000, 0, 100, "other");
	claim(0x1000, 200, 300, "a");
	jit_history_settle(&history);
	assert_string_equal(name(0, 900), "a");
	assert_int_equal(history.spots.at[0].claims.count, 1);
	claim(0x1000, 300, 400, "b");
	claim(0x1000, 300, 400, "a");
	jit_history_settle(&history);
	assert_string_equal(name(350, 350), "?");
	assert_string_equal(name(400, 900), "a");
	assert_string_equal(name(0, 900), "?");
}

static void new_spots_meet_old_claims_and_new_claims_old_spots(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 100, 100, "a");
	jit_history_settle(&history);
	assert_string_equal(name(100, 150), "a");
	put_spot(0x2004);
	claim(0x1000, 200, 200, "b");
	claim(0x2000, 200, 200, "c");
	jit_history_settle(&history);
	assert_string_equal(name(200, 250), "b");
	assert_int_equal(history.spots.at[0].claims.count, 2);
	assert_int_equal(history.spots.at[1].claims.count, 1);
	jit_history_settle(&history);
	assert_int_equal(history.spots.at[0].claims.count, 2);
}

/* With two threads, the record of one may come slightly late. */
static void claims_out_of_order(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 200, 200, "b");
	claim(0x1000, 100, 100, "a");
	jit_history_settle(&history);
	assert_string_equal(name(100, 199), "a");
	assert_string_equal(name(200, 300), "b");
}

static void behind_a_loss_nothing_is_known(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 100, 100, "a");
	jit_history_lose(&history, 500);
	jit_history_lose(&history, 600);
	jit_history_settle(&history);
	assert_string_equal(name(100, 499), "a");
	assert_string_equal(name(100, 500), "?");
}

/* If there is no room for a claim, all later times are lost. */
static void names_without_end_are_a_loss(void **state)
{
	const struct jit_claim late = {
		.start_addr = 0x9000, .end_addr = 0x9001, .from_ns = 700, .by_ns = 700
	};
	char text[4000];

	memset(text, 'n', sizeof(text));
	put_spot(0x1004);
	claim(0x1000, 100, 100, "a");
	for (uint32_t i = 0; budget.bytes + 2 * sizeof(text) < budget.bytes_max / 2; i++) {
		const struct jit_claim next = { .start_addr = 0x2000 + i,
						.end_addr = 0x2001 + i,
						.by_ns = 100 };

		memcpy(text, &(uint32_t){ 0x01010101 + i }, 4);
		assert_true(jit_history_claim(&history, &next, text, sizeof(text)));
	}
	assert_int_equal(history.lost_ns, UINT64_MAX);
	memset(text, 'y', sizeof(text));
	(void)jit_history_claim(&history, &late, text, sizeof(text));
	memset(text, 'z', sizeof(text));
	assert_false(jit_history_claim(&history, &late, text, sizeof(text)));
	assert_int_equal(history.lost_ns, 700);
	assert_true(history.is_full);
}

/*
 * A process that takes all the room that it can get still leaves room for other processes, each
 * time.
 */
static void one_process_leaves_room_for_others(void **state)
{
	struct jit_history others[4];
	size_t left = budget.bytes_max;

	for (size_t i = 0; i < 4; i++) {
		jit_history_init(&others[i], &budget);
		for (uint64_t at = 0; !others[i].is_full; at++) {
			const struct jit_claim next = { .start_addr = at, .end_addr = at + 1 };

			(void)jit_history_claim(&others[i], &next, "same", 4);
			assert_true(at < budget.bytes_max);
		}
		assert_in_range(others[i].bytes, left / 2 - 200, left / 2);
		left -= others[i].bytes;
	}
	claim(0x1000, 100, 100, "mine");
	assert_false(history.is_full);
	assert_int_equal(history.lost_ns, UINT64_MAX);
	for (size_t i = 0; i < 4; i++)
		jit_history_fini(&others[i]);
	jit_history_fini(&history);
	assert_int_equal(budget.bytes, 0);
}

/* ---- claims that leave memory ---- */

/* Code that is compiled again and again at the same addresses needs room only once. */
static void what_is_over_leaves_memory(void **state)
{
	char text[64];

	put_spot(0x1004);
	for (uint64_t round = 1; round <= 100; round++) {
		for (uint64_t at = 0; at < 1000; at++) {
			(void)snprintf(text, sizeof(text), "function %llu of round %llu",
				       (unsigned long long)at, (unsigned long long)round);
			claim(0x1000 + at * 16, round * 100, round * 100, text);
		}
		jit_history_settle(&history);
	}
	assert_false(history.is_full);
	assert_true(history.bytes < budget.bytes_max / 2);
	assert_string_equal(name(100, 199), "function 0 of round 1");
	assert_string_equal(name(5000, 5099), "function 0 of round 50");
	assert_string_equal(name(10000, 20000), "function 0 of round 100");
	assert_int_not_equal(jit_history_claim_at(&history, 0x1000 + 999 * 16), JIT_NO_CLAIM);
}

static void what_is_still_in_force_stays(void **state)
{
	const struct jit_claim large = {
		.start_addr = 0x1000, .end_addr = 0x1030, .from_ns = 100, .by_ns = 100
	};

	assert_true(jit_history_claim(&history, &large, "large", 5));
	claim(0x1000, 200, 200, "first");
	claim(0x1020, 200, 200, "last");
	claim(0x1000, 150, 150, "read late");
	jit_history_compact(&history);
	assert_int_equal(history.claims.count, 3);
	put_spot(0x1014);
	jit_history_settle(&history);
	assert_string_equal(name(300, 400), "large");
	assert_string_equal(name(200, 400), "large");
	assert_string_equal(name(199, 400), "?");	/* there may have been other code */

	claim(0x1010, 500, 500, "middle");
	jit_history_compact(&history);
	assert_int_equal(history.claims.count, 4);	/* the spot needs "large" */
	assert_string_equal(name(300, 499), "large");
	assert_string_equal(name(500, 600), "middle");
}

/* Compares with a history that forgets nothing. */
static void names_are_the_same_without_what_is_over(void **state)
{
	struct jit_budget no_limit = { .bytes_max = JIT_BYTES_MAX };
	struct jit_history all;
	unsigned int seed = 7;
	uint64_t now_ns = 0;

	jit_history_init(&all, &no_limit);
	for (int step = 0; step < 3000; step++) {
		uint64_t addr = (uint64_t)rand_r(&seed) % 512;
		const struct jit_place place = { .first_ns = now_ns, .last_ns = now_ns };
		struct jit_claim new = {
			.start_addr = addr,
			.end_addr = addr + 1 + (uint64_t)rand_r(&seed) % 64,
			.from_ns = now_ns,
			.by_ns = now_ns + 2,
		};
		char text[16];

		(void)snprintf(text, sizeof(text), "%d", step);
		assert_true(jit_history_claim(&all, &new, text, strlen(text)));
		assert_true(jit_history_claim(&history, &new, text, strlen(text)));
		now_ns += 10;
		if (step % 10 == 9) {
			jit_history_compact(&history);
		}
		if (step % 100 == 99) {
			(void)jit_history_spot(&all, addr, 1);
			(void)jit_history_spot(&history, addr, 1);
		}
		jit_history_settle(&all);
		jit_history_settle(&history);
		for (size_t i = 0; i < history.spots.count; i++) {
			bool unsure[2];
			uint32_t ids[] = {
				jit_history_judge(&all, &all.spots.at[i], &place, &unsure[0]),
				jit_history_judge(&history, &history.spots.at[i], &place,
						  &unsure[1]),
			};

			assert_int_equal(unsure[0], unsure[1]);
			assert_int_equal(ids[0] == JIT_NO_CLAIM, ids[1] == JIT_NO_CLAIM);
			if (ids[0] != JIT_NO_CLAIM)
				assert_string_equal(jit_history_name(&all, &all.claims.at[ids[0]]),
						    jit_history_name(&history,
								     &history.claims.at[ids[1]]));
		}
	}
	assert_true(history.claims.count < all.claims.count / 4 * 3);
	jit_history_fini(&all);
}

/*
 * There are more pairs of addresses and claims than are kept. Everything from the first lost pair
 * on is uncertain.
 */
static void claims_that_cover_everything_are_a_loss(void **state)
{
	for (uint64_t i = 0; i < 5000; i++)
		put_spot(0x1000 + i);
	for (uint64_t i = 0; i < 1000; i++) {
		const struct jit_claim all = { .end_addr = UINT64_MAX, .from_ns = i, .by_ns = i };

		assert_true(jit_history_claim(&history, &all, i % 2 ? "a" : "b", 1));
	}
	jit_history_settle(&history);
	assert_true(history.lost_ns > 100 && history.lost_ns < 300);
	assert_string_equal(name(10, 10), "b");
	assert_string_equal(name(950, 950), "?");
}

static void better_claims_take_the_place_of_all(void **state)
{
	put_spot(0x1004);
	claim(0x1000, 0, 100, "map");
	jit_history_settle(&history);
	jit_history_clear(&history);
	claim(0x1000, 50, 50, "dump");
	jit_history_settle(&history);
	assert_string_equal(name(60, 200), "dump");
	assert_true(budget.bytes > 0 && budget.bytes < 200);
	assert_int_equal(jit_history_claim_at(&history, 0x1000), 0);
	assert_int_equal(jit_history_claim_at(&history, 0x1001), JIT_NO_CLAIM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/*
 * The number of moves is not allowed to grow with the square of the claims. From the claim that
 * found no room, everything is unknown.
 */
static void falling_times_end_in_a_loss(void **state)
{
	put_spot(0x1004);
	for (uint64_t time_ns = 4000; time_ns > 0; time_ns--)
		claim(0x1000, time_ns, time_ns, time_ns % 2 ? "odd" : "even");
	jit_history_settle(&history);
	assert_true(history.lost_ns < 4000);
	assert_true(history.spots.at[0].claims.count < 3000);
	assert_string_equal(name(2000, 2000), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(times_of_a_dump_are_exact),
		TEST(what_was_moved_away_has_no_name),
		TEST(parts_of_a_range_are_given_away),
		TEST(between_two_looks_nothing_is_sure),
		TEST(a_line_does_not_name_what_was_before_it),
		TEST(a_map_that_says_it_again),
		TEST(new_spots_meet_old_claims_and_new_claims_old_spots),
		TEST(claims_out_of_order),
		TEST(behind_a_loss_nothing_is_known),
		TEST(names_without_end_are_a_loss),
		TEST(one_process_leaves_room_for_others),
		TEST(what_is_over_leaves_memory),
		TEST(what_is_still_in_force_stays),
		TEST(names_are_the_same_without_what_is_over),
		TEST(claims_that_cover_everything_are_a_loss),
		TEST(better_claims_take_the_place_of_all),
		TEST(falling_times_end_in_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
