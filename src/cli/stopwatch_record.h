/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stopwatch_record.h - `assay stopwatch` with --slow or --trace: a recording with single calls */
#ifndef ASSAY_CLI_STOPWATCH_RECORD_H
#define ASSAY_CLI_STOPWATCH_RECORD_H

#include "cli/stopwatch_options.h"

/*
 * Samples while the calls are measured, as `assay record` does, with waits. Writes the recording to
 * arguments->output and prints the durations. Returns the exit status.
 */
int stopwatch_record(const struct stopwatch_arguments *arguments);

#endif
