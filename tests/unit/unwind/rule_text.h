/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule_text.h - rules as text: "KIND CFA FP RA [kept] [signal] [signed] [plus-word]"
 *
 * CFA, FP and RA are written as "cfa-8", "sp+16", "*fp-8" (the word at that address) or "-":
 *	cfa sp+16 cfa-16 cfa-8
 * The kept register is written as "kept:cfa-24", or "kept" if it is unchanged, or not at all if its
 * place is unknown.
 */
#ifndef ASSAY_TESTS_RULE_TEXT_H
#define ASSAY_TESTS_RULE_TEXT_H

#include <stdint.h>

#include "unwind/rule.h"

#define RULE_TEXT_MAX 128

const char *rule_text(const struct unwind_rule *rule, char ret_text[static RULE_TEXT_MAX]);

#endif
