/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_reader.h - the code of a recording's functions, from wherever it is
 *
 * What the recording kept comes first, then the places of symbolize/code.h; a vmlinux that was
 * given is preferred to what was kept of the kernel.
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
	struct recording *recording;	/* not owned, as the model; open while it is read from */
	const struct model *model;
	const char *vmlinux;		/* NULL: none */
	struct kallsyms kallsyms;	/* read for the first function of the kernel */
	bool kallsyms_tried;
	struct code_options options;	/* for code_names_new(): what was found out so far */
};

/*
 * @ret_from: where it was read, for people; a string of this file, or the vmlinux.  0, or as
 * code_read() and recording_read_code(); code_fini() after 0.
 */
int code_reader_read(struct code_reader *reader, const struct function *function,
		     struct code *ret_code, const char **ret_from, struct err *err);
void code_reader_fini(struct code_reader *reader);

#endif
