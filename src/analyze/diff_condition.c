/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/diff_condition.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define CONFIDENCE_DEFAULT 0.95

static int refuse(const char *text, const char *why, struct err *err)
{
	return err_set(err, -EINVAL,
		       "'%s': %s; write a condition like 'self(RE) > +2%% @95' or 'total(RE) > "
		       "x1.1'",
		       text, why);
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/*
 * Parses a number at *@at and moves *@at past the number. The number must begin with a digit, or
 * with one sign and a digit. Returns false if there is no finite number.
 */
static bool parse_number(const char **at, double *ret_number)
{
	const char *digits = *at + strspn(*at, "+-");
	char *end;

	if (digits > *at + 1 || *digits < '0' || *digits > '9')
		return false;
	*ret_number = strtod(*at, &end);
	*at = end;
	return isfinite(*ret_number);
}

/* Parses a limit: "+2%", "+0.5s" or "x1.1". */
static bool parse_limit(const char **at, struct diff_condition *condition)
{
	bool factor = **at == 'x';

	if (factor) {
		++*at;
		return parse_number(at, &condition->factor) && condition->factor > 0;
	}
	condition->factor = 1;
	if ((**at != '+' && **at != '-') || !parse_number(at, &condition->limit))
		return false;
	condition->in_seconds = **at == 's';
	if (!condition->in_seconds) {
		if (**at != '%')
			return false;
		condition->limit /= 100;
	}
	++*at;
	return true;
}

static bool parse_level(const char *at, struct diff_condition *condition)
{
	double percent;

	condition->confidence = CONFIDENCE_DEFAULT;
	if (!*at)
		return true;
	if (*at++ != '@' || !parse_number(&at, &percent) || percent < 50 || percent >= 100)
		return false;
	condition->confidence = percent / 100;
	return *skip_blanks(*at == '%' ? at + 1 : at) == '\0';
}

/* Parses "self(" or "total(". Returns a pointer to the text after the parenthesis, or NULL. */
static const char *parse_kind(const char *text, bool *ret_total)
{
	*ret_total = strncmp(text, "total(", 6) == 0;
	if (*ret_total)
		return text + 6;
	return strncmp(text, "self(", 5) == 0 ? text + 5 : NULL;
}

static int compile(const char *text, const char *from, const char *to,
		   struct diff_condition *condition, struct err *err)
{
	_cleanup_free_ char *pattern = strndup(from, (size_t)(to - from));
	char why[128];
	int rc;

	if (!pattern)
		return err_set(err, -ENOMEM, "no memory for a condition");
	rc = regcomp(&condition->regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (rc == 0)
		return 0;
	(void)regerror(rc, &condition->regex, why, sizeof(why));
	return refuse(text, why, err);
}

int diff_condition_parse(const char *text, struct diff_condition *ret_condition, struct err *err)
{
	struct diff_condition condition = { 0 };
	const char *from = parse_kind(skip_blanks(text), &condition.total), *to, *at;
	int rc;

	to = from ? strrchr(from, ')') : NULL;
	if (!to || to == from)
		return refuse(text, "it does not begin with self(RE) or total(RE)", err);
	at = skip_blanks(to + 1);
	if (*at != '<' && *at != '>')
		return refuse(text, "< or > is missing after self(RE) or total(RE)", err);
	condition.less = *at == '<';
	at = skip_blanks(at + 1);
	if (!parse_limit(&at, &condition))
		return refuse(
			text,
			"the limit is not points (+2%, -1%), seconds (+0.5s) or a factor (x1.1)",
			err);
	if (!parse_level(skip_blanks(at), &condition))
		return refuse(text, "only @ and a level of 50 to 99.99 may follow the limit", err);
	rc = compile(text, from, to, &condition, err);
	if (rc < 0)
		return rc;
	condition.text = strdup(text);
	if (!condition.text) {
		regfree(&condition.regex);
		return err_set(err, -ENOMEM, "no memory for a condition");
	}
	*ret_condition = condition;
	return 0;
}

void diff_condition_fini(struct diff_condition *condition)
{
	regfree(&condition->regex);
	free(condition->text);
}
