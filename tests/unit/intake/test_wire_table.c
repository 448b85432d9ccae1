/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind rows packed into lines, searched as the sampler does. */
#include "support/test.h"

#include "bpf/wire_line.h"
#include "intake/wire_table.h"

#define PAGE (1u << WIRE_PAGE_SHIFT)
#define RULES 30000	/* as many as there are rule numbers; none of the rules is short */

static struct unwind_rule rules[RULES];

static struct unwind_table table_of(struct unwind_row *rows, size_t count)
{
	return (struct unwind_table){ .rows = { .at = rows, .count = count },
				      .rules = { .at = rules, .count = RULES } };
}

/* Returns the number of the rule at @offset. */
static uint16_t rule_in_lines(const struct wire_line *lines, uint32_t offset)
{
	const struct wire_line *line = &lines[offset >> WIRE_PAGE_SHIFT];
	uint8_t wanted = (uint8_t)offset;

	if (line->part_count)
		line = &lines[wire_node_line(line, wanted)];
	return line->rules[wire_line_row(line, wanted)];
}

static uint16_t rule_in_rows(const struct unwind_table *table, uint32_t offset)
{
	uint16_t rule = 0;

	for (size_t i = 0; i < table->rows.count && table->rows.at[i].offset <= offset; i++)
		rule = table->rows.at[i].rule;
	return rule;
}

static void check(struct unwind_row *rows, size_t count)
{
	const struct unwind_table table = table_of(rows, count);
	struct wire_table_size size = wire_table_size(&table);
	struct wire_line *lines = calloc(size.line_count, sizeof(*lines));

	assert_non_null(lines);
	assert_int_equal(size.page_count, wire_table_page_count(&table));
	wire_table_fill(&table, lines);
	for (uint32_t offset = 0; offset < size.page_count * PAGE; offset++)
		assert_int_equal(rule_in_lines(lines, offset), rule_in_rows(&table, offset));
	free(lines);
}

#define ROW(at, number) \
	{ \
		.offset = (at), .rule = (number) \
	}

/* Pages with several rows, without rows, with a row at the start of the page and one at its end. */
static void test_every_offset(void **state)
{
	struct unwind_row rows[] = {
		ROW(16, 1), ROW(20, 2), ROW(255, 3), ROW(768, 4), ROW(1023, 5), ROW(1024, 0),
	};

	check(rows, sizeof(rows) / sizeof(rows[0]));
}

/* From one row in a page to a row at each byte, at the start of the page or up to its end. */
static void test_pages_of_all_fillings(void **state)
{
	struct unwind_row rows[PAGE + 2];

	for (uint32_t filling = 1; filling <= PAGE; filling++) {
		for (uint32_t first = 0; first <= PAGE - filling; first += PAGE - filling) {
			rows[0] = (struct unwind_row)ROW(3, 7);
			for (uint32_t i = 0; i < filling; i++)
				rows[1 + i] = (struct unwind_row)ROW(PAGE + first + i,
								     (uint16_t)(100 + i));
			rows[1 + filling] = (struct unwind_row)ROW(3 * PAGE + 9, 0);
			check(rows, filling + 2);
			if (filling == PAGE)
				break;
		}
	}
}

/* Lines after the first 65,536. */
static void test_many_pages(void **state)
{
	const size_t count = 66000;
	struct unwind_row *rows = calloc(count, sizeof(*rows));
	struct unwind_table table = table_of(rows, count);
	struct wire_table_size size;
	struct wire_line *lines;

	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct unwind_row)ROW((i < 60000 ? 0 : (i - 60000) / 40 + 60000) * PAGE +
							 i % 40 * 2,
						 (uint16_t)(i % RULES));
	for (uint32_t i = 0; i < 60000; i++)
		rows[i].offset = i * PAGE;
	size = wire_table_size(&table);
	lines = calloc(size.line_count, sizeof(*lines));
	assert_non_null(lines);
	assert_true(size.line_count > size.page_count);
	wire_table_fill(&table, lines);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(rule_in_lines(lines, rows[i].offset), rows[i].rule);
	free(lines);
	free(rows);
}

/* A table that claims to be sorted but is not. Any result is allowed except a fault. */
static void test_unsorted_rows(void **state)
{
	struct unwind_row rows[600];
	struct unwind_table table = table_of(rows, 600);
	struct wire_table_size size;
	struct wire_line *lines;

	for (uint32_t i = 0; i < 600; i++)
		rows[i] = (struct unwind_row)ROW(i % 2 ? 10 : 200 - i % 200, 3);
	size = wire_table_size(&table);
	lines = calloc(size.line_count, sizeof(*lines));
	assert_non_null(lines);
	wire_table_fill(&table, lines);
	free(lines);
}

static void test_no_rows(void **state)
{
	const struct unwind_table table = table_of(NULL, 0);

	assert_int_equal(wire_table_size(&table).line_count, 0);
	wire_table_fill(&table, NULL);
}

static void test_the_last_possible_offset(void **state)
{
	struct unwind_row last = ROW(UINT32_MAX, 0);
	const struct unwind_table table = table_of(&last, 1);

	assert_int_equal(wire_table_page_count(&table), 1u << (32 - WIRE_PAGE_SHIFT));
}

/* ---- short rules, which need no entry of their own ---- */

static const struct unwind_rule common = {
	.kind = UNWIND_CFA,
	.cfa_base = UNWIND_BASE_SP,
	.fp_base = UNWIND_BASE_CFA,
	.ra_base = UNWIND_BASE_CFA,
	.kept_words = UNWIND_KEPT_LOST,
	.cfa_offset = 48,
	.fp_offset = -16,
	.ra_offset = -8,
};

static void assert_short(struct unwind_rule rule)
{
	uint16_t number = short_rule_number(&rule);
	struct unwind_rule again = short_rule(number);

	assert_true(number & SHORT_RULE);
	assert_memory_equal(&again, &rule, sizeof(rule));
}

static void test_short_rules(void **state)
{
	struct unwind_rule rule = common;

	for (int32_t words = 0; words <= 511; words++) {
		rule.cfa_offset = words * 8;
		assert_short(rule);
	}
	for (int32_t words = 1; words <= 31; words++) {
		rule.fp_offset = -8 * words;
		assert_short(rule);
	}
	rule.cfa_base = UNWIND_BASE_FP;
	assert_short(rule);
	rule.fp_base = UNWIND_BASE_NONE;
	rule.fp_offset = 0;
	assert_short(rule);
}

#define ASSERT_NOT_SHORT(field, value) \
	do { \
		struct unwind_rule rule = common; \
\
		rule.field = value; \
		assert_int_equal(short_rule_number(&rule), 0); \
	} while (0)

static void test_rules_that_are_not_short(void **state)
{
	ASSERT_NOT_SHORT(kind, UNWIND_GAP);
	ASSERT_NOT_SHORT(kind, UNWIND_PLT);
	ASSERT_NOT_SHORT(flags, UNWIND_SIGNAL);
	ASSERT_NOT_SHORT(kept_words, UNWIND_KEPT_ALONE);
	ASSERT_NOT_SHORT(kept_words, -3);
	ASSERT_NOT_SHORT(cfa_base, UNWIND_BASE_EXTRA);
	ASSERT_NOT_SHORT(cfa_offset, 512 * 8);
	ASSERT_NOT_SHORT(cfa_offset, -8);
	ASSERT_NOT_SHORT(cfa_offset, 12);
	ASSERT_NOT_SHORT(fp_base, UNWIND_BASE_SP);
	ASSERT_NOT_SHORT(fp_offset, -32 * 8);
	ASSERT_NOT_SHORT(fp_offset, 8);
	ASSERT_NOT_SHORT(fp_offset, -12);
	ASSERT_NOT_SHORT(fp_offset, 0);
	ASSERT_NOT_SHORT(ra_base, UNWIND_BASE_NONE);
	ASSERT_NOT_SHORT(ra_offset, -16);
}

/* Short rules are stored in the lines in place of a rule number. */
static void test_short_rules_in_lines(void **state)
{
	struct unwind_row rows[] = { ROW(0, 2), ROW(9, 3) };
	struct unwind_table table = table_of(rows, 2);
	struct wire_line line = { 0 };

	rules[2] = common;
	wire_table_fill(&table, &line);
	assert_int_equal(rule_in_lines(&line, 8), short_rule_number(&common));
	assert_int_equal(rule_in_lines(&line, 9), 3);
	rules[2] = (struct unwind_rule){ 0 };
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_offset),
		cmocka_unit_test(test_pages_of_all_fillings),
		cmocka_unit_test(test_many_pages),
		cmocka_unit_test(test_unsorted_rows),
		cmocka_unit_test(test_no_rows),
		cmocka_unit_test(test_the_last_possible_offset),
		cmocka_unit_test(test_short_rules),
		cmocka_unit_test(test_rules_that_are_not_short),
		cmocka_unit_test(test_short_rules_in_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
