/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop_signals.h - ^C and its like, read instead of suffered
 *
 * While a descriptor is open SIGINT, SIGTERM and SIGHUP are blocked and make it readable, so that
 * what was measured so far is kept.
 */
#ifndef ASSAY_SESSION_STOP_SIGNALS_H
#define ASSAY_SESSION_STOP_SIGNALS_H

#include <sys/types.h>

#include "session/listener.h"
#include "session/workload.h"

/* A descriptor that they are read from, or a negative errno. */
int stop_signals_open(void);

/* The signals end us again; what is pending does so now. */
void stop_signals_close(int fd);

/* A terminal sends ^C to the command as well; what was sent to us alone is passed on to @pid
   (0: nobody). */
void stop_signals_take(int fd, pid_t pid);

/* What was measured is kept, and the command still runs: until it has ended
   signals are passed on to it, and they stay blocked. */
void stop_signals_wait(const struct workload *workload, const struct session_listener *listener);

#endif
