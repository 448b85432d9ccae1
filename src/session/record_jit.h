/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_jit.h - names generated code during a recording (symbolize/jit.h) */
#ifndef ASSAY_SESSION_RECORD_JIT_H
#define ASSAY_SESSION_RECORD_JIT_H

#include "capture/capture.h"
#include "process/jit_dumps.h"
#include "session/listener.h"
#include "symbolize/jit.h"

/*
 * @bytes_max is for what perf maps and jitdumps say. Returns NULL if out of memory; generated code
 * then has no names. The other functions accept NULL.
 */
struct jit *record_jit_new(struct model *model, size_t bytes_max, struct file_opener *opener,
			   struct readers *readers);

/*
 * Opens the perf maps and jitdumps of new processes, before these processes exit. Call this after
 * each drain.
 */
void record_jit_watch(struct jit *jit, struct capture *capture);

/* Finds the function of each sample in @batch that hit generated code. Call before each flush. */
void record_jit_settle(struct jit *jit, struct capture *capture, struct sample_batch *batch);

/*
 * Names generated code for a live view, with the names known so far. Call this before all other
 * code is named.
 */
void record_jit_name_now(struct jit *jit);

/* Names all generated code. Call this before all other code is named. */
void record_jit_name(struct jit *jit);

/*
 * If a jitdump was refused or damaged, tells the user the process and the reason. If there were
 * several such jitdumps, reports only the last one.
 */
void record_jit_say(const struct model *model, const struct session_listener *listener);

#endif
