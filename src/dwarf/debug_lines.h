/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_lines.h - finds source lines and inlined functions for addresses of an ELF file
 *
 * Reads the debug information (DWARF 2 to 5) of the file itself or of its separate debug file. Also
 * reads the files that the debug information refers to: the file that dwz shares between several
 * files (.gnu_debugaltlink), and split units in .dwo files or a .dwp. Sections may be compressed
 * with zlib or zstd. The files other than the image are opened only if they are regular files, and
 * used only if their build-id, CRC or dwo_id is right.
 *
 * libdw is not used, for these reasons. The libdw of Debian 12 does not support .dwp. libdw opens
 * any path that the debug information names, and the open can block. libdw maps files, and a mapped
 * file can be truncated by its owner in the meantime, which kills the reader. So libdw would have
 * to run in a separate process. Assay needs only the line and the functions of each address in a
 * list, and finds them in one pass over the debug information that stores nothing else.
 *
 * Files may be malicious. dwarf.h describes the limits on time and memory. If a part is damaged,
 * only that part is lost, for example one unit or the names in another file. The damage is counted
 * in struct debug_lines_health.
 *
 * debug_file_open() (symbol_sources.h) is the only code that searches for a debug file. Debug files
 * that must be fetched from elsewhere come from a debug_source.
 */
#ifndef ASSAY_DWARF_DEBUG_LINES_H
#define ASSAY_DWARF_DEBUG_LINES_H

#include "elf/debug_source.h"
#include "elf/image_file.h"

#define DEBUG_FRAMES_MAX 256	/* limit on frames per chain; outer frames beyond it are left out */

/*
 * One function of a chain. @name and @path are ids that the sink's functions returned; 0: unknown.
 */
struct debug_frame {
	uint32_t name, path;
	uint32_t line;
};

/*
 * The caller's functions that receive the results. A text may be passed more than once, and is
 * valid only until the function returns.
 */
struct debug_lines_sink {
	void *context;
	uint32_t (*name)(void *context, const char *linkage_name);
	uint32_t (*path)(void *context, const char *path);

	/*
	 * Receives the chain of functions at vaddrs[index], innermost frame first. Frame 0 has the
	 * line of the address itself. Each further frame has the line of the call that was inlined.
	 * The last frame is the function that exists in the machine code. Not called for an address
	 * without any information. Returns 0, or a negative value to stop.
	 */
	int (*chain)(void *context, size_t index, const struct debug_frame *frames, size_t count);
};

struct debug_lines_options {
	/* directories with debug files, NULL-terminated; NULL: {"/usr/lib/debug"} */
	const char *const *debug_dirs;
	const char *sysroot;		/* prepended to the paths of .dwo and dwz files; or NULL */
	/* fetches files that are not found on this machine; or NULL */
	const struct debug_source *source;
	const char *name;		/* name of the image, passed to the source */
};

struct debug_lines_health {
	/* number of units that were damaged, or that needed a damaged section */
	uint64_t damaged_units;
	uint64_t missing_splits;	/* number of units whose .dwo was not found */
	/* the dwz file was not found, so names of inlined functions are missing */
	bool missing_shared;
	bool not_fetched;	/* the source may have a debug file but did not deliver it */
	bool exhausted;		/* the limit on work or memory for files of this size was reached */
};

/*
 * Finds the source lines and functions of @vaddrs, which must be in ascending order. Returns 0,
 * -ENOENT if the file has no debug information, -EBADMSG if its debug information cannot be read at
 * all, -ENOMEM, or the value that chain() returned. @ret_health is always written.
 */
int debug_lines_resolve(const struct image_file *file, const struct debug_lines_options *options,
			const uint64_t *vaddrs, size_t count, const struct debug_lines_sink *sink,
			struct debug_lines_health *ret_health);

/*
 * Opens the debug file of an image, given only its build-id, because the image itself is not on
 * this machine. The result can be passed to debug_lines_resolve() in place of the image. Returns
 * -ENOENT if there is no debug file, or the source's error if the source did not deliver the file.
 */
int debug_lines_open(const uint8_t *build_id, size_t size,
		     const struct debug_lines_options *options, struct image_file *ret_file);

/* Does the same as debug_lines_resolve() for an image in memory. Does not read any other file. */
int debug_lines_from_bytes(const void *bytes, size_t size_bytes, const uint64_t *vaddrs,
			   size_t count, const struct debug_lines_sink *sink,
			   struct debug_lines_health *ret_health);

#endif
