/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/listener.h"

#include <stdarg.h>
#include <stdio.h>

#define NOTE_MAX 4096

void session_note(const struct session_listener *listener, const char *format, ...)
{
	char text[NOTE_MAX];
	va_list args;

	if (!listener->note)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	listener->note(listener->context, text);
}

void session_progress(const struct session_listener *listener, uint64_t sample_count,
		      uint64_t size_bytes)
{
	if (listener->progress)
		listener->progress(listener->context, sample_count, size_bytes);
}
