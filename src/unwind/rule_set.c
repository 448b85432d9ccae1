/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/rule_set.h"

#include "base/hash.h"
#include "unwind/unwind_table.h"

struct search {
	const struct rule_set *set;
	const struct unwind_rule *rule;
};

static bool same_rule(uint32_t id, const void *search)
{
	const struct search *wanted = search;

	return memcmp(&wanted->set->rules.at[id], wanted->rule, sizeof(*wanted->rule)) == 0;
}

/*
 * Returns the index of the cache entry for @rule. A fast but simple hash is enough, because a
 * collision in this cache costs only time.
 */
static unsigned int slot_of(const struct unwind_rule *rule)
{
	uint64_t words[2];

	memcpy(words, rule, sizeof(words));
	words[0] ^= words[1] * UINT64_C(0x9e3779b97f4a7c15);
	words[0] *= UINT64_C(0xff51afd7ed558ccd);
	return (unsigned int)(words[0] >> 56) % RULE_SET_RECENT;
}

static int append(struct rule_set *set, const struct unwind_rule *rule, uint64_t hash)
{
	struct unwind_rule *added;
	size_t number = set->rules.count;

	if (number >= UNWIND_RULES_MAX)
		return RULE_UNSUPPORTED;
	added = vec_push(&set->rules);
	if (!added || (number != RULE_GAP && intern_add(&set->index, hash, (uint32_t)number) < 0))
		return -ENOMEM;
	*added = *rule;
	return (int)number;
}

int rule_set_add(struct rule_set *set, const struct unwind_rule *rule)
{
	const struct search search = { .set = set, .rule = rule };
	uint16_t *recent = &set->recent[slot_of(rule)];
	uint64_t hash;
	int number;

	if (same_rule(*recent, &search))
		return *recent;
	hash = hash_bytes(rule, sizeof(*rule));
	number = (int)intern_find(&set->index, hash, same_rule, &search);
	if (number == 0)
		number = append(set, rule, hash);
	if (number > 0)
		*recent = (uint16_t)number;
	return number;
}

int rule_set_init(struct rule_set *set)
{
	const struct unwind_rule gap = { .kind = UNWIND_GAP };
	const struct unwind_rule unsupported = { .kind = UNWIND_UNSUPPORTED };

	*set = (struct rule_set){ 0 };
	if (append(set, &gap, 0) < 0 ||
	    append(set, &unsupported, hash_bytes(&unsupported, sizeof(unsupported))) < 0)
		return -ENOMEM;
	return 0;
}

void rule_set_fini(struct rule_set *set)
{
	vec_free(&set->rules);
	intern_fini(&set->index);
}
