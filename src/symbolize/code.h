/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h - read the machine code of a function of the model
 *
 * Code is read only from a place that is known to hold the bytes that ran:
 *	files		the file at the image's path, or the file that capture pinned, if its
 *			build-id is the recorded one (without a build-id: device, inode and time)
 *	the vdso	the vdso of this process, if its build-id is the recorded one
 *	kernel, modules	/proc/kcore, which shows the text as it runs, with its run-time patches.
 *			It is used only in the recorded boot, and only if the same function still
 *			begins at that address. A vmlinux with the kernel's build-id works too;
 *			it shows the text as it was linked.
 *	generated code	the process's jitdump, only while recording (jit.h)
 * The code of BPF programs cannot be read, nor can generated code after the recording.
 *
 * A recording can contain code itself (store/code_table.h). The caller should try that first.
 */
#ifndef ASSAY_SYMBOLIZE_CODE_H
#define ASSAY_SYMBOLIZE_CODE_H

#include "model/code.h"
#include "symbolize/jit.h"
#include "symbolize/symbolize.h"

#define CODE_BYTES_MAX (UINT32_C(4) << 20)	/* bytes; a larger function is treated as damaged */

struct code_options {
	const struct kallsyms *kallsyms;	/* NULL unless this is the recorded boot */
	const char *vmlinux;			/* path of a vmlinux to use instead; or NULL */
	const char *kcore;			/* path to read instead of /proc/kcore; or NULL */
	const struct jit *jit;			/* NULL if no recording is in progress */
	image_file_fn image_file;		/* finds pinned files; NULL: open files by path */
	void *image_file_context;
	const char *sysroot;			/* prefix for each recorded path; or NULL */
};

/*
 * Reads the code of @function. The caller releases *@ret_code with code_fini() after success.
 *
 * Returns 0, or
 * - -ENODATA if the function's bounds are unknown or its image has no readable code
 * - -EFBIG if the function is larger than CODE_BYTES_MAX
 * - -ESTALE if a different file or kernel is there now (@err names both build-ids of a file)
 * - -ENOMEM
 * - the error of opening or reading the file
 */
int code_read(const struct model *model, const struct function *function,
	      const struct code_options *options, struct code *ret_code, struct err *err);

/* ---- names of addresses ---- */

/*
 * Names addresses in one image, for a disassembly. The functions of the recording are tried first,
 * then the code and data symbols (elf/data_symbols.h) of the image's file if that file is the
 * recorded one, then the kernel's symbols. Borrows @model, which may grow in the meantime, and
 * everything that @options point to.
 */
struct code_names;

int code_names_new(const struct model *model, uint32_t image, const struct code_options *options,
		   struct code_names **ret_names);	/* returns 0 or -ENOMEM */
void code_names_free(struct code_names *names);		/* accepts NULL */

/*
 * Writes "name" or "name+0x12" to @text. This is the callback that disasm/ expects; @names is a
 * struct code_names.
 */
bool code_name_at(void *names, uint64_t vaddr, char *text, size_t size_bytes);

#endif
