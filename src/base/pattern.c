/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pattern.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define EXPRESSION_PREFIX "re:"

/*
 * Returns where the expression in @text begins, or NULL if @text is a shell pattern. *@ret_length
 * is the length of the expression.
 */
static const char *find_expression(const char *text, enum pattern_kind kind, size_t *ret_length)
{
	size_t length = strlen(text), prefix = strlen(EXPRESSION_PREFIX);

	if (strncmp(text, EXPRESSION_PREFIX, prefix) == 0) {
		*ret_length = length - prefix;
		return text + prefix;
	}
	if (kind == PATTERN_NAME && length > 2 && text[0] == '/' && text[length - 1] == '/') {
		*ret_length = length - 2;
		return text + 1;
	}
	return NULL;
}

/* Returns the larger of the counts in "3}", "3,}" or "3,5}". A count that is missing is 1. */
static unsigned long repeat_count(const char *at)
{
	char *end;
	unsigned long low = strtoul(at, &end, 10), high = low;

	if (*end == ',')
		high = strtoul(end + 1, &end, 10);
	if (low > high)
		high = low;
	return high ? high : 1;
}

/* Returns what makes the expression too expensive, or NULL. */
static const char *danger_in(const char *expression)
{
	unsigned long repeats = 1;

	for (const char *at = expression; *at; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			if (*at >= '1' && *at <= '9')
				return "it refers back to a group";
		} else if (*at == '{') {
			unsigned long count = repeat_count(at + 1);

			if (count > PATTERN_REPEATS_MAX / repeats)
				return "its repeat counts are too large";
			repeats *= count;
		}
	}
	return NULL;
}

static int compile(const char *text, const char *expression, regex_t *regex, struct err *err)
{
	const char *danger = danger_in(expression);
	char problem[256];
	int rc;

	if (danger)
		return err_set(err, -EINVAL, "'%s' cannot be used as a regular expression: %s",
			       text, danger);
	rc = regcomp(regex, expression, REG_EXTENDED);
	if (rc == 0)
		return 0;
	(void)regerror(rc, regex, problem, sizeof(problem));
	return err_set(err, -EINVAL, "'%s' is not an extended regular expression: %s", text,
		       problem);
}

int pattern_compile(const char *text, enum pattern_kind kind, struct pattern *ret_pattern,
		    struct err *err)
{
	size_t length = 0;
	const char *found = find_expression(text, kind, &length);
	_cleanup_free_ char *expression = strndup(found ? found : "", length);
	_cleanup_free_ regex_t *regex = found ? calloc(1, sizeof(*regex)) : NULL;
	_cleanup_free_ char *copy = strdup(text);
	int rc = 0;

	if (!copy || !expression || (found && !regex))
		return err_set(err, -ENOMEM, "no memory for the pattern");
	if (regex)
		rc = compile(text, expression, regex, err);
	if (rc < 0)
		return rc;
	*ret_pattern = (struct pattern){ TAKE_PTR(copy), TAKE_PTR(regex) };
	return 0;
}

/*
 * Returns the length of the name of a C++ function without its parameters and what follows them. 0:
 * it has no parameters.
 */
static size_t length_without_parameters(const char *name)
{
	static const char op[] = "operator";
	const size_t op_length = sizeof(op) - 1;
	int angles = 0, parens = 0;
	size_t start = 0;

	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '(' && parens++ == 0)
			start = i;
		else if (name[i] == ')' && parens > 0 && --parens == 0 && angles == 0 && start &&
			 strncmp(name + i + 1, "::", 2) != 0 &&
			 (start < op_length || memcmp(name + start - op_length, op, op_length)))
			return start;
		if (parens == 0)
			angles += (name[i] == '<') - (name[i] == '>');
	}
	return 0;
}

/* Returns true if a compiler adds this word to names: the first @length bytes of @word. */
static bool is_suffix_word(const char *word, size_t length)
{
	static const char *const words[] = {
		"constprop", "isra",   "part", "cold", "lto_priv", "localalias", /* gcc */
		"llvm",	     "__uniq", /* clang */
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == length && strncmp(words[i], word, length) == 0)
			return true;
	return false;
}

/*
 * Returns the length of the name without what compilers added, such as ".isra.0.cold". 0: they
 * added nothing. Other names can have points too, as in "main.f" of Go.
 */
static size_t length_without_suffix(const char *name)
{
	const char *clone = strstr(name, " [clone ."); /* in demangled names */
	size_t first = 0;

	if (clone)
		return (size_t)(clone - name);
	for (size_t at = strcspn(name, "."); name[at]; at += 1 + strcspn(name + at + 1, ".")) {
		const char *word = name + at + 1;
		size_t length = strcspn(word, ".");
		bool is_number = length > 0 && strspn(word, "0123456789") == length;

		if (is_suffix_word(word, length))
			first = first ? first : at;
		else if (!is_number)
			first = 0;
	}
	return first;
}

static bool matches_shell(const char *text, const char *name)
{
	return strcmp(text, name) == 0 || fnmatch(text, name, 0) == 0;
}

/*
 * Returns true if the pattern matches the first @length bytes of the name. 0: there is no such
 * part.
 */
static bool matches_part(const char *text, const char *name, size_t length)
{
	char function[PATTERN_NAME_MAX];

	if (length == 0 || length >= sizeof(function))
		return false;
	memcpy(function, name, length);
	function[length] = '\0';
	return matches_shell(text, function);
}

bool pattern_matches(const struct pattern *pattern, const char *name)
{
	regmatch_t range = { .rm_so = 0 };

	if (!pattern->expression)
		return matches_shell(pattern->text, name) ||
		       matches_part(pattern->text, name, length_without_suffix(name)) ||
		       (!strchr(pattern->text, '(') &&
			matches_part(pattern->text, name, length_without_parameters(name)));
	range.rm_eo = (regoff_t)strnlen(name, PATTERN_NAME_MAX);
	return regexec(pattern->expression, name, 1, &range, REG_STARTEND) == 0;
}

void pattern_fini(struct pattern *pattern)
{
	if (pattern->expression)
		regfree(pattern->expression);
	free(pattern->expression);
	free(pattern->text);
	*pattern = (struct pattern){ 0 };
}

bool pattern_resembles_expression(const char *text)
{
	size_t length;

	return !find_expression(text, PATTERN_NAME, &length) &&
	       (strpbrk(text, "^$") || strstr(text, ".*") || strstr(text, "\\|"));
}
