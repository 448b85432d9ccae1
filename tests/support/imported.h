/* SPDX-License-Identifier: GPL-2.0-or-later */
/* imported.h - imports bytes and keeps the result for tests to examine */
#ifndef ASSAY_TESTS_IMPORTED_H
#define ASSAY_TESTS_IMPORTED_H

#include <stddef.h>

#include "import/import.h"

struct imported {
	struct model model;
	struct sample_batch samples;	/* all imported samples */
	struct err err;
	int rc;				/* result of import_read() */
};

void imported_from_bytes(struct imported *imported, const void *bytes, size_t size_bytes);
void imported_from_text(struct imported *imported, const char *text);
void imported_fini(struct imported *imported);

/*
 * Keeps the samples of a batch. Used as import_options.flush, with the struct imported as its
 * context.
 */
int imported_keep(void *imported, struct sample_batch *batch, struct err *err);

#endif
