/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <ctype.h>
#include <string.h>

#include "model/image.h"
#include "model/interrupt.h"
#include "model/ledger.h"
#include "model/location.h"
#include "model/loss.h"

/* Names are used in recordings and options. Each must be unique and need no quoting. */
static void assert_plain_name(const char *name)
{
	assert_true(name[0] != '\0');
	for (const char *at = name; *at; at++)
		assert_true(islower((unsigned char)*at) || *at == '-');
}

static void loss_names_are_unique(void **state)
{
	for (int i = 0; i < LOSS_COUNT; i++) {
		assert_plain_name(loss_name((enum loss)i));
		assert_int_equal(loss_of_name(loss_name((enum loss)i)), i);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(loss_name((enum loss)i), loss_name((enum loss)j));
	}
}

static void losses_say_what_they_mean(void **state)
{
	for (int i = 0; i < LOSS_COUNT; i++) {
		assert_plain_name(loss_unit((enum loss)i));
		assert_true(strlen(loss_meaning((enum loss)i)) > 10);
	}
}

static void unknown_losses_have_no_number(void **state)
{
	assert_int_equal(loss_of_name("no-such-loss"), -1);
	assert_int_equal(loss_of_name(""), -1);
	assert_int_equal(loss_of_name("SAMPLE_RING_FULL"), -1);
}

static void counts_add_up(void **state)
{
	struct losses losses = { 0 };

	loss_add(&losses, LOSS_STRING_CUT, 3);
	loss_add(&losses, LOSS_STRING_CUT, 4);
	assert_int_equal(losses.count[LOSS_STRING_CUT], 7);
	assert_int_equal(losses.count[LOSS_MEMORY], 0);
}

static void other_words_are_there_for_every_value(void **state)
{
	for (int i = 0; i < QUALITY_COUNT; i++)
		assert_plain_name(quality_name((enum quality)i));
	for (int i = 0; i < CPU_TIME_COUNT; i++)
		assert_plain_name(cpu_time_name((enum cpu_time)i));
	for (int i = IMAGE_UNKNOWN; i <= IMAGE_JIT; i++)
		assert_plain_name(image_kind_name((enum image_kind)i));
	for (int i = 0; i < INTERRUPT_KIND_COUNT; i++) {
		assert_plain_name(interrupt_kind_name((enum interrupt_kind)i));
		assert_int_equal(
			interrupt_kind_of_name(interrupt_kind_name((enum interrupt_kind)i)), i);
	}
	assert_int_equal(interrupt_kind_of_name(""), -1);
	assert_string_equal(quality_name(QUALITY_COUNT), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loss_names_are_unique),
		cmocka_unit_test(losses_say_what_they_mean),
		cmocka_unit_test(unknown_losses_have_no_number),
		cmocka_unit_test(counts_add_up),
		cmocka_unit_test(other_words_are_there_for_every_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
