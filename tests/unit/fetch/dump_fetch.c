/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output for test_servers.py: requests debug files while lines are made, and prints the result of
 * each.
 *
 *	dump_fetch URLS CACHE MAX_BYTES IDLE_S IMAGE_S TOTAL_S STOP OUT BUILD_ID...
 *
 * A file that arrived is written to OUT. STOP: "stop" interrupts as soon as a request is under way,
 * "bytes" as soon as data has arrived.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "dwarf/debug_lines.h"
#include "fetch/fetch.h"

struct asking {
	struct fetch *fetch;
	struct err err;
	bool stops, wants_bytes, is_under_way;
};

static void progress(void *context, uint64_t size_bytes, uint64_t of_bytes)
{
	struct asking *asking = context;

	asking->is_under_way = asking->is_under_way || !asking->wants_bytes || size_bytes > 0;
}

static bool is_stopped(void *context)
{
	const struct asking *asking = context;

	return asking->stops && asking->is_under_way;
}

static int find(void *context, const char *name, const uint8_t *build_id, size_t size)
{
	struct asking *asking = context;

	return fetch_debug_file(asking->fetch, build_id, size, &asking->err);
}

static size_t parse_id(const char *text, uint8_t *id)
{
	size_t size = 0;

	for (; size < IMAGE_BUILD_ID_MAX && text[0] && text[1]; text += 2) {
		char digits[3] = { text[0], text[1] };

		id[size++] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return size;
}

static void save(const struct image_file *file, const char *path)
{
	uint8_t *bytes = malloc(file->size_bytes);
	FILE *out = fopen(path, "w");

	if (!bytes || !out || pread(file->fd, bytes, file->size_bytes, 0) < 0 ||
	    fwrite(bytes, 1, file->size_bytes, out) != file->size_bytes)
		abort();
	(void)fclose(out);
	free(bytes);
}

static void ask(struct asking *asking, const char *id, const char *path)
{
	const char *const dirs[] = { "/nonexistent", NULL };
	const struct debug_source source = { .context = asking, .find = find };
	const struct debug_lines_options options = { .debug_dirs = dirs, .source = &source };
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	struct image_file file;
	int rc = debug_lines_open(build_id, parse_id(id, build_id), &options, &file);

	if (rc < 0) {
		printf("%s: %s\n", strerrorname_np(-rc), asking->err.text);
		return;
	}
	printf("found\n");
	save(&file, path);
	image_file_fini(&file);
}

int main(int argc, char **argv)
{
	struct asking asking = { 0 };
	struct fetch_options options = {
		.context = &asking,
		.progress = progress,
		.is_stopped = is_stopped,
	};
	struct fetch_totals totals;

	if (argc < 9)
		return 2;
	options.urls = argv[1];
	options.cache_path = argv[2];
	options.file_max_bytes = strtoull(argv[3], NULL, 0);
	options.idle_seconds = (unsigned int)strtoul(argv[4], NULL, 0);
	options.image_seconds = (unsigned int)strtoul(argv[5], NULL, 0);
	options.total_seconds = (unsigned int)strtoul(argv[6], NULL, 0);
	asking.wants_bytes = strcmp(argv[7], "bytes") == 0;
	asking.stops = asking.wants_bytes || strcmp(argv[7], "stop") == 0;
	if (fetch_new(&options, &asking.fetch, &asking.err) < 0) {
		printf("refused: %s\n", asking.err.text);
		return 0;
	}
	for (int i = 9; i < argc; i++)
		ask(&asking, argv[i], argv[8]);
	totals = fetch_totals(asking.fetch);
	printf("fetched=%zu unknown=%zu failed=%zu not_asked=%zu bytes=%" PRIu64 "\n",
	       totals.fetched, totals.unknown, totals.failed, totals.not_asked, totals.size_bytes);
	fetch_free(asking.fetch);
	return 0;
}
