/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize.h - give names to the locations of a model
 *
 * Walks the locations that have no function yet, image by image, and fills location.function,
 * appending to model.functions.  Only locations that were hit exist, so only they are
 * resolved, and one symbol table is in memory at a time, or what a symbol_cache keeps.  Files
 * come through the image_files that capture pinned; what is not pinned is opened by path and used
 * only if its build-id (or dev, inode, mtime where it has none) is the recorded one.
 *
 * Names are honest: quality (model/location.h) says how each is known, and symbolize/names.h
 * how code that no symbol covers is called.
 *
 * One fact of the model is read here: boot_id, /proc/sys/kernel/random/boot_id of the recorded
 * machine.  Without it, a vdso whose build-id is unknown stays unnamed.
 */
#ifndef ASSAY_SYMBOLIZE_SYMBOLIZE_H
#define ASSAY_SYMBOLIZE_SYMBOLIZE_H

#include "base/err.h"
#include "elf/debug_source.h"
#include "elf/image_file.h"
#include "elf/kallsyms.h"
#include "model/model.h"
#include "symbolize/symbol_cache.h"

/* Image id -> the open file, or NULL; capture's pins. */
typedef const struct image_file *(*image_file_fn)(void *context, uint32_t image);

struct symbolize_options {
	const struct kallsyms *kallsyms;	/* NULL: kernel addresses stay "[kernel]" */
	const char *vmlinux;			/* NULL, or a path whose build-id was checked; used
						   with kallsyms, which tells its load address */
	image_file_fn image_file;		/* NULL: open by path */
	void *image_file_context;
	const char *const *debug_dirs;		/* NULL: the default */
	const char *sysroot;			/* NULL, or put before each recorded path */
	const struct debug_source *debug_source;	/* NULL, or asked for what is not here */
	const uint64_t *image_ranks;		/* of all images, by id: the highest come first;
						   NULL: in the order of ids */
	struct symbol_cache *symbols;		/* NULL, or keeps tables for the next call */
	bool demangle;
};

/* 0, or -ENOMEM. What could not be read is counted in model->losses. */
int symbolize(struct model *model, const struct symbolize_options *options, struct err *err);

/*
 * Names anew what is in files and has no name from a symbol table, and keeps what is better than
 * before: with other files at hand, for a recording that was named already. *@ret_refined: how many
 * locations. Nothing is counted in the losses. 0, or -ENOMEM.
 */
int symbolize_refine(struct model *model, const struct symbolize_options *options,
		     uint64_t *ret_refined, struct err *err);

/* The running kernel's build-id, from /sys/kernel/notes; -ENODATA where it has none. */
int symbolize_kernel_build_id(uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX], size_t *ret_size,
			      struct err *err);

/*
 * Does this vmlinux belong to the recorded kernel, by its build-id? -ESTALE with a message
 * that names both ids when it does not (also when one of the two has none), or an error of
 * opening the file.
 */
int symbolize_check_vmlinux(const char *path, const uint8_t *build_id, size_t build_id_size,
			    struct err *err);

/*
 * Does this copy of kallsyms belong to the running boot?  The kernel is loaded at a random
 * address, so the one of _stext says so. -ESTALE with a message that names both addresses when it
 * does not; the error of reading /proc/kallsyms where that is refused, as nothing is proved then.
 */
int symbolize_check_kallsyms(const char *path, struct err *err);

#endif
