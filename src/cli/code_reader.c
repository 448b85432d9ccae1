/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/code_reader.h"

#include "analyze/lookup.h"
#include "cli/rights.h"
#include "cli/symbolize_now.h"
#include "store/code_table.h"

static bool is_kernel(enum image_kind kind)
{
	return kind == IMAGE_KERNEL || kind == IMAGE_MODULE || kind == IMAGE_BPF;
}

/*
 * Reads the kernel symbols only when they are needed for the first time, because reading
 * /proc/kallsyms takes a tenth of a second. Uses them only if the machine has not been rebooted
 * since the recording.
 */
static void read_kallsyms(struct code_reader *reader)
{
	if (reader->kallsyms_tried)
		return;
	reader->kallsyms_tried = true;
	if (cli_read_kernel_symbols(&reader->kallsyms, NULL) == 0 &&
	    cli_is_recorded_boot(reader->model, &reader->kallsyms))
		reader->options.kallsyms = &reader->kallsyms;
}

int code_reader_read(struct code_reader *reader, const struct function *function,
		     struct code *ret_code, const char **ret_from, struct err *err)
{
	enum image_kind kind = image_of(reader->model, function->image)->kind;
	int rc = 0;

	if (is_kernel(kind))
		read_kallsyms(reader);
	*ret_from = "the recording";
	if (!reader->vmlinux || !is_kernel(kind))
		rc = recording_read_code(reader->recording, function, ret_code, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	*ret_from = "that file";
	if (is_kernel(kind))
		*ret_from = reader->vmlinux ? reader->vmlinux : "/proc/kcore";
	else if (kind == IMAGE_VDSO)
		*ret_from = "the vdso of this process";
	reader->options.vmlinux = reader->vmlinux;
	reader->options.kcore_file = rights_kcore();
	return code_read(reader->model, function, &reader->options, ret_code, err);
}

void code_reader_fini(struct code_reader *reader)
{
	kallsyms_fini(&reader->kallsyms);
}
