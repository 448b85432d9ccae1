/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * imported.h - what an importer makes of some bytes, to be looked at
 */
#ifndef ASSAY_TESTS_IMPORTED_H
#define ASSAY_TESTS_IMPORTED_H

#include <stddef.h>

#include "import/import.h"

struct imported {
	struct model model;
	struct sample_batch samples;	/* all of them */
	struct err err;
	int rc;				/* of import_read() */
};

void imported_from_bytes(struct imported *imported, const void *bytes, size_t size_bytes);
void imported_from_text(struct imported *imported, const char *text);
void imported_fini(struct imported *imported);

/* Keeps the samples of a batch: for import_options.flush, with the struct as its context. */
int imported_keep(void *imported, struct sample_batch *batch, struct err *err);

#endif
