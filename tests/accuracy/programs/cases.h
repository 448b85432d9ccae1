/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cases.h - what a stack can look like; each calls probe() in many places
 *
 * Those of struct cases run in any thread, whose alternate signal stack is ready.
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
void frames_deep(void);		/* beyond what is copied, and beyond 512 frames */

void signals_prepare(void);	/* once, before all threads */
void signals_thread(void);	/* in each thread: its alternate stack */
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
