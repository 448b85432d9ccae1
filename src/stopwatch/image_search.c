/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/image_search.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/regular_file.h"
#include "process/proc_read.h"

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#else
#define MULTIARCH "aarch64-linux-gnu"
#endif

static const char *const library_dirs[] = {
	"/lib/" MULTIARCH, "/usr/lib/" MULTIARCH, "/lib64", "/usr/lib64", "/lib",
	"/usr/lib",	   "/usr/local/lib",
};

/* ---- names ---- */

/* Returns true if @file_name is @stem and ".so", and perhaps a version. */
static bool is_library(const char *file_name, const char *stem, size_t stem_length)
{
	const char *rest = file_name + stem_length;

	return strncmp(file_name, stem, stem_length) == 0 && strncmp(rest, ".so", 3) == 0 &&
	       (rest[3] == '\0' || rest[3] == '.');
}

bool image_search_matches(const char *name, const char *file_name)
{
	size_t length = strlen(name);

	return strcmp(name, file_name) == 0 || is_library(file_name, name, length) ||
	       (strncmp(file_name, "lib", 3) == 0 && is_library(file_name + 3, name, length));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- mapped files ---- */

struct mapped {
	const char *name;
	char *path;		/* PATH_MAX bytes */
	uint32_t tgid;
	int fd;
};

/* Opens the mapped file itself, which may have been replaced or be in another mount namespace. */
static int see_mapping(void *context, const struct record_mmap *mapping)
{
	struct mapped *mapped = context;
	char link[64];

	if (mapping->path[0] != '/' ||
	    !image_search_matches(mapped->name, base_name(mapping->path)))
		return 0;
	(void)snprintf(link, sizeof(link), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, mapped->tgid,
		       mapping->start_addr, mapping->start_addr + mapping->size_bytes);
	mapped->fd = regular_file_open(AT_FDCWD, link, 0);
	if (mapped->fd < 0)
		mapped->fd = regular_file_open(AT_FDCWD, mapping->path, 0);
	(void)snprintf(mapped->path, PATH_MAX, "%s", mapping->path);
	return mapped->fd < 0 ? 0 : -EEXIST;	/* found: do not look further */
}

static int find_mapped(const struct image_search *search, char ret_path[static PATH_MAX])
{
	struct mapped mapped = { .name = search->name, .path = ret_path, .fd = -1 };

	for (size_t i = 0; i < search->tgid_count && mapped.fd < 0; i++) {
		mapped.tgid = search->tgids[i];
		(void)proc_read_maps(mapped.tgid, see_mapping, &mapped);
	}
	return mapped.fd;
}

/* ---- files ---- */

static int open_in(const char *dir, size_t dir_length, const char *name,
		   char ret_path[static PATH_MAX])
{
	int length = snprintf(ret_path, PATH_MAX, "%.*s/%s", (int)dir_length, dir, name);

	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	return regular_file_open(AT_FDCWD, ret_path, 0);
}

static int find_program(const struct image_search *search, char ret_path[static PATH_MAX])
{
	const char *dir = search->program_dirs;

	while (dir && *dir) {
		size_t length = strcspn(dir, ":");
		int fd = length ? open_in(dir, length, search->name, ret_path) : -ENOENT;

		if (fd >= 0)
			return fd;
		dir += length + (dir[length] == ':');
	}
	return -ENOENT;
}

/* Beside a library, linkers keep a text of the same name: libc.so, which names libc.so.6. */
static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static int find_in(const char *dir_path, const char *name, char ret_path[static PATH_MAX])
{
	DIR *dir = opendir(dir_path);
	struct dirent *entry;
	int fd = -ENOENT;

	while (dir && fd < 0 && (entry = readdir(dir)) != NULL) {
		if (image_search_matches(name, entry->d_name))
			fd = open_in(dir_path, strlen(dir_path), entry->d_name, ret_path);
		if (fd >= 0 && !is_elf(fd)) {
			(void)close(fd);
			fd = -ENOENT;
		}
	}
	if (dir)
		(void)closedir(dir);
	return fd;
}

static int find_library(const struct image_search *search, char ret_path[static PATH_MAX])
{
	int fd = -ENOENT;

	for (size_t i = 0; i < sizeof(library_dirs) / sizeof(library_dirs[0]) && fd < 0; i++)
		fd = find_in(library_dirs[i], search->name, ret_path);
	return fd;
}

int image_search_open(const struct image_search *search, char ret_path[static PATH_MAX],
		      struct err *err)
{
	int fd;

	if (strchr(search->name, '/')) {
		fd = regular_file_open(AT_FDCWD, search->name, 0);
		(void)snprintf(ret_path, PATH_MAX, "%s", search->name);
		return fd < 0 ? err_sys(err, fd, "%s", search->name) : fd;
	}
	fd = find_mapped(search, ret_path);
	if (fd < 0)
		fd = find_program(search, ret_path);
	if (fd < 0)
		fd = find_library(search, ret_path);
	if (fd < 0)
		return err_set(err, -ENOENT,
			       search->tgid_count
				       ? "%s: the processes have no such file mapped, and there is "
					 "no such program or library; give its path"
				       : "%s: there is no such program or library; give its path",
			       search->name);
	return fd;
}
