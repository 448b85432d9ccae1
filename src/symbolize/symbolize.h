/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize.h - give names to the locations of a model
 *
 * Walks the locations that have no function yet, image by image. Sets location.function, and
 * appends to model.functions. Locations exist only for addresses that were sampled, so only those
 * are resolved. One symbol table is in memory at a time, plus the tables in a symbol_cache. Files
 * come from the image_files that capture pinned. A file that is not pinned is opened by path, and
 * it is used only if its build-id is the recorded one (without a build-id: dev, inode, mtime).
 *
 * A name never claims more than is known: the function's quality (model/location.h) says where its
 * name comes from, and symbolize/names.h describes the names for code that no symbol covers.
 *
 * One fact of the model is read here: boot_id, which is /proc/sys/kernel/random/boot_id of the
 * recorded machine. Without it, a vdso whose build-id is unknown stays unnamed.
 */
#ifndef ASSAY_SYMBOLIZE_SYMBOLIZE_H
#define ASSAY_SYMBOLIZE_SYMBOLIZE_H

#include "base/err.h"
#include "elf/debug_source.h"
#include "elf/image_file.h"
#include "elf/kallsyms.h"
#include "model/model.h"
#include "symbolize/symbol_cache.h"

/* Returns the open file of an image id, or NULL if capture has not pinned one. */
typedef const struct image_file *(*image_file_fn)(void *context, uint32_t image);

struct symbolize_options {
	const struct kallsyms *kallsyms;	/* NULL: kernel addresses stay "[kernel]" */
	/*
	 * Path of a vmlinux whose build-id was checked, or NULL. Needs kallsyms to find its load
	 * address.
	 */
	const char *vmlinux;
	image_file_fn image_file;		/* finds pinned files; NULL: open files by path */
	void *image_file_context;
	const char *const *debug_dirs;		/* NULL: the default directories */
	const char *sysroot;			/* prefix for each recorded path; or NULL */
	const struct debug_source *debug_source;	/* asked for missing files; or NULL */
	/*
	 * Ranks of all images, by id. The images with the highest ranks come first. NULL: in the
	 * order of ids.
	 */
	const uint64_t *image_ranks;
	struct symbol_cache *symbols;		/* keeps tables for the next call; or NULL */
	bool demangle;
};

/* Returns 0 or -ENOMEM. Files that cannot be read are counted in model->losses. */
int symbolize(struct model *model, const struct symbolize_options *options, struct err *err);

/*
 * Names locations again, for a recording that was named before and now has other files at hand.
 * Only locations in files that have no name from a symbol table are named again, and a new name is
 * kept only if it is better than the old one. *@ret_refined: the number of locations that got a
 * better name. No losses are counted. Returns 0 or -ENOMEM.
 */
int symbolize_refine(struct model *model, const struct symbolize_options *options,
		     uint64_t *ret_refined, struct err *err);

/* Reads the running kernel's build-id from /sys/kernel/notes. Returns -ENODATA if it has none. */
int symbolize_kernel_build_id(uint8_t ret_build_id[static IMAGE_BUILD_ID_MAX], size_t *ret_size,
			      struct err *err);

/*
 * Checks by build-id that this vmlinux belongs to the recorded kernel. Returns 0, or -ESTALE if it
 * does not or if one of the two has no build-id, with a message that names both build-ids, or the
 * error of opening the file.
 */
int symbolize_check_vmlinux(const char *path, const uint8_t *build_id, size_t build_id_size,
			    struct err *err);

/*
 * Checks that this copy of kallsyms belongs to the running boot. The kernel is loaded at a random
 * address, so the address of _stext identifies the boot. Returns 0, or -ESTALE if the addresses
 * differ, with a message that names both. Returns the error of reading /proc/kallsyms if that file
 * cannot be read, because then nothing is proved.
 */
int symbolize_check_kallsyms(const char *path, struct err *err);

#endif
