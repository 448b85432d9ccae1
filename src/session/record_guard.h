/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_guard.h - gives up the rights that a recording no longer needs */
#ifndef ASSAY_SESSION_RECORD_GUARD_H
#define ASSAY_SESSION_RECORD_GUARD_H

#include "session/record_session.h"

/*
 * Does nothing if @options has no guard. Call this when the events and the recording are open. If
 * some rights cannot be given up, tells @listener and goes on.
 */
void record_guard_confine(const struct record_options *options,
			  const struct session_listener *listener);

#endif
