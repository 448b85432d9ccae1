/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_reader.h - reads the machine code of a recording's functions
 *
 * Code that the recording kept comes first, then the places listed in symbolize/code.h. For kernel
 * functions, a vmlinux file chosen by the user takes precedence over code in the recording.
 *
 *	struct code_reader reader = { .recording = ..., .model = &model, .vmlinux = NULL };
 *	code_reader_read(&reader, function, &code, &from, &err); ...
 *	code_reader_fini(&reader);
 */
#ifndef ASSAY_CLI_CODE_READER_H
#define ASSAY_CLI_CODE_READER_H

#include "elf/kallsyms.h"
#include "store/recording.h"
#include "symbolize/code.h"

struct code_reader {
	/* borrowed, as is @model; must be open during code_reader_read() */
	struct recording *recording;
	const struct model *model;
	const char *vmlinux;		/* kernel image chosen by the user, or NULL */
	struct kallsyms kallsyms;	/* read when the first kernel function is needed */
	bool kallsyms_tried;
	/* options for code_names_new(), filled in as code is read */
	struct code_options options;
};

/*
 * Reads the code of @function. Sets *ret_from to a description of where the code was read, for the
 * user; it is a static string or reader->vmlinux. Returns 0 or an error of code_read() or
 * recording_read_code(). Call code_fini() on success.
 */
int code_reader_read(struct code_reader *reader, const struct function *function,
		     struct code *ret_code, const char **ret_from, struct err *err);
void code_reader_fini(struct code_reader *reader);

#endif
