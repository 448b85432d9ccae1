/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h - read the machine code of a function of the model
 *
 * Code is read only from a source that is known to hold the bytes that ran:
 *	files		the file at the image's path, or the file that capture kept open, if its
 *			build-id is the recorded one (without a build-id: device, inode and time)
 *	the vdso	the vdso of this process, if its build-id is the recorded one
 *	kernel, modules	/proc/kcore, which shows the text with its run-time patches. /proc/kcore
 *			is used only if the machine has not rebooted since the recording, and
 *			only if the function still begins at the recorded address. A vmlinux with
 *			the kernel's build-id works too, but shows the text without the patches.
 *	generated code	the process's jitdump, only while recording (jit.h)
 * The code of BPF programs cannot be read. Generated code cannot be read after the recording has
 * ended.
 *
 * A recording can itself contain code (store/code_table.h). The caller should look for the code in
 * the recording first.
 */
#ifndef ASSAY_SYMBOLIZE_CODE_H
#define ASSAY_SYMBOLIZE_CODE_H

#include "model/code.h"
#include "symbolize/jit.h"
#include "symbolize/symbolize.h"

/* maximum size of a function; code_read() refuses a larger one */
#define CODE_BYTES_MAX (UINT32_C(4) << 20)

struct code_options {
	/* NULL if the machine may have rebooted since the recording */
	const struct kallsyms *kallsyms;
	const char *vmlinux;			/* vmlinux to use instead of /proc/kcore; or NULL */
	const char *kcore;			/* path to read instead of /proc/kcore; or NULL */
	const struct image_file *kcore_file;	/* /proc/kcore if it is open already; or NULL */
	const struct jit *jit;			/* NULL if no recording is in progress */
	/* finds the files that capture kept open; NULL: open files by path */
	image_file_fn image_file;
	void *image_file_context;
	const char *sysroot;			/* prefix for each recorded path; or NULL */
	struct readers *readers;		/* copy the code; NULL: this process does */
};

/*
 * Reads the code of @function. After success, the caller frees *@ret_code with code_fini().
 *
 * Returns 0, or
 * - -ENODATA if the function's bounds are unknown or its image has no readable code
 * - -EFBIG if the function is larger than CODE_BYTES_MAX
 * - -ESTALE if the file or kernel is not the recorded one (for a file, @err contains both
 *   build-ids)
 * - -ENOMEM
 * - the error of opening or reading the file
 */
int code_read(const struct model *model, const struct function *function,
	      const struct code_options *options, struct code *ret_code, struct err *err);

/* ---- names of addresses ---- */

/*
 * Names addresses in one image, for a disassembly. A name is looked up in this order:
 * - the functions of the recording
 * - the code and data symbols (elf/data_symbols.h) of the image's file, if that file is the
 *   recorded one
 * - the kernel's symbols
 *
 * @model may grow while the struct is in use. The struct keeps references to @model and to
 * everything to which @options points, so all of these must stay valid.
 */
struct code_names;

int code_names_new(const struct model *model, uint32_t image, const struct code_options *options,
		   struct code_names **ret_names);	/* returns 0 or -ENOMEM */
void code_names_free(struct code_names *names);		/* accepts NULL */

/*
 * Writes "name" or "name+0x12" to @text. Returns false if no name is known. This is the callback
 * for disasm_new(); @names is a struct code_names.
 */
bool code_name_at(void *names, uint64_t vaddr, char *text, size_t size_bytes);

#endif
