/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch/cache_clean.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"

#define SECTION "section-"
#define UNUSED_SECONDS (7 * 24 * 3600)
#define BEGUN_SECONDS 3600
#define ENTRIES_MAX 200000
/* number of random letters that mkstemp() puts at the end of a name */
#define RANDOM_LETTERS 6

struct cleaning {
	time_t now, unused_seconds;
	size_t entries;
};

static bool begins_with(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

static bool is_build_id(const char *name)
{
	size_t length = strspn(name, "0123456789abcdef");

	return length >= 4 && length % 2 == 0 && !name[length];
}

static bool ends_at_random(const char *name)
{
	size_t length = strlen(name);

	if (length <= RANDOM_LETTERS)
		return false;
	for (size_t i = length - RANDOM_LETTERS; i < length; i++)
		if (!isalnum((unsigned char)name[i]))
			return false;
	return true;
}

/*
 * Returns true for the names of incomplete files, such as "debuginfo.1aB2c3" and
 * "section-.symtab.1aB2c3", but not for "section-.symtab".
 */
static bool is_begun(const char *name)
{
	const char *what = begins_with(name, SECTION) ? name + strlen(SECTION) : name;
	const char *dot = strrchr(what, '.');

	return dot && dot != what && strlen(dot) == RANDOM_LETTERS + 1 && ends_at_random(dot) &&
	       (what != name || begins_with(name, "debuginfo."));
}

static time_t latest(const struct stat *st)
{
	return st->st_atime > st->st_mtime ? st->st_atime : st->st_mtime;
}

static bool is_old(const struct cleaning *cleaning, const char *name, const struct stat *st)
{
	if (is_begun(name))
		return cleaning->now - st->st_mtime > BEGUN_SECONDS;
	return begins_with(name, SECTION) && cleaning->now - latest(st) > cleaning->unused_seconds;
}

static DIR *open_dir(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		(void)close(fd);
	return dir;
}

static const char *next_name(struct cleaning *cleaning, DIR *dir)
{
	const struct dirent *entry = cleaning->entries++ < ENTRIES_MAX ? readdir(dir) : NULL;

	return entry ? entry->d_name : NULL;
}

static void clean_image(struct cleaning *cleaning, int cache_fd, const char *build_id)
{
	DIR *dir = open_dir(cache_fd, build_id);
	bool removed = false;
	const char *name;
	struct stat st;

	if (!dir)
		return;
	while ((name = next_name(cleaning, dir)))
		if (fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && is_old(cleaning, name, &st))
			removed |= unlinkat(dirfd(dir), name, 0) == 0;
	(void)closedir(dir);
	if (removed)
		/* removes the directory only if it is empty */
		(void)unlinkat(cache_fd, build_id, AT_REMOVEDIR);
}

static time_t unused_seconds(int cache_fd)
{
	_cleanup_close_ int fd = openat(cache_fd, "max_unused_age_s",
					O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[24] = "", *end;
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	long value = length > 0 ? strtol(text, &end, 10) : 0;

	return length > 0 && end != text && value >= 0 ? value : UNUSED_SECONDS;
}

void cache_clean(int cache_fd)
{
	struct cleaning cleaning = { .now = time(NULL),
				     .unused_seconds = unused_seconds(cache_fd) };
	DIR *dir = open_dir(cache_fd, ".");
	const char *name;
	struct stat st;

	if (!dir)
		return;
	while ((name = next_name(&cleaning, dir))) {
		if (is_build_id(name))
			clean_image(&cleaning, cache_fd, name);
		else if (begins_with(name, "assay-") && ends_at_random(name) &&
			 fstatat(cache_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			 S_ISREG(st.st_mode) && cleaning.now - st.st_mtime > BEGUN_SECONDS)
			(void)unlinkat(cache_fd, name, 0);
	}
	(void)closedir(dir);
}
