/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h - a pattern for names, as users type it
 *
 * All commands use the same patterns. A text is a shell pattern (fnmatch), which must match the
 * whole name. It also matches a name that is equal to it, because otherwise names such as
 * "[kernel]" could not be selected. If it has no '(', the parameters of a C++ function can be left
 * out: "f" matches "f(int) const". What a compiler adds to the name of a function that it changed
 * can be left out too: "f" matches "f.constprop.0" and "f.part.0.cold". "re:EXPRESSION" and
 * "/EXPRESSION/" are extended regular expressions, which match any part of a name. For paths only
 * the first form is an expression, because paths begin with '/'.
 *
 * Names come from untrusted files, and the time that regexec() needs can grow fast with the length
 * of a name. So an expression is compared only with the first PATTERN_NAME_MAX bytes of a name.
 * Back-references and large repeat counts are refused: regcomp() and regexec() can need any amount
 * of time and memory for them.
 */
#ifndef ASSAY_BASE_PATTERN_H
#define ASSAY_BASE_PATTERN_H

#include <stdbool.h>

#include "base/err.h"

#define PATTERN_NAME_MAX 1024
/* largest product of the repeat counts of an expression, as in "(a{30}){30}" */
#define PATTERN_REPEATS_MAX 1000

enum pattern_kind { PATTERN_NAME, PATTERN_PATH };

struct pattern {		/* initialize with zeros */
	char *text;		/* as typed; owned */
	void *expression;	/* private; NULL: a shell pattern */
};

/*
 * Returns 0, -ENOMEM, or -EINVAL with a message that has the text and what is wrong with it. Call
 * pattern_fini() after success.
 */
int pattern_compile(const char *text, enum pattern_kind kind, struct pattern *ret_pattern,
		    struct err *err);
bool pattern_matches(const struct pattern *pattern, const char *name);
void pattern_fini(struct pattern *pattern);

/*
 * Returns true if the text is a shell pattern, but contains something that is common in regular
 * expressions and rare in names: "^", "$", ".*" or "\|".
 */
bool pattern_resembles_expression(const char *text);

#endif
