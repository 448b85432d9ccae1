/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/rights.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/nameless_file.h"
#include "cli/cache_dir.h"
#include "cli/debug_servers.h"
#include "cli/pager.h"
#include "readers/readers.h"

/* https://www.sqlite.org/tempfiles.html, section 5 */
#define TEMPORARY "/etilqs_"
#define FILES_MAX 16

static struct guard *guard;
static bool is_given_up;		/* by rights_beware() */
static struct image_file kcore = { .fd = -1 };	/* which could not be opened later */

/* Files that the command may change, and journals beside them. */
static const char *allowed[FILES_MAX];
static size_t allowed_count;

static void allow_in(const char *directory, const char *name)
{
	char path[PATH_MAX];

	if (directory && directory[0] == '/' &&
	    (size_t)snprintf(path, sizeof(path), "%s%s", directory, name) < sizeof(path))
		(void)guard_allow(guard, path);
}

struct guard *rights_guard_new(void)
{
	if (guard || guard_new(&guard) < 0)
		return NULL;
	allow_in(getenv("SQLITE_TMPDIR"), TEMPORARY);
	allow_in(getenv("TMPDIR"), TEMPORARY);
	allow_in("/var/tmp", TEMPORARY);
	allow_in(NAMELESS_FILE_DIRECTORY, "/.assay-");
	allow_in("/tmp", TEMPORARY);
	return guard;
}

void rights_allow(const char *path)
{
	if (path && allowed_count < FILES_MAX)
		allowed[allowed_count++] = path;
}

static bool is_trusted(const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);

	return fd >= 0 && readers_trust(fd);
}

/* The file and where it really is, if it is a link. */
static void allow_file(const char *path)
{
	char real[PATH_MAX];

	(void)guard_allow(guard, path);
	if (realpath(path, real))
		(void)guard_allow(guard, real);
}

void rights_beware(const char *path)
{
	char caches[PATH_MAX];

	if (guard || !readers_are_useful() || (debug_servers_are_wanted() && is_trusted(path)) ||
	    !rights_guard_new())
		return;
	pager_prepare();
	(void)image_file_open(AT_FDCWD, "/proc/kcore", &kcore, NULL);
	allow_file(path);
	for (size_t i = 0; i < allowed_count; i++)
		allow_file(allowed[i]);
	if (cache_dir(caches, sizeof(caches)))
		allow_in(caches, "/");
	is_given_up = guard_confine(guard, GUARD_READS) == 0;
}

const struct image_file *rights_kcore(void)
{
	return kcore.fd < 0 ? NULL : &kcore;
}

bool rights_are_given_up(void)
{
	return is_given_up;
}
