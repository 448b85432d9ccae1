/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what a running program is called, and checks that this leads to the file that it runs. */
#include "process/program_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "process/proc_read.h"

#define PLACE_MAX_BYTES (2 * PROC_PATH_MAX)

/* Directories in which shells look for programs. */
static const char *const directories[] = {
	"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/games",
};

/* Where the process sees the root of the file system and its working directory. */
struct program_view {
	int root_fd, cwd_fd;
	dev_t dev;		/* device and inode of the file that is executed */
	ino_t inode;
	const char *exe;	/* its path */
	struct program_reader *reader;
};

static void program_view_fini(struct program_view *view)
{
	if (view->root_fd >= 0)
		(void)close(view->root_fd);
	if (view->cwd_fd >= 0)
		(void)close(view->cwd_fd);
}

static int open_place(uint32_t tgid, const char *file)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "/proc/%u/%s", tgid, file);
	return open(name, O_PATH | O_CLOEXEC);
}

/*
 * A file system of the process may belong to a server that never answers, so the attributes are
 * taken as the kernel has them.
 */
static int identify(int fd, dev_t *ret_dev, ino_t *ret_inode)
{
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status) < 0)
		return -errno;
	*ret_dev = makedev(status.stx_dev_major, status.stx_dev_minor);
	*ret_inode = status.stx_ino;
	return 0;
}

static int program_view_init(struct program_view *view, struct program_reader *reader,
			     uint32_t tgid, const char *exe)
{
	_cleanup_close_ int exe_fd = open_place(tgid, "exe");

	*view = (struct program_view){
		.root_fd = -1,
		.cwd_fd = -1,
		.exe = exe,
		.reader = reader,
	};
	if (exe_fd < 0)
		return -errno;
	view->root_fd = open_place(tgid, "root");
	view->cwd_fd = open_place(tgid, "cwd");
	return identify(exe_fd, &view->dev, &view->inode);
}

/*
 * Returns true if @path leads to the file that is executed. Looks only at names that the kernel has
 * in memory, as it has those of a program that runs: other look-ups could take forever. Such a
 * look-up fails for a symbolic link if the kernel would have to write the link's access time. exec
 * has just written it, unless the link was made within the same tick of the clock.
 */
static bool leads_to_exe(const struct program_view *view, int dir_fd, const char *path)
{
	_cleanup_close_ int fd = -1;
	ino_t inode;
	dev_t dev;

	if (dir_fd < 0)
		return false;
	fd = file_opener_look(view->reader->opener, dir_fd, path, dir_fd == view->root_fd);
	return fd >= 0 && identify(fd, &dev, &inode) == 0 && dev == view->dev &&
	       inode == view->inode;
}

static bool is_in(const struct program_view *view, const char *directory, int directory_bytes,
		  const char *name)
{
	char path[PLACE_MAX_BYTES];
	int length = snprintf(path, sizeof(path), "%.*s/%s", directory_bytes, directory, name);

	return length > 0 && (size_t)length < sizeof(path) &&
	       leads_to_exe(view, view->root_fd, path);
}

static bool look_up(const struct program_view *view, const char *called)
{
	const char *slash = strrchr(view->exe, '/');

	if (called[0] == '/')
		return leads_to_exe(view, view->root_fd, called);
	if (strchr(called, '/'))
		return leads_to_exe(view, view->cwd_fd, called);
	if (slash && is_in(view, view->exe, (int)(slash - view->exe), called))
		return true;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		if (is_in(view, directories[i], (int)strlen(directories[i]), called))
			return true;
	return false;
}

/* A compiler runs many times, so names that led to their file before are believed. */
static bool is_called(const struct program_view *view, const char *called)
{
	uint64_t hash = hash_pair(hash_pair(view->dev, view->inode),
				  hash_bytes(called, strlen(called)));
	uint64_t *believed = &view->reader->believed[hash % PROGRAM_BELIEVED_COUNT];

	if (*believed == hash)
		return true;
	if (!look_up(view, called))
		return false;
	*believed = hash;
	return true;
}

/* Most programs are called by the name of their file, which needs no look-up. */
static bool is_file_name(const char *exe, const char *called)
{
	const char *file = strrchr(exe, '/'), *name = strrchr(called, '/');

	return file && strcmp(file + 1, name ? name + 1 : called) == 0;
}

static ssize_t read_arguments(uint32_t tgid, char ret_text[static PROGRAM_ARGUMENTS_MAX])
{
	_cleanup_close_ int fd = -1;
	char name[64];
	ssize_t length;

	(void)snprintf(name, sizeof(name), "/proc/%u/cmdline", tgid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = read(fd, ret_text, PROGRAM_ARGUMENTS_MAX - 1);
	if (length < 0)
		return -errno;
	ret_text[length] = '\0';
	return length;
}

/*
 * Takes what the program may be called from its first argument, up to @end. A login shell has a
 * dash in front of it. Servers write a title there: "nginx: worker process" or
 * "/usr/bin/redis-server *:6379".
 */
static bool take_called(const char *first, const char *end, char ret_called[static PROC_PATH_MAX])
{
	size_t length;

	if (first[0] == '-')
		first++;
	end = end[0] ? strstr(first, end) : first + strlen(first);
	length = end ? (size_t)(end - first) : 0;
	if (!length || length >= PROC_PATH_MAX)
		return false;
	memcpy(ret_called, first, length);
	ret_called[length] = '\0';
	return true;
}

static int find_called(struct program_reader *reader, uint32_t tgid, const char *first,
		       char ret_called[static PROC_PATH_MAX])
{
	static const char *const ends[] = { "", " ", ": " };
	const size_t end_count = sizeof(ends) / sizeof(ends[0]);
	_cleanup_(program_view_fini) struct program_view view = { .root_fd = -1, .cwd_fd = -1 };
	char exe[PROC_PATH_MAX];
	int rc = proc_read_exe(tgid, exe);

	for (size_t i = 0; rc == 0 && i < end_count; i++)
		if (take_called(first, ends[i], ret_called) && is_file_name(exe, ret_called))
			return 0;
	if (rc == 0)
		rc = program_view_init(&view, reader, tgid, exe);
	for (size_t i = 0; rc == 0 && i < end_count; i++)
		if (take_called(first, ends[i], ret_called) && is_called(&view, ret_called))
			return 0;
	return rc < 0 ? rc : -ENOENT;
}

int program_name_read(struct program_reader *reader, uint32_t tgid,
		      char ret_name[static PROGRAM_NAME_MAX])
{
	char text[PROGRAM_ARGUMENTS_MAX], called[PROC_PATH_MAX];
	ssize_t length = read_arguments(tgid, text);
	int rc;

	if (length <= 0)
		return length < 0 ? (int)length : -ENOENT;
	rc = find_called(reader, tgid, text, called);
	if (rc < 0)
		return rc;
	program_name_of(called, &(struct program_arguments){ text, (size_t)length }, ret_name);
	return 0;
}

int program_line_read(uint32_t tgid, char ret_line[static PROGRAM_ARGUMENTS_MAX])
{
	ssize_t length = read_arguments(tgid, ret_line);

	while (length > 0 && !ret_line[length - 1])
		length--;
	for (ssize_t i = 0; i < length; i++)
		if (!ret_line[i])
			ret_line[i] = ' ';
	return length > 0 ? 0 : length < 0 ? (int)length : -ENOENT;
}
