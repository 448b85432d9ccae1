/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - hashes for look-up tables, digests for identifying content
 *
 * Both are XXH3. Hashes are for tables in memory. They are keyed with random bytes that the kernel
 * gave this process, so that no file and no program can choose names or numbers that all collide.
 * Digests are the same in every process; they are for values that are stored or compared with those
 * of another run. Do not use a digest to look up anything that others can choose.
 */
#ifndef ASSAY_BASE_HASH_H
#define ASSAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t size_bytes);
uint64_t hash_pair(uint64_t a, uint64_t b);

/* A one-to-one mapping: equal hashes mean equal numbers. */
uint64_t hash_number(uint64_t number);

uint64_t digest_bytes(const void *bytes, size_t size_bytes);
uint64_t digest_pair(uint64_t a, uint64_t b);

#endif
