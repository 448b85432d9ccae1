/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - the line that shows a recording is alive, on terminals only
 */
#ifndef ASSAY_CLI_PROGRESS_H
#define ASSAY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;
	uint64_t start_ns;
};

/* Nothing is shown unless @wanted and stderr is a terminal. */
void progress_init(struct progress *progress, bool wanted);
void progress_show(const struct progress *progress, uint64_t samples, uint64_t size_bytes);

/* Clears the line, so that messages begin at the left edge. */
void progress_end(const struct progress *progress);

#endif
