/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arithmetic of the programs that time interrupts, without a kernel. */
#include "support/test.h"

#include "bpf/irq_time.h"

static uint64_t soft_now(const struct irq_clock *clock, uint64_t now_ns)
{
	return now_ns - clock->hard_ns;
}

static uint64_t hardirq(struct irq_clock *clock, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = 0;

	irq_hard_begin(clock, from_ns);
	assert_true(irq_hard_end(clock, to_ns, &ns));
	return ns;
}

static void test_hardirq(void **state)
{
	struct irq_clock clock = { 0 };

	assert_int_equal(hardirq(&clock, 1000, 1300), 300);
	assert_int_equal(hardirq(&clock, 2000, 2050), 50);
	assert_int_equal(clock.hard_ns, 350);
}

static void test_softirq_excludes_nested_hardirqs(void **state)
{
	struct irq_clock clock = { 0 };
	uint64_t ns = 0;

	(void)hardirq(&clock, 100, 190);
	irq_soft_begin(&clock, soft_now(&clock, 1000));
	(void)hardirq(&clock, 1100, 1140);
	(void)hardirq(&clock, 1500, 1505);
	assert_true(irq_soft_end(&clock, soft_now(&clock, 2000), &ns));
	assert_int_equal(ns, 1000 - 40 - 5);
	(void)hardirq(&clock, 2100, 2190);
	irq_soft_begin(&clock, soft_now(&clock, 3000));
	assert_true(irq_soft_end(&clock, soft_now(&clock, 3007), &ns));
	assert_int_equal(ns, 7);
}

static void test_ends_without_beginning(void **state)
{
	struct irq_clock clock = { 0 };
	uint64_t ns = 5;

	assert_false(irq_hard_end(&clock, 100, &ns));
	assert_false(irq_soft_end(&clock, 100, &ns));
	(void)hardirq(&clock, 200, 210);
	assert_false(irq_hard_end(&clock, 300, &ns));
	irq_soft_begin(&clock, 400);
	assert_true(irq_soft_end(&clock, 410, &ns));
	assert_false(irq_soft_end(&clock, 500, &ns));
	assert_int_equal(ns, 10);
	assert_int_equal(clock.hard_ns, 10);
}

/* The end of the first was not seen: only what began last is timed. */
static void test_beginning_without_end(void **state)
{
	struct irq_clock clock = { 0 };

	irq_hard_begin(&clock, 100);
	assert_int_equal(hardirq(&clock, 1000, 1001), 1);
	assert_int_equal(clock.hard_ns, 1);
}

/* The kernel's fast clock may step back by a little. */
static void test_clock_steps_back(void **state)
{
	struct irq_clock clock = { 0 };
	uint64_t ns = 5;

	assert_int_equal(hardirq(&clock, 1000, 998), 0);
	irq_soft_begin(&clock, 1000);
	assert_true(irq_soft_end(&clock, 999, &ns));
	assert_int_equal(ns, 0);
}

/* ---- hardirqs while the clock of softirqs is read ---- */

static struct {
	struct irq_clock clock;
	uint64_t now_ns;
	int hardirqs;		/* so many come, each after the time was read */
} cpu;

/* Reading the clock takes 1 ns here, a hardirq 90. */
static uint64_t interrupted_now(void)
{
	uint64_t now_ns = cpu.now_ns++;

	if (cpu.hardirqs > 0) {
		cpu.hardirqs--;
		(void)hardirq(&cpu.clock, cpu.now_ns, cpu.now_ns + 90);
		cpu.now_ns += 90;
	}
	return now_ns;
}

/* How long a softirq of 500 ns takes, when @begin and @end hardirqs come at its two ends. */
static int timed(int begin, int end, uint64_t *ret_ns)
{
	cpu.now_ns += 1000;
	cpu.hardirqs = begin;
	irq_soft_begin(&cpu.clock, irq_soft_now(&cpu.clock, interrupted_now));
	cpu.now_ns += 500;
	cpu.hardirqs = end;
	return irq_soft_end(&cpu.clock, irq_soft_now(&cpu.clock, interrupted_now), ret_ns);
}

static void test_hardirqs_in_the_midst_of_reading(void **state)
{
	uint64_t ns = 0;

	for (int begin = 0; begin <= IRQ_SOFT_READS + 1; begin++) {
		for (int end = 0; end <= IRQ_SOFT_READS + 1; end++) {
			int is_known = begin < IRQ_SOFT_READS && end < IRQ_SOFT_READS;

			assert_int_equal(timed(begin, end, &ns), is_known);
			if (is_known)
				assert_in_range(ns, 500, 500 + IRQ_SOFT_READS);
			assert_int_equal(cpu.clock.soft_start_ns, 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hardirq),
		cmocka_unit_test(test_softirq_excludes_nested_hardirqs),
		cmocka_unit_test(test_ends_without_beginning),
		cmocka_unit_test(test_beginning_without_end),
		cmocka_unit_test(test_clock_steps_back),
		cmocka_unit_test(test_hardirqs_in_the_midst_of_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
