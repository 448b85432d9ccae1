/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop_signals.h - reads SIGINT, SIGTERM and SIGHUP from a descriptor
 *
 * While the descriptor is open, these signals are blocked and make the descriptor readable. So ^C
 * does not kill assay, and the measurements so far can be saved.
 */
#ifndef ASSAY_SESSION_STOP_SIGNALS_H
#define ASSAY_SESSION_STOP_SIGNALS_H

#include <sys/types.h>

#include "session/listener.h"
#include "session/workload.h"

/* Blocks the signals. Returns the descriptor to read them from, or a negative errno. */
int stop_signals_open(void);

/* Unblocks the signals, so that they terminate assay again. Pending signals take effect at once. */
void stop_signals_close(int fd);

/*
 * Reads one signal. Forwards any signal except SIGINT to process @pid, unless @pid is 0. SIGINT is
 * not forwarded because the terminal sends ^C to the command as well.
 */
void stop_signals_take(int fd, pid_t pid);

/*
 * Waits until the command ends. Called after the measurements have been saved. During the wait, the
 * signals stay blocked and are forwarded by stop_signals_take().
 */
void stop_signals_wait(const struct workload *workload, const struct session_listener *listener);

#endif
