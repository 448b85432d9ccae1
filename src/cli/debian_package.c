/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/debian_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define LISTS "/var/lib/dpkg/info"
#define SUFFIX ".list"
#define SOURCES "/etc/apt/sources.list"
#define SOURCES_DIR "/etc/apt/sources.list.d"
#define DEBUG_ARCHIVE "debian-debug"
#define LIST_MAX_BYTES (64u << 20)

/* Reads a whole file. Returns NULL if it cannot be read. The caller frees the text. */
static char *read_text(int dir_fd, const char *name)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;
	size_t used = 0;
	char *text;

	if (fd < 0 || fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) ||
	    stat.st_size > (off_t)LIST_MAX_BYTES)
		return NULL;
	text = malloc((size_t)stat.st_size + 1);
	while (text && used < (size_t)stat.st_size) {
		ssize_t count = read(fd, text + used, (size_t)stat.st_size - used);

		if (count <= 0)
			break;
		used += (size_t)count;
	}
	if (text)
		text[used] = '\0';
	return text;
}

static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at += length)
		if ((at == text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
			return true;
	return false;
}

/* On merged systems /lib is a link to /usr/lib, but packages may list a file as /lib/... */
static bool owns(const char *list, const char *path)
{
	char merged[4096];

	if (has_line(list, path))
		return true;
	if (strncmp(path, "/usr/", 5) == 0)
		return has_line(list, path + 4);
	(void)snprintf(merged, sizeof(merged), "/usr%s", path);
	return has_line(list, merged);
}

/* ---- names of packages ---- */

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Writes the package with the debug symbols of @package, whose name ends at @length. */
static void name_debug_package(const char *package, size_t length, char name[DEBIAN_PACKAGE_MAX])
{
	size_t prefix = 0, version;

	if (has_prefix(package, "python3."))
		prefix = strlen("python3.");
	else if (has_prefix(package, "libpython3."))
		prefix = strlen("libpython3.");
	else if (has_prefix(package, "openjdk-"))
		prefix = strlen("openjdk-");
	version = strspn(package + prefix, "0123456789");
	if (prefix && version)
		(void)snprintf(name, DEBIAN_PACKAGE_MAX, "%s%.*s-dbg",
			       has_prefix(package, "openjdk-") ? "openjdk-" : "python3.",
			       (int)version, package + prefix);
	else if (length == 5 && has_prefix(package, "libc6"))
		(void)snprintf(name, DEBIAN_PACKAGE_MAX, "libc6-dbg");
	else
		(void)snprintf(name, DEBIAN_PACKAGE_MAX, "%.*s-dbgsym", (int)length, package);
}

/* @file is the name of the list: "PACKAGE.list" or "PACKAGE:ARCHITECTURE.list". */
static void look_in(const char *file, const char *list, const char *const *paths, size_t count,
		    char (*names)[DEBIAN_PACKAGE_MAX])
{
	const char *colon = strchr(file, ':');
	size_t length = colon ? (size_t)(colon - file) : strlen(file) - strlen(SUFFIX);

	for (size_t i = 0; i < count; i++)
		if (!names[i][0] && paths[i][0] == '/' && owns(list, paths[i]))
			name_debug_package(file, length, names[i]);
}

void debian_debug_packages(const char *const *paths, size_t count,
			   char (*names)[DEBIAN_PACKAGE_MAX])
{
	DIR *dir = opendir(LISTS);
	const struct dirent *entry;

	for (size_t i = 0; i < count; i++)
		names[i][0] = '\0';
	while (dir && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);
		_cleanup_free_ char *list = NULL;

		if (length <= strlen(SUFFIX) ||
		    strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) != 0)
			continue;
		list = read_text(dirfd(dir), entry->d_name);
		if (list)
			look_in(entry->d_name, list, paths, count, names);
	}
	if (dir)
		(void)closedir(dir);
}

/* ---- archives ---- */

static bool mentions(int dir_fd, const char *name, const char *word)
{
	_cleanup_free_ char *text = read_text(dir_fd, name);

	return text && strstr(text, word);
}

static bool has_debug_archive(void)
{
	bool found = mentions(AT_FDCWD, SOURCES, DEBUG_ARCHIVE);
	DIR *dir = opendir(SOURCES_DIR);
	const struct dirent *entry;

	while (!found && dir && (entry = readdir(dir)))
		found = mentions(dirfd(dir), entry->d_name, DEBUG_ARCHIVE);
	if (dir)
		(void)closedir(dir);
	return found;
}

void debian_debug_archive(const char *package, char *line, size_t size_bytes)
{
	static const char key[] = "\nVERSION_CODENAME=";
	_cleanup_free_ char *release = read_text(AT_FDCWD, "/etc/os-release");
	const char *name = release ? strstr(release, key) : NULL;
	size_t length = strlen(package);

	line[0] = '\0';
	if (!name || !strstr(release, "\nID=debian\n") ||
	    strcmp(package + length - (length < 4 ? length : 4), "-dbg") == 0 ||
	    has_debug_archive())
		return;
	name += strlen(key);
	(void)snprintf(line, size_bytes,
		       "deb http://deb.debian.org/" DEBUG_ARCHIVE " %.*s-debug main",
		       (int)strcspn(name, "\n"), name);
}
