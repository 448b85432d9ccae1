/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stopwatch_slow.h - `assay stopwatch --slow`: a recording that tells why calls are slow */
#ifndef ASSAY_CLI_STOPWATCH_SLOW_H
#define ASSAY_CLI_STOPWATCH_SLOW_H

#include "cli/stopwatch_options.h"

/*
 * Samples while the calls are measured, as `assay record` does, with waits. Writes the recording to
 * arguments->output and prints the durations. Returns the exit status.
 */
int stopwatch_record_slow(const struct stopwatch_arguments *arguments);

#endif
