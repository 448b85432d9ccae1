/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - the same stack, taken twice in one call
 *
 * probe() makes a system call that nothing else makes (getppid), so that a recorder of
 * syscalls:sys_enter_getppid samples this very stack, and asks the compiler's unwinder for it.
 * What that says is kept, with the time just before and just after the call: a sample of the
 * thread between the two is of the same moment.
 *
 * The file, in 64-bit words: for each probe a header (struct probe_header), then count words: the
 * address after the system call and the callers' return addresses, the innermost first.  Bit 63
 * marks one that was interrupted there and did not call.
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
