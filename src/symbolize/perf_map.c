/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hex.h"
#include "elf/regular_file.h"

/* ---- lines ---- */

/*
 * Parses a hex number and the blanks after it. Returns a pointer to the first character after the
 * blanks, or NULL if there is no number or no blank.
 */
static const char *parse_number(const char *at, const char *end, uint64_t *ret_value)
{
	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	at = hex_parse(at, end, ret_value);
	if (!at || at == end || (*at != ' ' && *at != '\t'))
		return NULL;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

bool perf_map_line_read(const char *at, const char *end, struct perf_map_line *ret_line)
{
	uint64_t start_addr, size_bytes;

	while (end > at && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
		end--;
	at = parse_number(at, end, &start_addr);
	if (at)
		at = parse_number(at, end, &size_bytes);
	if (!at || at == end || *at == '\0' || size_bytes == 0 ||
	    size_bytes > UINT64_MAX - start_addr)
		return false;
	*ret_line = (struct perf_map_line){
		.start_addr = start_addr,
		.end_addr = start_addr + size_bytes,
		.name = at,
		.length = (size_t)(end - at),
	};
	return true;
}

/* ---- the file ---- */

/*
 * Returns true if the file was last written before the process started. The start time of a process
 * is measured on a clock that stops while the machine is suspended, so the suspended time is added
 * as tolerance. One more second is added because file times are coarse.
 */
static bool is_older(const struct stat *st, const struct process *process)
{
	uint64_t monotonic_ns = clock_monotonic_ns();
	uint64_t suspended_ns = clock_read_ns(CLOCK_BOOTTIME) - monotonic_ns;
	uint64_t age_ns = monotonic_ns - process->start_ns + suspended_ns + NS_PER_SEC;
	uint64_t written_ns = (uint64_t)st->st_mtim.tv_sec * NS_PER_SEC +
			      (uint64_t)st->st_mtim.tv_nsec;

	return process->start_ns && process->start_ns < monotonic_ns &&
	       written_ns + age_ns < clock_read_ns(CLOCK_REALTIME);
}

bool perf_map_is_acceptable(const struct stat *st, const struct process *process)
{
	return (st->st_uid == 0 || st->st_uid == process->uid) && st->st_size >= 0 &&
	       (uint64_t)st->st_size <= PERF_MAP_MAX && !is_older(st, process);
}

/*
 * Opens the /tmp directory to which the process writes its map. @foreign is true if the process may
 * see another /tmp or other pids than assay. A map with the same name in assay's own /tmp would
 * then belong to a different process.
 *
 * assay's own /tmp may be a symbolic link, because only the administrator can have made that link.
 * A /tmp in another root directory is under the control of the profiled program, so it must not be
 * a symbolic link, which could lead out of that root directory.
 */
static int open_tmp(struct file_opener *opener, const char *sysroot, const struct process *process,
		    bool foreign)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	_cleanup_close_ int root = -1;
	char path[PATH_MAX];
	int length, fd;

	if (foreign)
		length = snprintf(path, sizeof(path), "%s/proc/%u/root", sysroot, process->tgid);
	else
		length = snprintf(path, sizeof(path), "%s/", sysroot);
	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	root = open(path, flags);
	if (root < 0)
		return -errno;
	if (foreign && !file_opener_answers(opener, root, process->tgid))
		return file_opener_look(opener, root, "tmp", true);
	fd = openat(root, "tmp", flags | (foreign ? O_NOFOLLOW : 0));
	return fd < 0 ? -errno : fd;
}

/* A file system of its own may be mounted on /tmp, or on the file. */
static int open_in_tmp(struct file_opener *opener, int tmp, const char *name, uint32_t tgid)
{
	_cleanup_close_ int place = -1;

	if (!file_opener_answers(opener, tmp, tgid))
		return -ETIMEDOUT;
	place = openat(tmp, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (place < 0)
		return -errno;
	return file_opener_answers(opener, place, tgid) ? regular_file_open_place(place)
							: -ETIMEDOUT;
}

static int open_in(struct file_opener *opener, const char *sysroot, const struct process *process,
		   uint32_t inner_tgid, bool foreign)
{
	_cleanup_close_ int tmp = open_tmp(opener, sysroot, process, foreign);
	_cleanup_close_ int fd = -1;
	char name[32];
	struct stat st;

	if (tmp < 0)
		return tmp;
	(void)snprintf(name, sizeof(name), "perf-%u.map", inner_tgid);
	fd = open_in_tmp(opener, tmp, name, process->tgid);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return perf_map_is_acceptable(&st, process) ? TAKE_FD(fd) : -EPERM;
}

/*
 * Returns true if the link /proc/<tgid>/@what leads to a different object than assay's own link.
 * Returns false if one of the two links cannot be read.
 */
static bool differ(const char *sysroot, uint32_t tgid, const char *what)
{
	struct statx ours, theirs;
	char path[PATH_MAX];

	/* A root directory may be on a file system that does not answer, so it is not asked. */
	(void)snprintf(path, sizeof(path), "%s/proc/%u/%s", sysroot, tgid, what);
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &theirs) < 0)
		return false;
	(void)snprintf(path, sizeof(path), "%s/proc/self/%s", sysroot, what);
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &ours) == 0 &&
	       (ours.stx_dev_major != theirs.stx_dev_major ||
		ours.stx_dev_minor != theirs.stx_dev_minor || ours.stx_ino != theirs.stx_ino);
}

int perf_map_open(struct file_opener *opener, const char *sysroot, const struct process *process,
		  uint32_t inner_tgid)
{
	const char *below = sysroot ? sysroot : "";
	bool foreign = inner_tgid != process->tgid || differ(below, process->tgid, "root/") ||
		       differ(below, process->tgid, "ns/mnt");

	return open_in(opener, below, process, inner_tgid, foreign);
}
