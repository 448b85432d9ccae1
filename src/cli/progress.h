/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.h - shows a line of progress during recording, if stderr is a terminal */
#ifndef ASSAY_CLI_PROGRESS_H
#define ASSAY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;
	uint64_t start_ns;
};

/* progress_init() enables the line if @wanted and stderr is a terminal. */
void progress_init(struct progress *progress, bool wanted);
void progress_show(const struct progress *progress, uint64_t samples, uint64_t size_bytes);

/* Clears the line, so that the next message starts at the left edge. */
void progress_end(const struct progress *progress);

#endif
