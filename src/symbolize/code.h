/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h - the bytes of a function of the model
 *
 * Taken only from where they are those that ran:
 *	files		the file at the image's path, or what capture pinned, when its build-id
 *			is the recorded one (device, inode and time where there is none)
 *	the vdso	that of this process, when its build-id is the recorded one
 *	kernel, modules	/proc/kcore, which shows the text as it runs, patched; of the recorded
 *			boot, and only where the same function still begins at that address.
 *			Or a vmlinux with the kernel's build-id: as it was linked
 *	generated code	what its process's jitdump held, while recording (jit.h)
 * BPF programs, and generated code afterwards, are nowhere to be read.
 *
 * Bytes that a recording kept (store/code_table.h) are the caller's to try first.
 */
#ifndef ASSAY_SYMBOLIZE_CODE_H
#define ASSAY_SYMBOLIZE_CODE_H

#include "model/code.h"
#include "symbolize/jit.h"
#include "symbolize/symbolize.h"

#define CODE_BYTES_MAX (UINT32_C(4) << 20)	/* of a function; what claims more is damaged */

struct code_options {
	const struct kallsyms *kallsyms;	/* of the recorded boot; NULL: it is not this one */
	const char *vmlinux;			/* NULL, or a path: preferred to /proc/kcore */
	const char *kcore;			/* NULL: /proc/kcore */
	const struct jit *jit;			/* NULL: no process is recorded */
	image_file_fn image_file;		/* NULL: open by path */
	void *image_file_context;
	const char *sysroot;			/* NULL, or put before each recorded path */
};

/*
 * 0; -ENODATA when the function's bounds are unknown or no code of its image can be read, -EFBIG,
 * -ESTALE where something else is there now (the message names both build-ids), -ENOMEM, or the
 * error of opening or reading.  code_fini() after success.
 */
int code_read(const struct model *model, const struct function *function,
	      const struct code_options *options, struct code *ret_code, struct err *err);

/* ---- what stands at an address ---- */

/*
 * The functions of the recording first, then the symbols of the image's file where it is the
 * recorded one, of code and of data (elf/data_symbols.h), or of the kernel's.  Borrows @model,
 * which may grow meanwhile, and what @options lead to.
 */
struct code_names;

int code_names_new(const struct model *model, uint32_t image, const struct code_options *options,
		   struct code_names **ret_names);	/* 0 or -ENOMEM */
void code_names_free(struct code_names *names);		/* NULL is fine */

/* "name" or "name+0x12", as disasm/ asks for it; @names is a struct code_names. */
bool code_name_at(void *names, uint64_t vaddr, char *text, size_t size_bytes);

#endif
