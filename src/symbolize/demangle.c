/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>

/* Omits parameter types, because they make names very long and the linkage name is kept anyway. */
#define STYLE DMGL_ANSI

/*
 * Maximum number of back references in a D name. Each of them refers to an earlier part of the
 * name. libiberty's D demangler has no callback, so it cannot be stopped. Doubling the output takes
 * two more references, so this limit allows only twelve doublings.
 */
#define D_BACK_REFERENCES_MAX 24

typedef int (*demangle_fn)(const char *name, int options, demangle_callbackref callback,
			   void *opaque);

struct output {
	jmp_buf stop;
	size_t length;
	char text[DEMANGLE_OUTPUT_MAX + 1];
};

static void append(const char *text, size_t length, void *opaque)
{
	struct output *output = opaque;

	if (length > DEMANGLE_OUTPUT_MAX - output->length)
		longjmp(output->stop, 1);
	memcpy(output->text + output->length, text, length);
	output->length += length;
}

/*
 * Runs a demangler that passes its output to a callback. If the output is too long, the callback
 * stops the demangler with longjmp(). No memory is leaked, because these demanglers keep all their
 * data on the stack.
 */
static char *demangle_by(demangle_fn demangler, const char *name)
{
	struct output output;

	output.length = 0;
	if (setjmp(output.stop) || !demangler(name, STYLE, append, &output))
		return NULL;
	output.text[output.length] = '\0';
	return strdup(output.text);
}

static char *demangle_d(const char *name)
{
	int back_references = 0;

	for (const char *at = name; *at; at++)
		back_references += *at == 'Q';
	return back_references > D_BACK_REFERENCES_MAX ? NULL : dlang_demangle(name, STYLE);
}

char *demangle(const char *name)
{
	char *text = NULL;

	if (name[0] != '_' || strnlen(name, DEMANGLE_INPUT_MAX + 1) > DEMANGLE_INPUT_MAX)
		return NULL;
	/* Rust's legacy names look like C++ names, so the Rust demangler is tried first. */
	if (name[1] == 'R' || name[1] == 'Z')
		text = demangle_by(rust_demangle_callback, name);
	if (!text && name[1] == 'Z')
		text = demangle_by(cplus_demangle_v3_callback, name);
	if (!text && name[1] == 'D')
		text = demangle_d(name);
	return text;
}
