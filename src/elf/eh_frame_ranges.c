/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gets function bounds from frame records. Each FDE gives the start and the size of the code that
 * it describes. The FDE's instructions are not needed here.
 */
#include <errno.h>

#include "elf/frame_records.h"
#include "base/cleanup.h"
#include "elf/symbol_sources.h"

static int add_range(struct symbol_table *table, uint64_t start_vaddr, uint64_t size_bytes)
{
	const struct code_range *section = code_range_find(table->sections.at,
							   table->sections.count, start_vaddr);
	struct code_range *range;

	if (!section || size_bytes == 0 || size_bytes > section->end_vaddr - start_vaddr)
		return 0;
	range = vec_push(&table->ranges);
	if (!range)
		return -ENOMEM;
	range->start_vaddr = start_vaddr;
	range->end_vaddr = start_vaddr + size_bytes;
	return 0;
}

int eh_frame_ranges(const struct image_file *file, const struct elf_source *source,
		    const struct elf_sections *sections, struct symbol_table *table)
{
	_cleanup_(frame_records_fini) struct frame_records records = { 0 };
	struct frame_fde fde;
	int rc = frame_records_find(file, source, sections, &records);

	if (rc < 0)
		return rc;
	while ((rc = frame_records_next(&records, &fde)) > 0) {
		rc = add_range(table, fde.start_vaddr, fde.size_bytes);
		if (rc < 0)
			return rc;
	}
	return rc;
}
