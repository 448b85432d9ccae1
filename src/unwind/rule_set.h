/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule_set.h - the distinct rules of an image
 *
 * Few of the millions of rules that the programs of an image say are different.  They are told
 * apart by content (base/intern.h), behind a small cache by content, because the rules of prologues
 * come again and again.  When there are as many as rows can name, the next new one becomes
 * UNWIND_UNSUPPORTED.
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
	VEC(struct unwind_rule) rules;	/* [RULE_GAP] and [RULE_UNSUPPORTED] always */
	struct intern index;
	uint16_t recent[RULE_SET_RECENT];	/* by a hash: where to look first */
};

/* 0 or -ENOMEM. rule_set_fini() after both. */
int rule_set_init(struct rule_set *set);
void rule_set_fini(struct rule_set *set);

/* The number of a rule equal to @rule, or RULE_UNSUPPORTED; -ENOMEM. */
int rule_set_add(struct rule_set *set, const struct unwind_rule *rule);

#endif
