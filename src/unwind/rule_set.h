/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule_set.h - the distinct rules of an image
 *
 * A rule says how to undo one call (unwind/rule.h). The call frame information of an image produces
 * millions of rules, but only few of them are different. rule_set_add() finds an equal rule by its
 * content (base/intern.h). It looks in a small cache first, because the rules of prologues occur
 * again and again. Rows refer to rules by a 16-bit number, so the number of rules is limited. When
 * the set is full, each further new rule becomes UNWIND_UNSUPPORTED.
 */
#ifndef ASSAY_UNWIND_RULE_SET_H
#define ASSAY_UNWIND_RULE_SET_H

#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"
#include "unwind/rule.h"

#define RULE_GAP 0u
#define RULE_UNSUPPORTED 1u
#define RULE_SET_RECENT 256u

struct rule_set {
	VEC(struct unwind_rule) rules;	/* always contains [RULE_GAP] and [RULE_UNSUPPORTED] */
	struct intern index;
	/* a cache: numbers of recently used rules, indexed by a hash of the rule */
	uint16_t recent[RULE_SET_RECENT];
};

/* Returns 0 or -ENOMEM. Call rule_set_fini() in both cases. */
int rule_set_init(struct rule_set *set);
void rule_set_fini(struct rule_set *set);

/*
 * Returns the number of the rule in @set that equals @rule. If there is none, adds @rule. Returns
 * RULE_UNSUPPORTED if the set is full, or -ENOMEM.
 */
int rule_set_add(struct rule_set *set, const struct unwind_rule *rule);

#endif
