/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the unwind tables of files, so that test_oracle.py can compare them with readelf's output:
 *	row VADDR RULE			as in rule_text.h
 *	file PATH ROWS RULES FDES DAMAGED UNSUPPORTED FAR CPU-MICROSECONDS
 *
 * Usage: dump_rows [-q] FILE...	(-q: no rows)
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rule_text.h"
#include "unwind/unwind_table.h"

static void print_row(const struct unwind_table *table, const struct unwind_row *row)
{
	char text[RULE_TEXT_MAX];

	printf("row %" PRIx64 " %s\n", table->base_vaddr + row->offset,
	       rule_text(&table->rules.at[row->rule], text));
}

static uint64_t cpu_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void dump(const char *path, bool quiet)
{
	struct unwind_table table = { 0 };
	struct image_file file;
	struct err err = { 0 };
	uint64_t start_us = cpu_us();

	if (image_file_open(AT_FDCWD, path, &file, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		return;
	}
	if (unwind_table_build(&file, &table, &err) < 0)
		(void)fprintf(stderr, "%s\n", err.text);
	for (size_t i = 0; i < table.rows.count && !quiet; i++)
		print_row(&table, &table.rows.at[i]);
	printf("file %s %zu %zu %u %u %u %u %" PRIu64 "\n", path, table.rows.count,
	       table.rules.count, table.fde_count, table.damaged_count, table.unsupported_rows,
	       table.far_count, cpu_us() - start_us);
	unwind_table_fini(&table);
	image_file_fini(&file);
}

int main(int argc, char **argv)
{
	bool quiet = argc > 1 && strcmp(argv[1], "-q") == 0;

	if (argc < 2 + quiet)
		return 2;
	for (int i = 1 + quiet; i < argc; i++)
		dump(argv[i], quiet);
	return 0;
}
