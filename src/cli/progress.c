/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

void progress_init(struct progress *progress, bool wanted)
{
	progress->shown = wanted && isatty(STDERR_FILENO);
	progress->start_ns = clock_monotonic_ns();
}

void progress_show(const struct progress *progress, uint64_t samples, uint64_t size_bytes)
{
	uint64_t elapsed_ns = clock_monotonic_ns() - progress->start_ns;

	if (progress->shown)
		(void)fprintf(stderr, "\r%llu s, %llu samples, %llu KB \033[K",
			      (unsigned long long)(elapsed_ns / NS_PER_SEC),
			      (unsigned long long)samples, (unsigned long long)(size_bytes / 1024));
}

void progress_end(const struct progress *progress)
{
	if (progress->shown)
		(void)fputs("\r\033[K", stderr);
}
