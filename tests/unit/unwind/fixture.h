/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fixture.h - tables from records that a test writes, and what they say
 */
#ifndef ASSAY_TESTS_UNWIND_FIXTURE_H
#define ASSAY_TESTS_UNWIND_FIXTURE_H

#include "support/frame_writer.h"
#include "support/test.h"
#include "unwind/table.h"

struct fixture {
	struct frame_writer frames;
	struct unwind_table table;
};

/* An empty .eh_frame. */
struct fixture begin(void);

/* The table of what was written; @options may be NULL. fixture_fini() afterwards. */
void finish(struct fixture *f, const struct elf_writer_options *options);
void fixture_fini(struct fixture *f);

/* All rows, each as "VADDR RULE" in the words of rule_text.h; then NULL. */
void assert_rows(const struct fixture *f, const char *const *rows);
#define ASSERT_ROWS(f, ...) assert_rows((f), (const char *const[]){ __VA_ARGS__, NULL })

#endif
