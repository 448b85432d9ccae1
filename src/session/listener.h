/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listener.h - how a session reports to the user
 *
 * Sessions print nothing. Each message for the user is passed to the listener as one sentence,
 * without a prefix or a newline. The caller decides whether and where to show it. Errors are not
 * passed to the listener: functions return them.
 */
#ifndef ASSAY_SESSION_LISTENER_H
#define ASSAY_SESSION_LISTENER_H

#include <stdint.h>

/* Both callbacks may be NULL. @text is valid only until note() returns. */
struct session_listener {
	void (*note)(void *context, const char *text);
	/*
	 * Called after each flush, with the number of samples and the size of the recording so far.
	 */
	void (*progress)(void *context, uint64_t sample_count, uint64_t size_bytes);
	void *context;
};

/* Formats a sentence and passes it to the listener. A sentence longer than 4 KiB is cut. */
void session_note(const struct session_listener *listener, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void session_progress(const struct session_listener *listener, uint64_t sample_count,
		      uint64_t size_bytes);

#endif
