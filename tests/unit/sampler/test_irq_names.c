/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of interrupts, and the lines of /proc/interrupts. */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "sampler/irq_names.h"

static FILE *file_of(const char *text)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(file);
	return file;
}

static void assert_softirq(const char *text, uint32_t number, const char *wanted)
{
	FILE *file = file_of(text);
	char name[IRQ_NAME_MAX];

	irq_name_of_softirq(file, number, name);
	assert_string_equal(name, wanted);
	(void)fclose(file);
}

static void test_softirqs(void **state)
{
	static const char text[] = "                    CPU0       CPU1       \n"
				   "          HI:          0          0\n"
				   "       TIMER:     360334     416656\n"
				   "NAME-OF-17-BYTES-: 1 2\n"
				   "      NET_RX:    4116617    4117806\n";
	char name[IRQ_NAME_MAX];

	assert_softirq(text, 0, "HI");
	assert_softirq(text, 1, "TIMER");
	assert_softirq(text, 2, "NET_RX");
	assert_softirq(text, 3, "softirq 3");
	irq_name_of_softirq(NULL, 7, name);
	assert_string_equal(name, "softirq 7");
}

static void test_no_such_device(void **state)
{
	char name[IRQ_NAME_MAX];

	irq_name_of_device(UINT32_MAX, name);
	assert_string_equal(name, "irq 4294967295");
}

struct seen {
	char text[512];
	int stop;
};

static int see(void *context, const char *label, const char *what, uint32_t line, uint32_t cpu,
	       uint64_t count)
{
	struct seen *seen = context;
	size_t used = strlen(seen->text);

	(void)snprintf(seen->text + used, sizeof(seen->text) - used, "%s|%s|%u|%u|%llu\n", label,
		       what, line, cpu, (unsigned long long)count);
	return seen->stop;
}

static int see_all(const char *text, struct seen *seen)
{
	FILE *file = file_of(text);
	int rc = irq_counts_each(file, see, seen);

	(void)fclose(file);
	return rc;
}

static void test_counts(void **state)
{
	struct seen seen = { 0 };

	assert_int_equal(see_all("           CPU0       CPU3       \n"
				 " 24:          1          0  IO-APIC   5-edge      ACPI:Ged\n"
				 "NMI:          0          7   Non-maskable interrupts\n"
				 "ERR:          0\n"
				 "HYP: 79 18446744073709551615\n",
				 &seen),
			 0);
	assert_string_equal(seen.text, "24|IO-APIC   5-edge      ACPI:Ged|0|0|1\n"
				       "24|IO-APIC   5-edge      ACPI:Ged|0|3|0\n"
				       "NMI|Non-maskable interrupts|1|0|0\n"
				       "NMI|Non-maskable interrupts|1|3|7\n"
				       "HYP||3|0|79\n"
				       "HYP||3|3|18446744073709551615\n");
}

static void test_counts_stop(void **state)
{
	struct seen seen = { .stop = 3 };

	assert_int_equal(see_all("CPU0 CPU1\nNMI: 1 2 x\n", &seen), 3);
	assert_string_equal(seen.text, "NMI|x|0|0|1\n");
}

static void test_what_is_no_table(void **state)
{
	struct seen seen = { 0 };

	assert_int_equal(see_all("\n", &seen), -EIO);
	assert_int_equal(see_all("CPUx\n", &seen), -EIO);
	assert_int_equal(see_all("CPU99999999\n", &seen), -EIO);
	assert_int_equal(see_all("CPU0\nNMI 1\n:: 1\nNMI:\nNMI: -1\nA-LABEL-TOO-LONG: 1\n", &seen),
			 0);
	assert_string_equal(seen.text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_softirqs),	 cmocka_unit_test(test_no_such_device),
		cmocka_unit_test(test_counts),		 cmocka_unit_test(test_counts_stop),
		cmocka_unit_test(test_what_is_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
