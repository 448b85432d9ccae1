/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_jit.h - the names of generated code, while it is recorded (symbolize/jit.h)
 */
#ifndef ASSAY_SESSION_RECORD_JIT_H
#define ASSAY_SESSION_RECORD_JIT_H

#include "capture/capture.h"
#include "process/jit_dumps.h"
#include "session/listener.h"
#include "symbolize/jit.h"

/* NULL without memory: generated code has no names then. */
struct jit *record_jit_new(struct model *model);

/* After each drain: opens what new processes have, before they are gone. */
void record_jit_watch(struct jit *jit, struct capture *capture);

/* Before each flush. */
void record_jit_settle(struct jit *jit, struct capture *capture, struct sample_batch *batch);

/* Names for who looks on, before the rest is named. */
void record_jit_name_now(struct jit *jit);

/* Names all, before the rest is named. */
void record_jit_name(struct jit *jit);

/* Whose jitdump was refused or damaged, and why: a sentence for the user. */
void record_jit_say(const struct model *model, const struct session_listener *listener);

#endif
