/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include <inttypes.h>

#include "rule_text.h"

struct fixture begin(void)
{
	return (struct fixture){ .frames.vaddr = 0x4000 };
}

void finish(struct fixture *f, const struct elf_writer_options *options)
{
	size_t size_bytes;
	uint8_t *bytes = frame_writer_image(&f->frames, options, &size_bytes);

	assert_int_equal(unwind_table_build_bytes(bytes, size_bytes, "fixture", &f->table, NULL),
			 0);
	free(bytes);	/* the table must not need the bytes any more */
}

void fixture_fini(struct fixture *f)
{
	unwind_table_fini(&f->table);
}

void assert_rows(const struct fixture *f, const char *const *rows)
{
	char text[RULE_TEXT_MAX], line[RULE_TEXT_MAX + 32];
	size_t i = 0;

	for (; i < f->table.rows.count && rows[i]; i++) {
		const struct unwind_row *row = &f->table.rows.at[i];

		(void)snprintf(line, sizeof(line), "%" PRIx64 " %s",
			       f->table.base_vaddr + row->offset,
			       rule_text(&f->table.rules.at[row->rule], text));
		assert_string_equal(line, rows[i]);
	}
	assert_int_equal(i, f->table.rows.count);
	assert_null(rows[i]);
}
