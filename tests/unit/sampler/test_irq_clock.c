/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arithmetic of the BPF programs that time interrupts, run without a kernel. */
#include "support/test.h"

#include "bpf/irq_time.h"

#define DEVICE 24u
#define TIMER (IRQ_OF_CPU | IRQ_VECTOR_local_timer)

static uint64_t soft_now(const struct irq_clock *clock, uint64_t now_ns)
{
	return now_ns - clock->hard_ns;
}

static uint64_t hardirq(struct irq_clock *clock, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = 0;

	irq_hard_begin(clock, DEVICE, from_ns);
	assert_true(irq_hard_end(clock, DEVICE, to_ns, &ns));
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
	assert_int_equal(clock.soft_ns, 1000 - 40 - 5 + 7);
}

static void test_ends_without_beginning(void **state)
{
	struct irq_clock clock = { 0 };
	uint64_t ns = 5;

	assert_false(irq_hard_end(&clock, DEVICE, 100, &ns));
	assert_false(irq_soft_end(&clock, 100, &ns));
	(void)hardirq(&clock, 200, 210);
	assert_false(irq_hard_end(&clock, DEVICE, 300, &ns));
	irq_soft_begin(&clock, 400);
	assert_true(irq_soft_end(&clock, 410, &ns));
	assert_false(irq_soft_end(&clock, 500, &ns));
	assert_int_equal(ns, 10);
	assert_int_equal(clock.hard_ns, 10);
}

/* The end of the first interrupt was not seen, so only the last one to begin is timed. */
static void test_beginning_without_end(void **state)
{
	struct irq_clock clock = { 0 };

	irq_hard_begin(&clock, DEVICE, 100);
	assert_int_equal(hardirq(&clock, 1000, 1001), 1);
	assert_int_equal(clock.hard_ns, 1);
}

static void test_handler_in_a_handler(void **state)
{
	struct irq_clock clock = { 0 };
	uint64_t ns = 0;

	irq_hard_begin(&clock, DEVICE, 1000);
	irq_hard_begin(&clock, 101, 1100);
	irq_hard_begin(&clock, 102, 1110);
	assert_true(irq_hard_end(&clock, 102, 1115, &ns));
	assert_int_equal(ns, 5);
	assert_true(irq_hard_end(&clock, 101, 1150, &ns));
	assert_int_equal(ns, 45);
	irq_hard_begin(&clock, 103, 1200);
	assert_true(irq_hard_end(&clock, 103, 1210, &ns));
	assert_true(irq_hard_end(&clock, DEVICE, 1300, &ns));
	assert_int_equal(ns, 300 - 50 - 10);
	assert_int_equal(clock.hard_ns, 300);
	assert_int_equal(clock.depth, 0);
}

/* Interrupts whose end was not seen do not count as outer interrupts for ever. */
static void test_frames_that_nobody_ended(void **state)
{
	struct irq_clock clock = { 0 };
	uint64_t ns = 0;

	for (uint32_t irq = 0; irq < IRQ_DEPTH; irq++)
		irq_hard_begin(&clock, irq, 1000 + irq);
	irq_hard_begin(&clock, 1, 2000);
	assert_int_equal(clock.depth, 2);
	assert_true(irq_hard_end(&clock, 1, 2004, &ns));
	assert_int_equal(ns, 4);
	irq_hard_begin(&clock, TIMER, 3000);
	assert_int_equal(clock.depth, 1);
	assert_true(irq_hard_end(&clock, TIMER, 3001, &ns));
	assert_int_equal(ns, 1);
	assert_false(irq_hard_end(&clock, 0, 9000, &ns));
	assert_int_equal(clock.hard_ns, 5);
}

static void test_deeper_than_there_is_room(void **state)
{
	struct irq_clock clock = { 0 };
	uint64_t ns = 0;

	for (uint32_t irq = 0; irq <= IRQ_DEPTH; irq++)
		irq_hard_begin(&clock, irq, 1000);
	assert_int_equal(clock.depth, 1);
	assert_true(irq_hard_end(&clock, IRQ_DEPTH, 1007, &ns));
	assert_int_equal(ns, 7);
	assert_false(irq_hard_end(&clock, 0, 1010, &ns));
}

/* The kernel's fast clock may go back slightly. */
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
	int hardirqs;		/* number of hardirqs still to come, each after the time was read */
} cpu;

/* Here, reading the clock takes 1 ns and a hardirq takes 90 ns. */
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

/* Times a softirq of 500 ns, with @begin hardirqs at its start and @end hardirqs at its end. */
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
		cmocka_unit_test(test_handler_in_a_handler),
		cmocka_unit_test(test_frames_that_nobody_ended),
		cmocka_unit_test(test_deeper_than_there_is_room),
		cmocka_unit_test(test_clock_steps_back),
		cmocka_unit_test(test_hardirqs_in_the_midst_of_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
