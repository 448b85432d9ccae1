/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/jit_map.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/read_at.h"
#include "symbolize/perf_map.h"

#define MTIME_SLACK_NS (20 * NS_PER_MSEC)
#define BUFFER_MIN_BYTES 2048	/* assumed minimum size of a program's output buffer */
#define CHUNK_BYTES (256u << 10)	/* is read at a time */

/* The earliest and latest times at which the new text in the file may have been written. */
struct news {
	uint64_t from_ns, by_ns;
};

void jit_map_init(struct jit_map *map)
{
	*map = (struct jit_map){ .fd = -1 };
}

void jit_map_fini(struct jit_map *map)
{
	if (map->fd >= 0)
		(void)close(map->fd);
	map->fd = -1;
}

static void rewind_map(struct jit_map *map)
{
	map->at = map->seen_bytes = 0;
	map->mark_bytes = 0;
	map->had_tail = false;
}

void jit_map_open(struct jit_map *map, int fd)
{
	jit_map_fini(map);
	rewind_map(map);
	map->is_anew = map->looked_ns != 0;
	map->fd = fd;
}

bool jit_map_is_resting(const struct jit_map *map)
{
	return clock_monotonic_ns() < map->next_ns;
}

bool jit_map_is_removed(const struct jit_map *map)
{
	struct stat st;

	return map->fd >= 0 && fstat(map->fd, &st) == 0 && st.st_nlink == 0;
}

/*
 * Converts the modification time of the file to CLOCK_MONOTONIC. Assumes that the system clock has
 * not been set since the modification. Returns 0 if the file was modified before CLOCK_MONOTONIC
 * began.
 */
static uint64_t modified_ns(const struct stat *st, uint64_t now_ns)
{
	uint64_t real_ns = clock_read_ns(CLOCK_REALTIME);
	uint64_t then_ns = (uint64_t)st->st_mtim.tv_sec * NS_PER_SEC +
			   (uint64_t)st->st_mtim.tv_nsec;
	uint64_t age_ns = then_ns < real_ns ? real_ns - then_ns : 0;

	return age_ns < now_ns ? now_ns - age_ns : 0;
}

static bool was_written_anew(const struct jit_map *map, const struct stat *st)
{
	char bytes[JIT_MAP_MARK_BYTES];

	if ((uint64_t)st->st_size < map->at)
		return true;
	return read_at(map->fd, bytes, map->mark_bytes, map->at - map->mark_bytes) !=
		       map->mark_bytes ||
	       memcmp(bytes, map->mark, map->mark_bytes) != 0;
}

static void remember(struct jit_map *map, const char *text, size_t taken)
{
	if (!taken)
		return;
	map->mark_bytes = taken < sizeof(map->mark) ? taken : sizeof(map->mark);
	memcpy(map->mark, text + taken - map->mark_bytes, map->mark_bytes);
	map->at += taken;
}

/*
 * Turns the new lines into claims. Returns the number of bytes used, which is the total length of
 * complete lines. If the file ended in the middle of a line at the last look, the program had begun
 * to write that line earlier. The lower time limit of that line is then earlier, too.
 */
static size_t take_lines(struct jit_map *map, struct jit_history *history, const struct news *news,
			 const char *text, size_t size_bytes, bool is_last)
{
	const char *at = text, *end = text + size_bytes;
	uint64_t from_ns = map->had_tail ? map->from_ns : news->from_ns;
	struct perf_map_line line;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop && !is_last)
			break;
		if (!stop)
			stop = end;
		if (perf_map_line_read(at, stop, &line))
			(void)jit_history_claim(history,
						&(struct jit_claim){ .start_addr = line.start_addr,
								     .end_addr = line.end_addr,
								     .from_ns = from_ns,
								     .by_ns = news->by_ns },
						line.name, line.length);
		from_ns = news->from_ns;
		at = stop < end ? stop + 1 : end;
	}
	return (size_t)(at - text);
}

static uint64_t earliest(const struct jit_map *map)
{
	bool is_prompt = map->is_prompt && !map->has_buffers;

	if (!map->had_lines)
		return 0;
	return !is_prompt && map->written_ns < map->looked_ns ? map->written_ns : map->looked_ns;
}

static int give_up(struct jit_map *map, struct jit_history *history, int rc)
{
	jit_history_lose(history, map->looked_ns);
	jit_map_fini(map);
	return rc;
}

/*
 * Takes the lines before offset @end. *@ret_tail is true if the text ends in the middle of a line.
 * A line that is longer than a chunk is cut.
 */
static int take_text(struct jit_map *map, struct jit_history *history, const struct news *news,
		     uint64_t end, bool is_last, bool *ret_tail)
{
	_cleanup_free_ char *text = malloc(CHUNK_BYTES);

	if (!text)
		return -ENOMEM;
	while (map->at < end) {
		size_t left = end - map->at < CHUNK_BYTES ? (size_t)(end - map->at) : CHUNK_BYTES;
		size_t have = read_at(map->fd, text, left, map->at);
		bool is_end = have < left || map->at + have == end;
		size_t taken = take_lines(map, history, news, text, have, is_end && is_last);

		if (!taken && !is_end)
			taken = take_lines(map, history, news, text, have, true);
		remember(map, text, taken);
		map->had_tail &= !taken;
		*ret_tail = taken < have;
		if (is_end)
			break;
	}
	return 0;
}

static int take_news(struct jit_map *map, struct jit_history *history, const struct stat *st,
		     bool is_last)
{
	uint64_t now_ns = clock_monotonic_ns(), modified = modified_ns(st, now_ns);
	struct news news = { .from_ns = earliest(map), .by_ns = now_ns };
	uint64_t begin = map->at;
	bool has_tail = false;
	int rc;

	if (modified + MTIME_SLACK_NS < now_ns)
		news.by_ns = modified + MTIME_SLACK_NS;
	if (news.by_ns <= news.from_ns)
		news.by_ns = news.from_ns + 1;
	rc = take_text(map, history, &news, (uint64_t)st->st_size, is_last, &has_tail);
	map->from_ns = news.from_ns;
	map->had_tail = has_tail;
	map->has_buffers |= has_tail;
	map->seen_bytes = (uint64_t)st->st_size;
	map->had_lines = true;
	map->is_prompt |= (uint64_t)st->st_size - begin < BUFFER_MIN_BYTES;
	map->written_ns = modified > MTIME_SLACK_NS ? modified - MTIME_SLACK_NS : 0;
	return rc;
}

int jit_map_read(struct jit_map *map, struct jit_history *history, const struct process *process,
		 bool is_last)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct stat st;
	int rc = 0;

	if (map->fd < 0 || (jit_map_is_resting(map) && !is_last))
		return 0;
	if (fstat(map->fd, &st) < 0 || !perf_map_is_acceptable(&st, process))
		return give_up(map, history, -EPERM);
	if (was_written_anew(map, &st)) {
		rewind_map(map);
		map->is_anew = true;
	}
	if ((uint64_t)st.st_size > map->at && (is_last || (uint64_t)st.st_size != map->seen_bytes))
		rc = take_news(map, history, &st, is_last);
	if (rc < 0)
		return give_up(map, history, rc);
	if (map->is_anew)
		map->next_ns = now_ns + JIT_MAP_REST * (clock_monotonic_ns() - now_ns);
	map->is_anew = false;
	map->looked_ns = now_ns;
	return 0;
}
