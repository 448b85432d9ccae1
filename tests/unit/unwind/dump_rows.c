/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the unwind tables of files, for test_oracle.py to compare with what readelf says:
 *	row VADDR KIND CFA FP RA [signal] [signed]
 * with CFA, FP and RA as "cfa-8", "sp+16", "*fp-8" (the word there) or "-"; and for each file
 *	file PATH ROWS RULES FDES DAMAGED UNSUPPORTED FAR CPU-MICROSECONDS
 *
 * Usage: dump_rows [-q] FILE...	(-q: no rows)
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "unwind/table.h"

static const char *const kinds[UNWIND_KIND_COUNT] = { "gap", "cfa", "at",
						      "plt", "end", "unsupported" };
static const char *const bases[] = { "-", "cfa", "sp", "fp", "extra" };

static void print_place(const char *mark, unsigned int base, int32_t offset)
{
	if (base == UNWIND_BASE_NONE)
		printf(" -");
	else
		printf(" %s%s%+" PRId32, mark, bases[base], offset);
}

static void print_row(const struct unwind_table *table, const struct unwind_row *row)
{
	const struct unwind_rule *rule = &table->rules.at[row->rule];

	printf("row %" PRIx64 " %s", table->base_vaddr + row->offset, kinds[rule->kind]);
	print_place(rule->kind == UNWIND_CFA_AT ? "*" : "", rule->cfa_base, rule->cfa_offset);
	print_place("", rule->fp_base, rule->fp_offset);
	print_place("", rule->ra_base, rule->ra_offset);
	printf("%s%s%s\n", rule->flags & UNWIND_SIGNAL ? " signal" : "",
	       rule->flags & UNWIND_SIGNED_RA ? " signed" : "",
	       rule->flags & UNWIND_PLUS_WORD ? " plus-word" : "");
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
