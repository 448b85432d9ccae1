/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables CACHE [FILE...]: builds the unwind tables of the files, then loads them from the cache
 * directory CACHE. Without FILE arguments, reads file names from stdin, one per line. Prints one
 * line:
 *
 *	files rows rules row-bytes unsupported-rows make-ns read-ns
 *
 * Times are CPU time. The table of a file without a build-id is built but not cached.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "elf/image_file.h"
#include "unwind/unwind_table.h"
#include "unwind/table_cache.h"

#define CACHE_BYTES (UINT64_C(4) << 30)

struct totals {
	uint64_t files, rows, rules, unsupported, make_ns, read_ns;
};

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void read_again(struct table_cache *cache, const struct image_file *file,
		       const struct unwind_table *table, struct totals *totals)
{
	const struct table_id id = { file->build_id, file->build_id_size };
	struct unwind_table cached;
	struct err err = { 0 };
	uint64_t start_ns;

	if (!file->build_id_size || table_cache_store(cache, &id, table, &err) < 0)
		return;
	start_ns = cpu_ns();
	if (table_cache_load(cache, &id, &cached) == 1)
		unwind_table_fini(&cached);
	totals->read_ns += cpu_ns() - start_ns;
}

static void measure(const char *path, struct table_cache *cache, struct totals *totals)
{
	struct image_file file;
	struct unwind_table table;
	struct err err = { 0 };
	uint64_t start_ns = cpu_ns();

	if (image_file_open(AT_FDCWD, path, &file, &err) < 0)
		return;
	if (unwind_table_build(&file, &table, &err) == 0 && table.rows.count) {
		totals->make_ns += cpu_ns() - start_ns;
		totals->files++;
		totals->rows += table.rows.count;
		totals->rules += table.rules.count;
		totals->unsupported += table.unsupported_rows;
		read_again(cache, &file, &table, totals);
	}
	unwind_table_fini(&table);
	image_file_fini(&file);
}

int main(int argc, char **argv)
{
	struct totals totals = { 0 };
	struct table_cache cache = TABLE_CACHE_CLOSED;
	struct err err = { 0 };
	char path[4096];

	if (argc < 2) {
		fprintf(stderr, "usage: tables CACHE [FILE...]\n");
		return 2;
	}
	(void)table_cache_open(argv[1], CACHE_BYTES, &cache, &err);
	for (int i = 2; i < argc; i++)
		measure(argv[i], &cache, &totals);
	while (argc == 2 && fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		measure(path, &cache, &totals);
	}
	table_cache_close(&cache);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	       "\n",
	       totals.files, totals.rows, totals.rules, totals.rows * sizeof(struct unwind_row),
	       totals.unsupported, totals.make_ns, totals.read_ns);
	return 0;
}
