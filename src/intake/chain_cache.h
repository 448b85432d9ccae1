/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain_cache.h - chains of addresses that were turned into stacks before
 *
 * Direct-mapped: a chain has one slot, and the one that comes last has it.  A slot keeps the
 * whole chain and an answer is given only when owner and every address agree, so a collision
 * costs a walk and is never a wrong stack.  Chains longer than a slot are not kept.  About a
 * megabyte, of which only the slots that were ever used are touched.
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
	uint64_t owner;		/* what the meaning of the addresses depends on */
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

int chain_cache_init(struct chain_cache *cache);	/* 0 or -ENOMEM */
void chain_cache_fini(struct chain_cache *cache);
bool chain_cache_find(struct chain_cache *cache, const struct chain_key *key,
		      struct chain_answer *ret_answer);
void chain_cache_put(struct chain_cache *cache, const struct chain_key *key,
		     const struct chain_answer *answer);

#endif
