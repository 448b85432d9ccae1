/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gets functions from the table of functions that each Go program contains, even if stripped. */
#include <errno.h>

#include "base/cleanup.h"
#include "elf/go_functions.h"
#include "elf/symbol_sources.h"

/*
 * Returns the size of the function's code, without the padding after it. A signal handler
 * returns to the first byte of runtime.sigreturn. The address is shown minus 1, so it is in the
 * padding, which must not get the name of the function before it.
 */
static uint64_t code_bytes(struct go_function function)
{
	struct go_frame_part part = { 0 };
	int rc;

	if (function.frames.failed)
		return function.size_bytes;
	while ((rc = go_function_part(&function, &part)) > 0)
		;
	return rc < 0 ? function.size_bytes : part.end;
}

static int add_function(struct symbol_table *table, const struct go_function *function)
{
	if (function->name[0] == '\0' ||
	    !code_range_find(table->sections.at, table->sections.count, function->start_vaddr))
		return 0;
	return symbol_table_add(table, &(struct symbol){
					       .vaddr = function->start_vaddr,
					       .size_bytes = code_bytes(*function),
					       .name = function->name,
					       .source = SYMBOL_SYMTAB,
				       });
}

int go_symbols(const struct image_file *file, const struct elf_source *source,
	       const struct elf_sections *sections, struct symbol_table *table)
{
	struct go_functions functions;
	struct go_function function;
	int rc = go_functions_find(file, source, sections, &functions);

	if (rc < 0 || !functions.bytes)
		return rc;
	rc = symbol_table_own(table, functions.bytes);	/* the names are in these bytes */
	while (rc == 0 && go_functions_next(&functions, &function))
		rc = add_function(table, &function);
	return rc;
}
