/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints what elf/symbols.h knows about a file, so that test_oracle.py can compare it with other
 * tools:
 *	complete 0|1
 *	symbol VADDR SIZE SOURCE NAME
 *	range START END
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "elf/symbols.h"

int main(int argc, char **argv)
{
	static const char *const sources[] = { "symtab", "dynsym", "plt" };
	struct symbols_options options = { .no_debug_files = true };
	struct symbol_table table;
	struct image_file file;
	struct err err = { 0 };

	if (argc != 2)
		return 2;
	if (image_file_open(AT_FDCWD, argv[1], &file, &err) < 0 ||
	    symbol_table_read(&file, &options, &table, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("complete %d\n", table.complete);
	for (size_t i = 0; i < table.symbols.count; i++) {
		const struct symbol *symbol = &table.symbols.at[i];

		printf("symbol %" PRIx64 " %" PRIu64 " %s %s\n", symbol->vaddr, symbol->size_bytes,
		       sources[symbol->source], symbol->name);
	}
	for (size_t i = 0; i < table.ranges.count; i++)
		printf("range %" PRIx64 " %" PRIx64 "\n", table.ranges.at[i].start_vaddr,
		       table.ranges.at[i].end_vaddr);
	symbol_table_fini(&table);
	image_file_fini(&file);
	return 0;
}
