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
#include "process/proc_read.h"

#define PLACE_MAX_BYTES (2 * PROC_PATH_MAX)

#define LOOKUP_TRIES 8

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
	struct file_opener *opener;
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

static int program_view_init(struct program_view *view, struct file_opener *opener, uint32_t tgid,
			     const char *exe)
{
	_cleanup_close_ int exe_fd = open_place(tgid, "exe");

	*view = (struct program_view){
		.root_fd = -1,
		.cwd_fd = -1,
		.exe = exe,
		.opener = opener,
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
	/* A cached look-up also fails if a directory changes meanwhile. */
	for (int i = 0; i < LOOKUP_TRIES && fd < 0; i++) {
		fd = file_opener_look(view->opener, dir_fd, path, dir_fd == view->root_fd);
		if (fd < 0 && fd != -EAGAIN)
			return false;
	}
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

static bool is_called(const struct program_view *view, const char *called)
{
	const char *slash = strrchr(view->exe, '/'), *last = strrchr(called, '/');

	/* Most programs are called by the name of their file, which needs no look-up. */
	if (slash && strcmp(last ? last : called, last ? slash : slash + 1) == 0)
		return true;
	if (called[0] == '/')
		return leads_to_exe(view, view->root_fd, called);
	if (strchr(called, '/'))
		return leads_to_exe(view, view->cwd_fd, called);
	if (!called[0])
		return false;
	if (slash && is_in(view, view->exe, (int)(slash - view->exe), called))
		return true;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		if (is_in(view, directories[i], (int)strlen(directories[i]), called))
			return true;
	return false;
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
 * Finds what the program is called in its first argument. A login shell has a dash in front of it.
 * Servers write a title there: "nginx: worker process" or "/usr/bin/redis-server *:6379".
 */
static bool find_called(const struct program_view *view, const char *first, char *ret_called,
			size_t called_bytes)
{
	static const char *const ends[] = { "", " ", ": " };

	if (first[0] == '-')
		first++;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const char *end = ends[i][0] ? strstr(first, ends[i]) : first + strlen(first);

		if (!end || (size_t)(end - first) >= called_bytes)
			continue;
		(void)snprintf(ret_called, called_bytes, "%.*s", (int)(end - first), first);
		if (is_called(view, ret_called))
			return true;
	}
	return false;
}

int program_name_read(struct file_opener *opener, uint32_t tgid,
		      char ret_name[static PROGRAM_NAME_MAX])
{
	_cleanup_(program_view_fini) struct program_view view = { .root_fd = -1, .cwd_fd = -1 };
	char text[PROGRAM_ARGUMENTS_MAX], exe[PROC_PATH_MAX], called[PROC_PATH_MAX];
	ssize_t length = read_arguments(tgid, text);
	int rc;

	if (length <= 0)
		return length < 0 ? (int)length : -ENOENT;
	rc = proc_read_exe(tgid, exe);
	if (rc < 0)
		return rc;
	rc = program_view_init(&view, opener, tgid, exe);
	if (rc < 0)
		return rc;
	if (!find_called(&view, text, called, sizeof(called)))
		return -ENOENT;
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
