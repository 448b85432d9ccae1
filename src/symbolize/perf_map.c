/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/perf_map.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "elf/hex.h"
#include "elf/regular_file.h"
#include "symbolize/names.h"

/* ---- the lines ---- */

struct map_line {
	uint64_t start_addr;
	uint64_t end_addr;
	const char *name;
	size_t length;
};

/* A hex number and the blanks behind it; where they end, or NULL. */
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

static bool parse_line(const char *at, const char *end, struct map_line *ret_line)
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
	*ret_line = (struct map_line){
		.start_addr = start_addr,
		.end_addr = start_addr + size_bytes,
		.name = at,
		.length = (size_t)(end - at),
	};
	return true;
}

/* ---- from lines to hits ---- */

static size_t first_hit_at(const struct image_hits *hits, uint64_t addr)
{
	size_t low = 0, high = hits->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hits->hits[middle].vaddr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first hit at or after @i without a name; next[i] == i says that i has none. */
static size_t next_unnamed(size_t *next, size_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/* Code that was compiled anew where it lay is one function, as large as the largest of them. */
static uint32_t function_id(const struct image_hits *hits, const struct function *function)
{
	uint32_t id = name_function_id(hits, function);
	struct function *known = &hits->model->functions.at[id];

	if (id && known->size_bytes < function->size_bytes)
		known->size_bytes = function->size_bytes;
	return id;
}

static void apply_line(const struct image_hits *hits, const struct map_line *line, size_t *next)
{
	size_t i = next_unnamed(next, first_hit_at(hits, line->start_addr));
	struct function function = {
		.image = hits->image,
		.quality = QUALITY_JIT,
		.vaddr = line->start_addr,
		.size_bytes = line->end_addr - line->start_addr,
	};
	uint32_t id;

	if (i == hits->count || hits->hits[i].vaddr >= line->end_addr)
		return;
	function.name = name_intern(hits->model, line->name, line->length);
	id = function_id(hits, &function);
	for (; i < hits->count && hits->hits[i].vaddr < line->end_addr; i = next_unnamed(next, i)) {
		*hits_function(hits, i) = id;
		next[i] = i + 1;
	}
}

/*
 * From the last line to the first, each line names what later ones left unnamed.  Named hits
 * are skipped in nearly constant time (a union-find forest), so that a million lines that
 * all cover the same code are harmless.
 */
void perf_map_apply(const struct image_hits *hits, const char *text, size_t size_bytes)
{
	_cleanup_free_ size_t *next = calloc(hits->count + 1, sizeof(*next));
	const char *end = text + size_bytes;
	struct map_line line;

	if (!next) {
		hits_loss(hits, LOSS_MEMORY);
		return;
	}
	for (size_t i = 0; i <= hits->count; i++)
		next[i] = i;
	while (end > text) {
		const char *start = end;

		while (start > text && start[-1] != '\n')
			start--;
		if (parse_line(start, end, &line))
			apply_line(hits, &line, next);
		end = start > text ? start - 1 : text;
	}
}

/* ---- the file ---- */

/*
 * Did the file exist before the process?  Process start is kept on a clock that stands still
 * while the machine is suspended, so that much is allowed for, and a second for the
 * coarseness of file times.
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

static bool is_acceptable(const struct stat *st, const struct process *process)
{
	return (st->st_uid == 0 || st->st_uid == process->uid) && st->st_size >= 0 &&
	       (uint64_t)st->st_size <= PERF_MAP_MAX && !is_older(st, process);
}

/*
 * The /tmp that the process writes its map to.  In another pid namespace ours would be somebody
 * else's.  Ours is where the administrator put it; that of another root is the target's to
 * arrange and must lie below it, so it may not be a link.
 */
static int open_tmp(const struct image_hits *hits, const struct process *process)
{
	const char *sysroot = hits->options->sysroot ? hits->options->sysroot : "";
	bool foreign = hits_image(hits)->tgid != process->tgid;
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
	fd = openat(root, "tmp", flags | (foreign ? O_NOFOLLOW : 0));
	return fd < 0 ? -errno : fd;
}

static int open_map(const struct image_hits *hits, const struct process *process)
{
	_cleanup_close_ int tmp = open_tmp(hits, process);
	char name[32];

	if (tmp < 0)
		return tmp;
	(void)snprintf(name, sizeof(name), "perf-%u.map", hits_image(hits)->tgid);
	return regular_file_open(tmp, name, O_NOFOLLOW);
}

/* At most @size_bytes from the start of the file, fewer if it shrank. */
static size_t read_map(int fd, char *bytes, size_t size_bytes)
{
	size_t have = 0;
	ssize_t got;

	while (have < size_bytes) {
		got = read(fd, bytes + have, size_bytes - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return have;
}

void perf_map_name(const struct image_hits *hits)
{
	const struct process *process = &hits->model->processes.at[hits_image(hits)->process];
	_cleanup_close_ int fd = open_map(hits, process);
	_cleanup_free_ char *text = NULL;
	struct stat st;
	size_t size_bytes;

	if (fd == -ENOENT)
		return;
	if (fd < 0 || fstat(fd, &st) < 0 || !is_acceptable(&st, process)) {
		hits_loss(hits, LOSS_PERF_MAP_REFUSED);
		return;
	}
	size_bytes = (size_t)st.st_size;
	text = malloc(size_bytes + 1);
	if (!text) {
		hits_loss(hits, LOSS_MEMORY);
		return;
	}
	perf_map_apply(hits, text, read_map(fd, text, size_bytes));
}
