/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_import.h - invariants that every importer must maintain for any input */
#ifndef ASSAY_TESTS_FUZZ_IMPORT_H
#define ASSAY_TESTS_FUZZ_IMPORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Imports @bytes as a file of @format. Calls abort() if a sample or a row refers to something that
 * does not exist.
 */
void fuzz_import(const char *format, const uint8_t *bytes, size_t size_bytes);

/* Returns seed number @i of @texts, for fuzz_seed(). */
int fuzz_text_seed(const char *const *texts, size_t count, unsigned int i, uint8_t **ret_bytes,
		   size_t *ret_size_bytes);

#endif
