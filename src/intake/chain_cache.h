/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain_cache.h - remembers the stack that each chain of addresses was converted to
 *
 * The cache is direct-mapped: a chain can be only in one slot, and it replaces the chain that was
 * in this slot before. A slot holds the whole chain and its owner. A lookup succeeds only if the
 * owner and every address are equal. If two chains share a slot, one of them must be converted
 * again, but the result is never wrong. Chains that do not fit in a slot are not cached. The cache
 * takes about a megabyte of address space, but only slots that were ever used take memory.
 */
#ifndef ASSAY_INTAKE_CHAIN_CACHE_H
#define ASSAY_INTAKE_CHAIN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/location.h"

#define CHAIN_CACHE_SLOTS 1024
#define CHAIN_CACHE_FRAMES 128

struct chain_key {
	/* identifies the address space or kernel state in which the addresses are valid */
	uint64_t owner;
	const uint64_t *addrs;
	size_t count;
};

struct chain_answer {
	uint32_t stack;
	enum stack_root root;
};

struct chain_slot;

struct chain_cache {
	struct chain_slot *slots;
	uint64_t found, missed;
};

int chain_cache_init(struct chain_cache *cache);	/* returns 0 or -ENOMEM */
void chain_cache_fini(struct chain_cache *cache);
void chain_cache_clear(struct chain_cache *cache);
bool chain_cache_find(struct chain_cache *cache, const struct chain_key *key,
		      struct chain_answer *ret_answer);
void chain_cache_put(struct chain_cache *cache, const struct chain_key *key,
		     const struct chain_answer *answer);

#endif
