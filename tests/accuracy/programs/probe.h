/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - the same stack, taken twice in one call
 *
 * probe() does what a recorder can be told to sample each time, and asks the compiler's unwinder
 * for the stack beside it.  TRIGGER in the environment says what that is: "call", a system call
 * that nothing else makes (syscalls:sys_enter_getppid); "fault", the first touch of a page
 * (page-faults); "switch", a short sleep (context-switches).  What the unwinder says is kept, with
 * the time just before and just after: a sample of the thread between the two is of that moment.
 *
 * The file, in 64-bit words: for each probe a header (struct probe_header), then count words: the
 * address of the sample (behind a system call) and the callers' return addresses, innermost first.
 * Bit 63 marks one that was interrupted there and did not call.
 *
 * With PACE_US in the environment it rests that long now and then, for recorders that copy stacks.
 *
 * Safe in signal handlers; a probe that interrupts another of the same thread does nothing.
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
	uint64_t site;			/* number of the case, for messages */
	uint64_t count;
	/* So many of them lie on one stack, less than 60,000 bytes above the innermost. */
	uint64_t near_count;
};

extern __thread uint64_t probe_site;

void probe_begin(void);
void probe(void);
/* Writes all to the file; 0, or 1 with a message. */
int probe_end(const char *path);

#ifdef __cplusplus
}
#endif

#endif
