/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz.h - what a fuzz target defines; tests/fuzz/meson.build says how to add one */
#ifndef ASSAY_TESTS_FUZZ_H
#define ASSAY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds the bytes to the parser. Returns 0. The name and signature are libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

/* Returns valid input number @i, allocated with malloc(). Returns -1 if there are no more. */
int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes);

#endif
