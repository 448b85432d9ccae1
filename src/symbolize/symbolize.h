/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize.h - give names to the locations of a model
 *
 * symbolize() processes the locations that have no function yet, image by image. It sets
 * location.function and appends to model.functions. Locations exist only for addresses that were
 * sampled, so no other addresses are looked up. Only one symbol table at a time is in memory, plus
 * the tables in a symbol_cache.
 *
 * Capture has kept some image files open (pinned them), so that they can be read after their
 * processes have exited. A file that is not pinned is opened by path. It is used only if its
 * build-id is the recorded one (without a build-id: dev, inode, mtime).
 *
 * The function's quality (model/location.h) distinguishes a guessed name from the name of a symbol.
 * symbolize/names.h describes the names for code that no symbol covers.
 *
 * One fact of the model is read here: boot_id, which is /proc/sys/kernel/random/boot_id of the
 * recorded machine. Without this fact, a vdso whose build-id is unknown stays unnamed.
 */
#ifndef ASSAY_SYMBOLIZE_SYMBOLIZE_H
#define ASSAY_SYMBOLIZE_SYMBOLIZE_H

#include "base/err.h"
#include "elf/debug_source.h"
#include "elf/file_opener.h"
#include "elf/image_file.h"
#include "elf/kallsyms.h"
#include "model/model.h"
#include "readers/readers.h"
#include "symbolize/symbol_cache.h"

/* Returns the open file of the image with this id, or NULL if capture has not pinned its file. */
typedef const struct image_file *(*image_file_fn)(void *context, uint32_t image);

struct symbolize_options {
	/* symbols of the kernel; NULL: kernel addresses get the name "[kernel]" */
	const struct kallsyms *kallsyms;
	/*
	 * Path of a vmlinux whose build-id was checked, or NULL. kallsyms is needed to find the
	 * address at which this kernel was loaded.
	 */
	const char *vmlinux;
	/* finds pinned files; NULL: all files are opened by path */
	image_file_fn image_file;
	void *image_file_context;
	struct file_opener *opener;		/* opens files by path; NULL: directly */
	/*
	 * read the symbol tables of programs and libraries (symbolize/name_job.h); NULL: this
	 * process reads them
	 */
	struct readers *readers;
	const char *const *debug_dirs;		/* NULL: the default directories */
	const char *sysroot;			/* prefix for each recorded path; or NULL */
	/* provider that is asked for missing files; or NULL */
	const struct debug_source *debug_source;
	/*
	 * Rank of each image, indexed by image id. Images with high ranks are processed first.
	 * NULL: images are processed in the order of their ids.
	 */
	const uint64_t *image_ranks;
	/* keeps tables for the next call of symbolize(); or NULL */
	struct symbol_cache *symbols;
	bool demangle;
};

/* Returns 0 or -ENOMEM. Files that cannot be read are counted in model->losses. */
int symbolize(struct model *model, const struct symbolize_options *options, struct err *err);

/*
 * Tries to find better names for a recording whose locations already have names, because more files
 * may be available now. Looks only at locations in files whose names do not come from a symbol
 * table. Replaces a name only if the new one is better. *@ret_refined is the number of locations
 * that got a better name. No losses are counted. Returns 0 or -ENOMEM.
 */
int symbolize_refine(struct model *model, const struct symbolize_options *options,
		     uint64_t *ret_refined, struct err *err);

/* Reads the running kernel's build-id, or returns -ENODATA if /sys/kernel/notes has none. */
int symbolize_kernel_build_id(uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX], size_t *ret_size,
			      struct err *err);

/*
 * Checks by build-id that the vmlinux at @path belongs to the recorded kernel. Returns
 * - 0 if the build-ids are equal
 * - -ESTALE if the build-ids differ or one is missing; @err contains both build-ids
 * - the error of opening the file
 */
int symbolize_check_vmlinux(const char *path, const uint8_t *build_id, size_t build_id_size,
			    struct err *err);

/*
 * Checks that the copy of kallsyms at @path was made since the machine booted. The kernel is loaded
 * at a random address at each boot, so the address of _stext identifies the boot. Returns
 * - 0 if _stext has the same address in the copy and in /proc/kallsyms
 * - -ESTALE if the addresses differ or the copy has no _stext; @err contains both addresses
 * - the error of reading the copy or /proc/kallsyms
 */
int symbolize_check_kallsyms(const char *path, struct err *err);

#endif
