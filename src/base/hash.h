/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - what tables find things by, and what tells contents apart for good
 *
 * XXH3 in both cases.  Hashes are for tables in memory: they are keyed with random bytes that the
 * kernel gave this process, so that no file and no program can choose names or numbers that all
 * land in one place.  Digests are the same in every process, for what is written down or compared
 * with what another run saw; nothing that others may choose is looked up by one.
 */
#ifndef ASSAY_BASE_HASH_H
#define ASSAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t size_bytes);
uint64_t hash_pair(uint64_t a, uint64_t b);

/* One to one: numbers with equal hashes are equal. */
uint64_t hash_number(uint64_t number);

uint64_t digest_bytes(const void *bytes, size_t size_bytes);
uint64_t digest_pair(uint64_t a, uint64_t b);

#endif
