/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cases.h - the shapes that a stack can have; each function calls probe() in many places
 *
 * All functions but those marked otherwise run in any thread whose alternate signal stack is set
 * up.
 */
#ifndef ASSAY_TESTS_CASES_H
#define ASSAY_TESTS_CASES_H

#include "probe.h"

#ifdef __cplusplus
extern "C" {
#endif

void frames_recursion(void);
void frames_alloca(void);
void frames_realigned(void);
void frames_callbacks(void);
void frames_jumps(void);
void frames_contexts(void);
void frames_plugin(void);
void frames_deep(void);		/* deeper than what a recorder copies, and more than 512 frames */

void signals_prepare(void);	/* call once, before any thread starts */
void signals_thread(void);	/* call in each thread; sets its alternate stack */
void signals_raised(void);
void signals_first_instruction(void);
void signals_stepped(void);	/* main thread only */
void signals_timed(void);	/* main thread only */
void signals_faulted(void);	/* main thread only */

void throws_all(void);
void throws_forced(void);	/* ends the thread */

#ifdef __cplusplus
}
#endif

#endif
