/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program_name.h - what a program is called by the one who started it
 *
 * One file can be several programs: redis-server is a link to redis-check-rdb. And an interpreter
 * says nothing about the program that it runs. So a program is named after its first argument and,
 * if it is an interpreter, after its script: "redis-server", "python3 app.py", "java -jar x.jar".
 *
 * All arguments are under the control of the process. The first one is believed only if it leads to
 * the file that is executed, or has its name. Of the others, only the base name of a script is
 * used, because arguments can contain secrets.
 */
#ifndef ASSAY_PROCESS_PROGRAM_NAME_H
#define ASSAY_PROCESS_PROGRAM_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/file_opener.h"

#define PROGRAM_NAME_MAX 256
/* A longer command line is used only up to this length. */
#define PROGRAM_ARGUMENTS_MAX 4096

/* Arguments as in /proc/TGID/cmdline, each followed by a NUL. */
struct program_arguments {
	const char *text;
	size_t size_bytes;
};

#define PROGRAM_BELIEVED_COUNT 256

/* What one who reads many names keeps. Zeroed at first. */
struct program_reader {
	struct file_opener *opener;	/* borrowed; NULL: look up directly */
	/* hashes of names and the files that they led to */
	uint64_t believed[PROGRAM_BELIEVED_COUNT];
};

/*
 * Returns true if the file name of @path is that of a known interpreter, with or without a version,
 * such as python3.11.
 */
bool program_is_interpreter(const char *path);

/*
 * Writes the name of a program that was started as @called with @arguments, of which the first one
 * is skipped. The name is the base name of @called, followed by that of the script if @called is an
 * interpreter.
 */
void program_name_of(const char *called, const struct program_arguments *arguments,
		     char ret_name[static PROGRAM_NAME_MAX]);

/*
 * Returns true if users may call a program @name: it is the program's name @called ("python3
 * app.py", "": unknown), the first word of it, or the base name of the file @path.
 */
bool program_has_name(const char *name, const char *called, const char *path);

/*
 * Reads the name of the program that process @tgid runs. Returns -ENOENT if the first argument does
 * not lead to the program's file, or another negative errno. Never waits for a file system: only
 * what the kernel has in memory is looked up.
 */
int program_name_read(struct program_reader *reader, uint32_t tgid,
		      char ret_name[static PROGRAM_NAME_MAX]);

/*
 * Reads the command line of process @tgid, with blanks between the arguments. A command line that
 * is too long is cut. Returns -ENOENT if there is none, or another negative errno.
 */
int program_line_read(uint32_t tgid, char ret_line[static PROGRAM_ARGUMENTS_MAX]);

#endif
