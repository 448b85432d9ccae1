/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_source.h - a provider of debug files that are not in this machine's debug directories
 *
 * A provider is asked only after all other places were searched. It finds files by build-id and
 * never by path. The file that it returns is as untrusted as any other file: it is used only if it
 * has the requested build-id, and it is read with the same checks.
 */
#ifndef ASSAY_ELF_DEBUG_SOURCE_H
#define ASSAY_ELF_DEBUG_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_source {
	void *context;

	/*
	 * Returns a file descriptor of an ELF file that has @build_id and contains debug sections.
	 * The caller owns the descriptor. @name is the name of the image, for messages. Returns
	 * -ENOENT if the file does not exist anywhere. Any other error means that the file may
	 * exist but was not delivered; the provider reports the reason itself.
	 */
	int (*find)(void *context, const char *name, const uint8_t *build_id, size_t size);
};

/*
 * Where to look for debug files: first in the directories and beside the image, then at the
 * provider.
 */
struct debug_places {
	const char *const *dirs;		/* NULL-terminated; NULL: {"/usr/lib/debug"} */
	const struct debug_source *source;	/* NULL: no provider is asked */
	/* image name for the provider; NULL if there is no provider */
	const char *name;
	/* directory of the image; NULL: the one of its open file is found */
	const char *image_dir;
	/* opens a regular file, as open(2) does; NULL: this process opens it */
	int (*open)(const char *path);
};

/* Returns the directories of @places, or the default. */
const char *const *debug_places_dirs(const struct debug_places *places);

/*
 * Stores in @ret_dir the directory that contains the open file @fd, without a final "/". Returns
 * false if the directory is unknown.
 */
bool debug_image_dir(int fd, char *ret_dir, size_t size_bytes);

#endif
