/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listener.h - how a session speaks to the user
 *
 * Sessions print nothing. What a user should know goes to a listener as one sentence at a time,
 * without a prefix or a newline; the caller decides whether and where to show it. Errors do not
 * come this way: functions return them.
 */
#ifndef ASSAY_SESSION_LISTENER_H
#define ASSAY_SESSION_LISTENER_H

#include <stdint.h>

/* Functions may be NULL. @text is valid during the call only. */
struct session_listener {
	void (*note)(void *context, const char *text);
	/* After each flush: the samples and the size of the recording so far. */
	void (*progress)(void *context, uint64_t sample_count, uint64_t size_bytes);
	void *context;
};

/* Formats a sentence for the listener; a sentence longer than 4 KiB is cut. */
void session_note(const struct session_listener *listener, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void session_progress(const struct session_listener *listener, uint64_t sample_count,
		      uint64_t size_bytes);

#endif
