/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/table_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/hex.h"

#define SUFFIX ".unwind"
#define UNFINISHED ".tmp"		/* suffix of a temporary name, after the writer's pid */
#define NAME_MAX_BYTES 80
#define FILES_MAX 65536u		/* maximum number of files that a scan lists */
#define UNFINISHED_MAX_AGE_S 3600

struct name {
	char text[NAME_MAX_BYTES];
};

struct entry {
	struct name name;
	struct timespec used;
	uint64_t size_bytes;
};

struct listing {
	VEC(struct entry) entries;
	uint64_t size_bytes;
};

static void listing_fini(struct listing *listing)
{
	vec_free(&listing->entries);
}

/* ---- names ---- */

static struct name name_of(const struct table_id *id, const char *suffix)
{
	struct name name = { "" };
	size_t at = 0;

	for (size_t i = 0; i < id->size_bytes && i < IMAGE_BUILD_ID_MAX; i++, at += 2)
		(void)snprintf(name.text + at, sizeof(name.text) - at, "%02x", id->bytes[i]);
	(void)snprintf(name.text + at, sizeof(name.text) - at, "%s", suffix);
	return name;
}

static struct name unfinished_name_of(const struct table_id *id)
{
	char suffix[32];

	(void)snprintf(suffix, sizeof(suffix), ".%d" UNFINISHED, (int)getpid());
	return name_of(id, suffix);
}

/* Returns true if @name consists of a build-id, optionally '.' and a pid, and @suffix. */
static bool has_form(const char *name, const char *suffix)
{
	size_t length = strlen(name), suffix_length = strlen(suffix);
	const char *at = name;

	if (length >= NAME_MAX_BYTES || length <= suffix_length ||
	    strcmp(name + length - suffix_length, suffix) != 0)
		return false;
	while (hex_digit(*at) >= 0)
		at++;
	if (*at == '.' && at > name && at < name + length - suffix_length)
		for (at++; *at >= '0' && *at <= '9';)
			at++;
	return at > name && at == name + length - suffix_length;
}

/* ---- the directory ---- */

static int check_directory(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot stat %s", path);
	if (st.st_uid != geteuid())
		return err_set(err, -EPERM, "%s: not used as a cache, because user %u owns it",
			       path, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, -EPERM,
			       "%s: not used as a cache, because other users may write to it",
			       path);
	return 0;
}

/*
 * Opens the directory once more. Reading then starts at its beginning and does not change the
 * position of any other reader. Returns NULL and sets errno on failure.
 */
static DIR *open_listing(const struct table_cache *cache)
{
	int fd = openat(cache->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		(void)close(fd);
	return dir;
}

static int add_entry(const struct table_cache *cache, const char *name, struct listing *listing)
{
	bool unfinished = has_form(name, UNFINISHED);
	struct entry *entry;
	struct stat st;

	if ((!unfinished && !has_form(name, SUFFIX)) ||
	    fstatat(cache->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (unfinished && time(NULL) - st.st_mtim.tv_sec > UNFINISHED_MAX_AGE_S) {
		(void)unlinkat(cache->dir_fd, name, 0);
		return 0;
	}
	entry = vec_push(&listing->entries);
	if (!entry)
		return -ENOMEM;
	memcpy(entry->name.text, name, strlen(name) + 1);	/* has_form() checked the length */
	entry->used = st.st_mtim;
	entry->size_bytes = (uint64_t)st.st_size;
	listing->size_bytes += entry->size_bytes;
	return 0;
}

/*
 * Lists the files whose names have the form that this cache creates, at most FILES_MAX of them.
 * Removes temporary files that are older than UNFINISHED_MAX_AGE_S. Returns 0 or an error. In both
 * cases, @listing contains the files found so far.
 */
static int list_files(const struct table_cache *cache, struct listing *listing)
{
	_cleanup_closedir_ DIR *dir = open_listing(cache);
	const struct dirent *dirent;

	if (!dir)
		return -errno;
	while (listing->entries.count < FILES_MAX && (dirent = readdir(dir))) {
		int rc = add_entry(cache, dirent->d_name, listing);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int compare_used(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
	if (a->used.tv_nsec != b->used.tv_nsec)
		return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
	return strcmp(a->name.text, b->name.text);
}

/*
 * Computes the total size of the files in the cache. If it is above the limit, removes the least
 * recently used files until the size is at most nine tenths of the limit.
 */
static int tidy(struct table_cache *cache)
{
	_cleanup_(listing_fini) struct listing listing = { 0 };
	int rc = list_files(cache, &listing);

	cache->size_bytes = listing.size_bytes;
	if (rc < 0)
		return rc;
	if (cache->size_bytes <= cache->limit_bytes)
		return 0;
	qsort(listing.entries.at, listing.entries.count, sizeof(*listing.entries.at), compare_used);
	for (size_t i = 0;
	     i < listing.entries.count && cache->size_bytes > cache->limit_bytes / 10 * 9; i++)
		if (unlinkat(cache->dir_fd, listing.entries.at[i].name.text, 0) == 0)
			cache->size_bytes -= listing.entries.at[i].size_bytes;
	return 0;
}

int table_cache_open(const char *path, uint64_t limit_bytes, struct table_cache *ret_cache,
		     struct err *err)
{
	_cleanup_close_ int fd = -1;
	int rc;

	*ret_cache = (struct table_cache)TABLE_CACHE_CLOSED;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_sys(err, -errno, "cannot create %s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, -errno, "cannot open %s", path);
	rc = check_directory(fd, path, err);
	if (rc < 0)
		return rc;
	ret_cache->dir_fd = TAKE_FD(fd);
	ret_cache->limit_bytes = limit_bytes;
	rc = tidy(ret_cache);
	if (rc == 0)
		return 0;
	table_cache_close(ret_cache);
	return err_sys(err, rc, "cannot read %s", path);
}

void table_cache_close(struct table_cache *cache)
{
	cleanup_close(&cache->dir_fd);
	cache->dir_fd = -1;
}

/* ---- tables ---- */

static bool is_id(const struct table_id *id)
{
	return id->size_bytes > 0 && id->size_bytes <= IMAGE_BUILD_ID_MAX;
}

/*
 * Opens a file for reading. Returns -1 on failure, and also if it is not a regular file, if the
 * effective user does not own it, or if other users may write to it.
 */
static int open_file(const struct table_cache *cache, const struct name *name)
{
	_cleanup_close_ int fd = openat(cache->dir_fd, name->text,
					O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -1;
	return TAKE_FD(fd);
}

int table_cache_load(const struct table_cache *cache, const struct table_id *id,
		     struct unwind_table *ret_table)
{
	_cleanup_close_ int fd = -1;
	struct name name;
	int rc;

	if (cache->dir_fd < 0 || !is_id(id))
		return 0;
	name = name_of(id, SUFFIX);
	fd = open_file(cache, &name);
	if (fd < 0)
		return 0;
	rc = table_file_read(fd, id, ret_table);
	if (rc == -EBADMSG)
		(void)unlinkat(cache->dir_fd, name.text, 0);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	(void)futimens(fd, NULL);	/* mark the file as just used */
	return 1;
}

static int write_file(const struct table_cache *cache, const struct table_id *id,
		      const struct unwind_table *table)
{
	struct name name = name_of(id, SUFFIX), unfinished = unfinished_name_of(id);
	_cleanup_close_ int fd = -1;
	int rc;

	/* remove a file that an earlier process with the same pid left behind */
	(void)unlinkat(cache->dir_fd, unfinished.text, 0);
	fd = openat(cache->dir_fd, unfinished.text,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = table_file_write(fd, id, table);
	if (rc == 0 && renameat(cache->dir_fd, unfinished.text, cache->dir_fd, name.text) < 0)
		rc = -errno;
	if (rc < 0)
		(void)unlinkat(cache->dir_fd, unfinished.text, 0);
	return rc;
}

int table_cache_store(struct table_cache *cache, const struct table_id *id,
		      const struct unwind_table *table, struct err *err)
{
	uint64_t size_bytes = table_file_size(table);
	int rc;

	if (cache->dir_fd < 0 || !is_id(id) || size_bytes > cache->limit_bytes / 10 * 9)
		return 0;
	rc = write_file(cache, id, table);
	if (rc < 0)
		return err_sys(err, rc, "cannot store an unwind table in the cache");
	cache->size_bytes += size_bytes;
	return cache->size_bytes > cache->limit_bytes ? tidy(cache) : 0;
}
