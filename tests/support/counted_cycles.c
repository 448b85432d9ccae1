/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates a machine with a cycle counter, for tests on machines without one. When this library is
 * preloaded and the program opens a cycles event, the kernel opens a clock instead. The program
 * sees the same as with a PMU (type, name, a frequency instead of a period), but the samples are
 * distributed differently.
 *
 * The kernel gives a clock that is opened with a frequency a fixed period, and takes what is set
 * later for a period, too: 999 would become 999 ns, and the machine would do nothing but sample. So
 * later frequencies are changed into periods here.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

#define FDS_MAX 65536
#define NS_PER_SEC 1000000000

static bool has_frequency[FDS_MAX];	/* by descriptor: the event stands for cycles, with -F */

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT,
										       "ioctl");
	unsigned long long period;
	va_list args;
	void *value;

	va_start(args, request);
	value = va_arg(args, void *);
	va_end(args);
	if (request == PERF_EVENT_IOC_PERIOD && fd >= 0 && fd < FDS_MAX && has_frequency[fd]) {
		period = NS_PER_SEC / *(const unsigned long long *)value;
		value = &period;
	}
	return real(fd, request, value);
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	struct perf_event_attr attr = { 0 };
	bool frequency = false;
	long a[6], result;
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
			frequency = attr.freq;
		}
	}
	result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_perf_event_open && result >= 0 && result < FDS_MAX)
		has_frequency[result] = frequency;
	return result;
}
