/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	err->code = code;
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

int err_sys(struct err *err, int code, const char *format, ...)
{
	va_list args;
	size_t used;

	if (!err)
		return code;
	err->code = code;
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(-code));
	return code;
}

int err_prefix(struct err *err, const char *format, ...)
{
	char text[ERR_TEXT_MAX];
	va_list args;
	size_t used;

	if (!err)
		return -1;
	memcpy(text, err->text, sizeof(text));
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", text);
	return err->code;
}
