/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates a machine with a cycle counter, for tests on machines without one. When this library is
 * preloaded and the program opens a cycles event, the kernel opens a clock instead. The program
 * sees the same as with a PMU (type, name, a frequency instead of a period), but the samples are
 * distributed differently.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	struct perf_event_attr attr = { 0 };
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open) {
		const struct perf_event_attr *given = (const struct perf_event_attr *)a[0];

		memcpy(&attr, given, given->size < sizeof(attr) ? given->size : sizeof(attr));
		if (attr.type == PERF_TYPE_HARDWARE && attr.config == PERF_COUNT_HW_CPU_CYCLES) {
			attr.type = PERF_TYPE_SOFTWARE;
			attr.config = PERF_COUNT_SW_CPU_CLOCK;
			a[0] = (long)&attr;
		}
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
