/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - record the same stack twice at one moment: by a recorder and by the compiler's unwinder
 *
 * probe() performs an action that a recorder can be set to sample every time, and asks the
 * compiler's unwinder for the stack at that point. TRIGGER in the environment selects the action:
 * - "call": a system call that nothing else makes (syscalls:sys_enter_getppid)
 * - "fault": the first touch of a page (page-faults)
 * - "switch": a short sleep (context-switches)
 * The unwinder's stack is kept with the times just before and just after the action. A sample of
 * the thread between these times is of that action.
 *
 * The file consists of 64-bit words. Each probe has a header (struct probe_header), then count
 * words: the address of the sample (after the system call instruction), then the callers' return
 * addresses, innermost first. Bit 63 marks an address at which the function was interrupted, rather
 * than one that it called from.
 *
 * If PACE_US is set in the environment, probe() pauses for that time after every 16th probe, for
 * recorders that copy stacks.
 *
 * Safe in signal handlers. A probe that interrupts another probe of the same thread does nothing.
 */
#ifndef ASSAY_TESTS_PROBE_H
#define ASSAY_TESTS_PROBE_H

#include <stdint.h>

#define NOINLINE __attribute__((noinline))

#ifdef __cplusplus
extern "C" {
#endif

struct probe_header {
	uint64_t tid;
	uint64_t before_ns, after_ns;	/* CLOCK_MONOTONIC */
	uint64_t site;			/* number of the test case, for messages */
	uint64_t count;
	/*
	 * The number of leading frames that are on one stack, less than 60,000 bytes above the
	 * innermost.
	 */
	uint64_t near_count;
};

extern __thread uint64_t probe_site;

void probe_begin(void);
void probe(void);
/* Writes all probes to the file. Returns 0, or prints a message and returns 1. */
int probe_end(const char *path);

#ifdef __cplusplus
}
#endif

#endif
