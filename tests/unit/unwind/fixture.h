/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fixture.h - unwind tables made from records that a test writes, and their text form */
#ifndef ASSAY_TESTS_UNWIND_FIXTURE_H
#define ASSAY_TESTS_UNWIND_FIXTURE_H

#include "support/frame_writer.h"
#include "support/test.h"
#include "unwind/unwind_table.h"

struct fixture {
	struct frame_writer frames;
	struct unwind_table table;
};

/* Starts an empty .eh_frame. */
struct fixture begin(void);

/* Makes the table from the records. @options may be NULL. Call fixture_fini() afterwards. */
void finish(struct fixture *f, const struct elf_writer_options *options);
void fixture_fini(struct fixture *f);

/*
 * Checks all rows. Each element is "VADDR RULE" in the format of rule_text.h; the last one is NULL.
 */
void assert_rows(const struct fixture *f, const char *const *rows);
#define ASSERT_ROWS(f, ...) assert_rows((f), (const char *const[]){ __VA_ARGS__, NULL })

#endif
