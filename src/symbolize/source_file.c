/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/source_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "elf/regular_file.h"

#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define TAILS_MAX 32	/* limit on the number of trailing parts of one path that are tried */

/* ---- below a directory that the caller named ---- */

static int open_beneath(int dir_fd, const char *path, uint64_t flags)
{
	struct open_how how = {
		.flags = flags,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static bool is_regular(int fd, struct stat *ret_st)
{
	return fstat(fd, ret_st) == 0 && S_ISREG(ret_st->st_mode);
}

/* Checks the file before and after opening it, because the file could be replaced in between. */
static int open_regular_beneath(int dir_fd, const char *path)
{
	_cleanup_close_ int place = open_beneath(dir_fd, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_close_ int fd = -1;
	struct stat st, opened;

	/* A confined process gets no descriptors of places (readers/guard.h). */
	if (place < 0 && place != -ENOSYS)
		return place;
	if (place >= 0 && !is_regular(place, &st))
		return -EINVAL;
	fd = open_beneath(dir_fd, path, READ_FLAGS | O_NOFOLLOW);
	if (fd < 0)
		return fd;
	if (!is_regular(fd, &opened) ||
	    (place >= 0 && (opened.st_dev != st.st_dev || opened.st_ino != st.st_ino)))
		return -EINVAL;
	return TAKE_FD(fd);
}

static int open_in_dir(const char *dir, const char *path)
{
	_cleanup_close_ int dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = -ENOENT;

	if (dir_fd < 0)
		return -errno;
	for (int i = 0; i < TAILS_MAX; i++) {
		const char *slash;

		path += strspn(path, "/");
		if (!*path)
			break;
		rc = open_regular_beneath(dir_fd, path);
		if (rc >= 0)
			return rc;
		slash = strchr(path, '/');
		if (!slash)
			break;
		path = slash;
	}
	return rc;
}

/* ---- files that every user may read, and the user's own ---- */

static bool is_named_like_source(const char *path)
{
	static const char *const endings[] = {
		"adb",	 "ads",	  "asm", "c",	"c++", "cc",   "cl",   "cpp", "cu",  "cxx",
		"d",	 "def",	  "f",	 "f90", "f95", "for",  "go",   "h",   "h++", "hh",
		"hpp",	 "hs",	  "hxx", "inc", "inl", "ipp",  "java", "js",  "kt",  "l",
		"m",	 "ml",	  "mm",	 "nim", "pas", "py",   "pyx",  "rs",  "s",   "S",
		"scala", "swift", "tcc", "ts",	"v",   "vala", "y",    "zig",
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(dot + 1, endings[i]) == 0)
			return true;
	return false;
}

/*
 * Returns true if @fd is of @type, and either all users have the permission @bit, or it belongs to
 * the user and nobody else may write it.
 */
static bool is_allowed(int fd, mode_t bit, mode_t type, bool own_too)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || (st.st_mode & S_IFMT) != type)
		return false;
	return (st.st_mode & bit) ||
	       (own_too && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)));
}

/*
 * Opens the directory that contains the last component of the absolute @path. Opens one directory
 * after another, and checks each of them.
 */
static int open_public_dir(char *path, bool own_too, const char **ret_name)
{
	_cleanup_close_ int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *name = path + strspn(path, "/");

	while (at >= 0) {
		char *slash = strchr(name, '/');
		int next;

		if (!is_allowed(at, S_IXOTH, S_IFDIR, own_too))
			return -EACCES;
		if (!slash)
			break;
		*slash = '\0';
		next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return errno == ENOTDIR ? -ELOOP : -errno;
		(void)close(at);
		at = next;
		name = slash + 1 + strspn(slash + 1, "/");
	}
	*ret_name = name;
	return at < 0 ? -errno : TAKE_FD(at);
}

static int open_public(const char *path, bool own_too)
{
	_cleanup_free_ char *copy = strdup(path);
	_cleanup_close_ int dir_fd = -1, fd = -1;
	const char *name = NULL;

	if (!copy)
		return -ENOMEM;
	own_too = own_too && is_named_like_source(path);
	dir_fd = open_public_dir(copy, own_too, &name);
	if (dir_fd < 0)
		return dir_fd;
	fd = regular_file_open(dir_fd, name, O_NOFOLLOW);
	if (fd < 0)
		return fd;
	return is_allowed(fd, S_IROTH, S_IFREG, own_too) ? TAKE_FD(fd) : -EACCES;
}

/* ---- reading ---- */

static int open_source(const char *path, const struct source_options *options)
{
	for (size_t i = 0; i < options->source_dir_count; i++) {
		int fd = open_in_dir(options->source_dirs[i], path);

		if (fd >= 0)
			return fd;
	}
	if (path[0] != '/')
		return -ENOENT;
	return options->only_public ? open_public(path, options->own_too)
				    : regular_file_open(AT_FDCWD, path, O_NOFOLLOW);
}

static int read_all(int fd, size_t size_bytes, struct source_text *text)
{
	text->bytes = malloc(size_bytes + 1);
	if (!text->bytes)
		return -ENOMEM;
	while (text->size_bytes < size_bytes) {
		ssize_t count = pread(fd, text->bytes + text->size_bytes,
				      size_bytes - text->size_bytes, (off_t)text->size_bytes);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		if (count == 0)
			break;
		text->size_bytes += (size_t)count;
	}
	return memchr(text->bytes, '\0', text->size_bytes) ? -EILSEQ : 0;
}

static int read_text(int fd, struct source_text *text)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size < 0 || st.st_size > SOURCE_BYTES_MAX)
		return -EFBIG;
	text->mtime_ns = (uint64_t)st.st_mtim.tv_sec * UINT64_C(1000000000) +
			 (uint64_t)st.st_mtim.tv_nsec;
	rc = read_all(fd, (size_t)st.st_size, text);
	return rc < 0 ? rc : source_index(text);
}

static void say_why(struct source_text *text, const struct source_options *options, int rc)
{
	const char *why = strerror(-rc);

	if (rc == -EINVAL)
		why = "not a regular file";
	else if (rc == -EILSEQ)
		why = "not a text file";
	else if (options->only_public && (rc == -EACCES || rc == -ELOOP))
		why = "not readable by all users, or reached through a symbolic link; "
		      "name its directory to allow it";
	(void)snprintf(text->why, sizeof(text->why), "%s", why);
}

int source_file_read(const char *path, const struct source_options *options,
		     struct source_text *text)
{
	_cleanup_close_ int fd = open_source(path, options);
	int rc = fd < 0 ? fd : read_text(fd, text);

	if (rc < 0) {
		source_text_fini(text);
		text->size_bytes = 0;
		say_why(text, options, rc);
	}
	return rc == -ENOMEM ? rc : 0;
}
