/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_reader.h - reads the machine code of a recording's functions
 *
 * If the recording contains the code of a function, the code is taken from the recording. If not,
 * it is read from one of the sources listed in symbolize/code.h. There is one exception: if the
 * user chose a vmlinux file, kernel functions are read from that file even if the recording
 * contains their code.
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
	/*
	 * @recording and @model are borrowed; the recording must be open during code_reader_read()
	 */
	struct recording *recording;
	const struct model *model;
	const char *vmlinux;		/* kernel image chosen by the user, or NULL */
	/* kernel symbols; read when the first kernel function is requested */
	struct kallsyms kallsyms;
	bool kallsyms_tried;
	/*
	 * options that the caller can pass to code_names_new() after code_reader_read() has filled
	 * them in
	 */
	struct code_options options;
};

/*
 * Reads the code of @function. Sets *ret_from to a text that tells the user where the code was
 * found, such as "/proc/kcore". The caller must not free this text: it is a static string or
 * reader->vmlinux. Returns 0 or an error of code_read() or recording_read_code(). On success, the
 * caller must call code_fini() on *ret_code.
 */
int code_reader_read(struct code_reader *reader, const struct function *function,
		     struct code *ret_code, const char **ret_from, struct err *err);
void code_reader_fini(struct code_reader *reader);

#endif
