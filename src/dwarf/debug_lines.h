/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_lines.h - finds source lines and inlined functions for addresses of an ELF file
 *
 * Reads the debug information (DWARF 2 to 5) of the file itself or of its separate debug file. Also
 * reads the files to which the debug information refers: the file that dwz shares between several
 * files (.gnu_debugaltlink), and split units in .dwo files or in a .dwp. Sections may be compressed
 * with zlib or zstd. A file other than the image is opened only if it is a regular file, and used
 * only if its build-id, CRC or dwo_id matches.
 *
 * libdw is not used, for these reasons:
 * - The libdw of Debian 12 does not support .dwp.
 * - libdw opens any path that the debug information names. Opening a FIFO, for example, can block.
 * - libdw maps files. If the owner of a mapped file truncates the file, the next access to the
 *   missing pages kills the process.
 * Because of the last two reasons, libdw would have to run in a separate process. Assay needs only
 * the line and the functions of each address in a list. It finds them in one pass over the debug
 * information, and stores no other data.
 *
 * Files may be malicious. dwarf.h describes the limits on time and memory. If a part of a file is
 * damaged, only the data of that part are lost, for example one unit, or the names in the dwz file.
 * The damage is counted in struct debug_lines_health.
 *
 * Only elf/debug_file.c searches for the separate debug file of an image. A debug_source delivers
 * debug files that are not on this machine.
 */
#ifndef ASSAY_DWARF_DEBUG_LINES_H
#define ASSAY_DWARF_DEBUG_LINES_H

#include "elf/debug_source.h"
#include "elf/image_file.h"

/* maximum number of frames in a chain; further outer frames are left out */
#define DEBUG_FRAMES_MAX 256

/*
 * One function of a chain. @name is the id that sink->name() returned, and @path is the id that
 * sink->path() returned. 0 means unknown, also for @line.
 */
struct debug_frame {
	uint32_t name, path;
	uint32_t line;
};

/*
 * Callbacks that receive the results. The same text may be passed to a callback more than once. A
 * text is valid only until the callback returns.
 */
struct debug_lines_sink {
	void *context;
	uint32_t (*name)(void *context, const char *linkage_name);
	uint32_t (*path)(void *context, const char *path);

	/*
	 * Receives the chain of functions at vaddrs[index], innermost frame first. Frame 0 has the
	 * line of the address itself. Each further frame has the line at which it calls the
	 * (inlined) function of the previous frame. The last frame is the function that exists in
	 * the machine code. Not called for an address without any information. Returns 0, or a
	 * negative value to stop.
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
	const char *image_dir;		/* as in struct debug_places */
	/* opens a regular file, as open(2) does; NULL: this process opens it */
	int (*open)(const char *path);
};

struct debug_lines_health {
	/* number of units that were damaged, or that needed a damaged section */
	uint64_t damaged_units;
	uint64_t missing_splits;	/* number of units whose .dwo was not found */
	/* the dwz file was not found, so names of inlined functions are missing */
	bool missing_shared;
	/* a debug file may exist, but the debug_source did not deliver it */
	bool not_fetched;
	bool exhausted;		/* the budget of steps or memory was used up (dwarf.h) */
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
 * Opens the debug file of an image that is not on this machine. Finds the debug file by the
 * build-id of the image. The result can be passed to debug_lines_resolve() in place of the image.
 * Returns -ENOENT if there is no debug file, or the error of options->source if that failed to
 * deliver the file.
 */
int debug_lines_open(const uint8_t *build_id, size_t size,
		     const struct debug_lines_options *options, struct image_file *ret_file);

/* Does the same as debug_lines_resolve() for an image in memory. Does not read any other file. */
int debug_lines_from_bytes(const void *bytes, size_t size_bytes, const uint64_t *vaddrs,
			   size_t count, const struct debug_lines_sink *sink,
			   struct debug_lines_health *ret_health);

#endif
