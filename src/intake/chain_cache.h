/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain_cache.h - remembers which stack a chain of addresses became
 *
 * The cache is direct-mapped: each chain has one slot, and the latest chain replaces an older one
 * there. A slot keeps the whole chain, and an answer is given only if the owner and every address
 * match. So a collision costs a walk but never gives a wrong stack. Chains longer than a slot are
 * not kept. The cache takes about a megabyte, of which only slots that were ever used are touched.
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
	uint64_t owner;		/* identifies the context that gives the addresses their meaning */
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
bool chain_cache_find(struct chain_cache *cache, const struct chain_key *key,
		      struct chain_answer *ret_answer);
void chain_cache_put(struct chain_cache *cache, const struct chain_key *key,
		     const struct chain_answer *answer);

#endif
