/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - what a fuzz target defines; tests/fuzz/meson.build says how one is added
 */
#ifndef ASSAY_TESTS_FUZZ_H
#define ASSAY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds the parser; returns 0.  The name and the shape are libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

/* Valid input number @i, in memory from malloc: 0, or -1 when there are no more. */
int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes);

#endif
