/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_lines.h - from addresses of an ELF file to source lines and inlined functions
 *
 * Reads the debug information (DWARF 2 to 5) of the file itself or of its separate debug file, with
 * what those refer to: the file that dwz shares between several (.gnu_debugaltlink), split units
 * in .dwo files or a .dwp.  Sections may be packed with zlib or zstd.  Other files are opened
 * only if they are regular ones, and used only with the right build-id, CRC or dwo_id.
 *
 * Why not libdw: that of Debian 12 knows no .dwp, opens by itself, and blocking, whatever path
 * the debug information names, and maps files that their owner can cut short meanwhile; it
 * would need a process of its own to be safe.  What is asked here, two facts of a list of
 * addresses, is answered in one pass that keeps nothing.
 *
 * Hostile input: dwarf.h says how time and memory are bounded.  Damage costs what is damaged:
 * one unit, the names in another file.  It is counted in the health.
 *
 * debug_file_open() (symbol_sources.h) is the one place that looks for a debug file; who fetches
 * such files from elsewhere is a debug_source.
 */
#ifndef ASSAY_DWARF_DEBUG_LINES_H
#define ASSAY_DWARF_DEBUG_LINES_H

#include "elf/debug_source.h"
#include "elf/image_file.h"

#define DEBUG_FRAMES_MAX 256	/* of one chain; the outermost are left out beyond */

/* One function of a chain. Ids are those that the sink gave; 0: not known. */
struct debug_frame {
	uint32_t name, path;
	uint32_t line;
};

/* Who receives it. Texts are passed once or a few times each, and valid during the call. */
struct debug_lines_sink {
	void *context;
	uint32_t (*name)(void *context, const char *linkage_name);
	uint32_t (*path)(void *context, const char *path);

	/*
	 * The chain of vaddrs[index], innermost first: frame 0 is the line of the address
	 * itself, the others are the calls that were inlined; the last is the function that exists.
	 * Not called for an address of which nothing is known. 0, or negative to end.
	 */
	int (*chain)(void *context, size_t index, const struct debug_frame *frames, size_t count);
};

struct debug_lines_options {
	const char *const *debug_dirs;	/* NULL-terminated; NULL: {"/usr/lib/debug"} */
	const char *sysroot;		/* put before the paths of .dwo and shared files; or NULL */
	const struct debug_source *source;	/* asked for what is in none of them; or NULL */
	const char *name;		/* of the image, for the source */
};

struct debug_lines_health {
	uint64_t damaged_units;	/* or sections that should have been read for one */
	uint64_t missing_splits;	/* units whose .dwo was not found */
	bool missing_shared;	/* dwz's file was not found: inlined functions lack names */
	bool not_fetched;	/* a debug file that the source may have did not come */
	bool exhausted;		/* more work or memory than files of that size are worth */
};

/*
 * @vaddrs ascend. 0; -ENOENT: the file has no debug information; -EBADMSG: it has, but it
 * cannot be read at all; -ENOMEM, or what chain() returned. @ret_health is always written.
 */
int debug_lines_resolve(const struct image_file *file, const struct debug_lines_options *options,
			const uint64_t *vaddrs, size_t count, const struct debug_lines_sink *sink,
			struct debug_lines_health *ret_health);

/*
 * Opens the debug file of an image that is not here itself, by its build-id alone;
 * debug_lines_resolve() takes it in the image's place.  -ENOENT: there is none; else why it did not
 * come from the source.
 */
int debug_lines_open(const uint8_t *build_id, size_t size,
		     const struct debug_lines_options *options, struct image_file *ret_file);

/* As debug_lines_resolve(), of an image in memory and without any other file. */
int debug_lines_from_bytes(const void *bytes, size_t size_bytes, const uint64_t *vaddrs,
			   size_t count, const struct debug_lines_sink *sink,
			   struct debug_lines_health *ret_health);

#endif
