/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/chain_cache.h"

#include <errno.h>

#include "base/hash.h"

struct chain_slot {
	uint64_t owner;
	struct chain_answer answer;
	uint32_t count;		/* 0: the slot is free */
	uint64_t addrs[CHAIN_CACHE_FRAMES];
};

int chain_cache_init(struct chain_cache *cache)
{
	cache->slots = calloc(CHAIN_CACHE_SLOTS, sizeof(*cache->slots));
	return cache->slots ? 0 : -ENOMEM;
}

void chain_cache_fini(struct chain_cache *cache)
{
	free(cache->slots);
	cache->slots = NULL;
}

void chain_cache_clear(struct chain_cache *cache)
{
	for (size_t i = 0; i < CHAIN_CACHE_SLOTS; i++)
		cache->slots[i].count = 0;
}

static struct chain_slot *slot_of(const struct chain_cache *cache, const struct chain_key *key)
{
	uint64_t hash = hash_bytes(key->addrs, key->count * sizeof(*key->addrs));

	return &cache->slots[hash_pair(hash, key->owner) % CHAIN_CACHE_SLOTS];
}

bool chain_cache_find(struct chain_cache *cache, const struct chain_key *key,
		      struct chain_answer *ret_answer)
{
	const struct chain_slot *slot = slot_of(cache, key);

	if (key->count == 0 || slot->count != key->count || slot->owner != key->owner ||
	    memcmp(slot->addrs, key->addrs, key->count * sizeof(*key->addrs)) != 0) {
		cache->missed++;
		return false;
	}
	cache->found++;
	*ret_answer = slot->answer;
	return true;
}

void chain_cache_put(struct chain_cache *cache, const struct chain_key *key,
		     const struct chain_answer *answer)
{
	struct chain_slot *slot = slot_of(cache, key);

	if (key->count == 0 || key->count > CHAIN_CACHE_FRAMES)
		return;
	slot->owner = key->owner;
	slot->answer = *answer;
	slot->count = (uint32_t)key->count;
	memcpy(slot->addrs, key->addrs, key->count * sizeof(*key->addrs));
}
