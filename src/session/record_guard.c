/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_guard.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void record_guard_confine(const struct record_options *options,
			  const struct session_listener *listener)
{
	struct guard *guard = options->guard;
	char caches[PATH_MAX + 1];
	int rc = 0;

	if (!guard)
		return;
	if (!options->no_recording)
		rc = guard_allow(guard, options->output);
	if (options->cache_dir) {
		(void)snprintf(caches, sizeof(caches), "%s/", options->cache_dir);
		(void)guard_allow(guard, caches);	/* may not exist */
	}
	if (rc == 0)
		rc = guard_confine(guard, GUARD_OBSERVES);
	if (rc < 0)
		session_note(listener, "assay keeps rights that it does not need (seccomp: %s)",
			     strerror(-rc));
}
