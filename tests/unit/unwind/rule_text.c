/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rule_text.h"

struct place {
	char text[24];
};

static struct place place_text(const char *mark, unsigned int base, int32_t offset)
{
	static const char *const bases[] = { "-", "cfa", "sp", "fp", "extra", "kept" };
	struct place place = { "-" };

	if (base != UNWIND_BASE_NONE)
		(void)snprintf(place.text, sizeof(place.text), "%s%s%+d", mark, bases[base],
			       (int)offset);
	return place;
}

/*
 * Returns the text for the kept register: " kept" alone if the function does not change the
 * register.
 */
static struct place kept_text(const struct unwind_rule *rule)
{
	bool steps = rule->kind >= UNWIND_CFA && rule->kind < UNWIND_END;
	struct place place = { "" };

	if (!steps || rule->kept_words == UNWIND_KEPT_LOST)
		return place;
	if (rule->kept_words == UNWIND_KEPT_ALONE)
		return (struct place){ " kept" };
	(void)snprintf(place.text, sizeof(place.text), " kept:cfa%+d", rule->kept_words * 8);
	return place;
}

const char *rule_text(const struct unwind_rule *rule, char ret_text[static RULE_TEXT_MAX])
{
	static const char *const kinds[UNWIND_KIND_COUNT] = {
		[UNWIND_GAP] = "gap",
		[UNWIND_CFA] = "cfa",
		[UNWIND_CFA_AT] = "at",
		[UNWIND_PLT] = "plt",
		[UNWIND_SWITCH] = "switch",
		[UNWIND_SWITCH_PAST] = "switch-past",
		[UNWIND_END] = "end",
		[UNWIND_PADDING] = "padding",
		[UNWIND_UNSUPPORTED] = "unsupported",
	};
	const char *mark = rule->kind == UNWIND_CFA_AT ? "*" : "";

	(void)snprintf(ret_text, RULE_TEXT_MAX, "%s %s %s %s%s%s%s%s%s", kinds[rule->kind],
		       place_text(mark, rule->cfa_base, rule->cfa_offset).text,
		       place_text("", rule->fp_base, rule->fp_offset).text,
		       place_text("", rule->ra_base, rule->ra_offset).text, kept_text(rule).text,
		       rule->flags & UNWIND_SIGNAL ? " signal" : "",
		       rule->flags & UNWIND_SIGNED_RA ? " signed" : "",
		       rule->flags & UNWIND_PLUS_WORD ? " plus-word" : "",
		       rule->flags & UNWIND_CLONES ? " clones" : "");
	return ret_text;
}
