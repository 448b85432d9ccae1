/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spans call|syscall|probes|mixed COUNT
 *
 * Does something COUNT times that a stopwatch can measure, and prints the nanoseconds for each:
 *
 *	call	a call of spans_empty(), which begins with a push, as most functions do
 *	syscall	getppid(2)
 *	probes	a static probe spans:begin, then spans:end
 *	mixed	a call of spans_empty(); after each 100,000, a call of spans_nap(), which sleeps for
 *		2 ms. Also prints how long these calls took, in nanoseconds, by the program's clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"
#include "probe.h"

#define NAP_EVERY 100000

#if defined(__x86_64__)
__asm__(".globl spans_empty\n.type spans_empty, @function\n"
	"spans_empty: push %rbp\n\tpop %rbp\n\tret\n.size spans_empty, .-spans_empty\n");
#else
__asm__(".globl spans_empty\n.type spans_empty, %function\n"
	"spans_empty: nop\n\tret\n.size spans_empty, .-spans_empty\n");
#endif
void spans_empty(void);

__attribute__((noinline)) void spans_nap(void);
void spans_nap(void)
{
	usleep(2000);
}

static uint64_t mixed(unsigned long count)
{
	uint64_t nap_ns = 0;

	for (unsigned long i = 1; i <= count; i++) {
		uint64_t start_ns;

		spans_empty();
		if (i % NAP_EVERY)
			continue;
		start_ns = clock_ns(CLOCK_MONOTONIC);
		spans_nap();
		nap_ns += clock_ns(CLOCK_MONOTONIC) - start_ns;
	}
	return nap_ns;
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), nap_ns = 0;

	if (count && strcmp(argv[1], "call") == 0) {
		for (unsigned long i = 0; i < count; i++)
			spans_empty();
	} else if (count && strcmp(argv[1], "syscall") == 0) {
		for (unsigned long i = 0; i < count; i++)
			(void)syscall(SYS_getppid);
	} else if (count && strcmp(argv[1], "probes") == 0) {
		for (unsigned long i = 0; i < count; i++) {
			PROBE("spans", "begin", "0", "", "i"(0));
			PROBE("spans", "end", "0", "", "i"(0));
		}
	} else if (count && strcmp(argv[1], "mixed") == 0) {
		nap_ns = mixed(count);
	} else {
		fprintf(stderr, "usage: spans call|syscall|probes|mixed COUNT\n");
		return 2;
	}
	printf("%.1f %llu\n", (double)(clock_ns(CLOCK_MONOTONIC) - start_ns) / (double)count,
	       (unsigned long long)nap_ns);
	return 0;
}
