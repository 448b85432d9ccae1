/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash.h"

#include <string.h>
#include <sys/auxv.h>

/*
 * XXH3 is inlined. Most inputs are two numbers, and for these a function call would take as long as
 * the hash itself.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint8_t secret[XXH3_SECRET_DEFAULT_SIZE];
static uint64_t seed;

/*
 * Makes the key of all hashes from the first of the sixteen random bytes (AT_RANDOM) that the
 * kernel passes to each program it starts.
 */
__attribute__((constructor)) static void choose_secret(void)
{
	const char *random = (const char *)getauxval(AT_RANDOM);

	if (random)
		memcpy(&seed, random, sizeof(seed));
	XXH3_generateSecret_fromSeed(secret, seed);
}

uint64_t hash_bytes(const void *bytes, size_t size_bytes)
{
	return XXH3_64bits_withSecret(bytes, size_bytes, secret, sizeof(secret));
}

uint64_t hash_pair(uint64_t a, uint64_t b)
{
	uint64_t pair[2] = { a, b };

	return XXH3_64bits_withSecret(pair, sizeof(pair), secret, sizeof(secret));
}

/*
 * The mapping is one-to-one because each of its steps can be undone. A xor with a constant undoes
 * itself. A multiplication by an odd factor has an inverse. x ^ (x >> 32) leaves the upper 32 bits
 * of x unchanged, so the lower 32 bits can be computed from them.
 */
uint64_t hash_number(uint64_t number)
{
	number ^= seed;
	number ^= number >> 32;
	number *= UINT64_C(0xd6e8feb86659fd93);
	number ^= number >> 32;
	number *= UINT64_C(0xd6e8feb86659fd93);
	return number ^ number >> 32;
}

uint64_t digest_bytes(const void *bytes, size_t size_bytes)
{
	return XXH3_64bits(bytes, size_bytes);
}

uint64_t digest_pair(uint64_t a, uint64_t b)
{
	uint64_t pair[2] = { a, b };

	return XXH3_64bits(pair, sizeof(pair));
}
