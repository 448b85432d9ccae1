/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - hashes for look-up tables, digests for identifying content
 *
 * Hashes are for tables in memory. They depend on random bytes that the kernel gave this process.
 * So an attacker who controls the names or numbers in a file or program cannot choose names or
 * numbers whose hashes are all equal. hash_number() is a one-to-one mapping; the other hashes and
 * the digests are XXH3.
 *
 * Digests are for values that are stored or that are compared with values of another run, because
 * digests are the same in every process. Do not use a digest as the key of a look-up table if
 * others can choose the content.
 */
#ifndef ASSAY_BASE_HASH_H
#define ASSAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t size_bytes);
uint64_t hash_pair(uint64_t a, uint64_t b);

/* Hashes a number. The mapping is one-to-one: equal hashes mean equal numbers. */
uint64_t hash_number(uint64_t number);

uint64_t digest_bytes(const void *bytes, size_t size_bytes);
uint64_t digest_pair(uint64_t a, uint64_t b);

#endif
