/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/filter.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/nearest_word.h"
#include "model/context.h"

/* ---- one value of a list ---- */

static int add_pattern(struct filter_patterns *patterns, enum pattern_kind kind, const char *word,
		       struct err *err)
{
	struct pattern *pattern = vec_push(&patterns->list);
	int rc;

	if (!pattern)
		return err_set(err, -ENOMEM, "no memory for the filter");
	rc = pattern_compile(word, kind, pattern, err);
	if (rc < 0)
		patterns->list.count--;
	return rc;
}

static bool parse_number(const char *text, uint32_t max, uint32_t *ret_number, const char **ret_end)
{
	unsigned long long number;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || number > max)
		return false;
	*ret_number = (uint32_t)number;
	*ret_end = end;
	return true;
}

static int add_id(struct filter_numbers *numbers, const char *word, struct err *err)
{
	const char *end;
	uint32_t id, *entry;

	if (!parse_number(word, UINT32_MAX, &id, &end) || *end)
		return err_set(err, -EINVAL, "'%s' is not a process or thread number", word);
	entry = vec_push(&numbers->list);
	if (!entry)
		return err_set(err, -ENOMEM, "no memory for the filter");
	*entry = id;
	return 0;
}

static int add_cpus(struct filter_numbers *numbers, const char *word, struct err *err)
{
	uint32_t first, last;
	const char *end;

	if (!parse_number(word, FILTER_CPU_MAX, &first, &end))
		return err_set(err, -EINVAL, "'%s' is not a CPU number or a range such as 0-3",
			       word);
	last = first;
	if (*end == '-' && !parse_number(end + 1, FILTER_CPU_MAX, &last, &end))
		last = 0;
	if (*end || last < first)
		return err_set(err, -EINVAL, "'%s' is not a CPU number or a range such as 0-3",
			       word);
	for (uint32_t cpu = first; cpu <= last; cpu++) {
		uint32_t *entry = vec_push(&numbers->list);

		if (!entry)
			return err_set(err, -ENOMEM, "no memory for the filter");
		*entry = cpu;
	}
	return 0;
}

static int add_context(struct filter *filter, const char *word, struct err *err)
{
	int context = context_of_name(word);
	struct nearest_word nearest = { .wanted = word };
	char meant[NEAREST_WORD_TEXT_MAX];

	for (int i = 0; i < CONTEXT_COUNT; i++)
		nearest_word_offer(&nearest, context_name((enum context)i));
	if (context < 0 && nearest.found)
		return err_set(err, -EINVAL, "'%s' is not a context%s", word,
			       nearest_word_text(&nearest, meant));
	if (context < 0)
		return err_set(err, -EINVAL,
			       "'%s' is not a context; the contexts are user, syscall, "
			       "exception, softirq, hardirq, nmi, idle, kthread and kernel",
			       word);
	filter->contexts |= 1u << context;
	return 0;
}

/* ---- spans ---- */

static int add_span(struct filter *filter, const char *word, struct err *err)
{
	if (strcmp(word, "slow") == 0)
		filter->slow_spans = true;
	else if (strcmp(word, "fast") == 0)
		filter->fast_spans = true;
	else
		return add_pattern(&filter->spans, PATTERN_NAME, word, err);
	return 0;
}

bool filter_has_spans(const struct filter *filter)
{
	return filter && (filter->spans.list.count || filter->slow_spans || filter->fast_spans);
}

/* ---- time ---- */

static bool parse_time(const char **text, uint64_t *ret_ns)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = { { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "s", 1e9 }, { "", 1e9 } };
	char *end;
	double number;
	size_t i = 0;

	if (**text < '0' || **text > '9')
		return false;
	number = strtod(*text, &end);
	while (strncmp(end, units[i].suffix, strlen(units[i].suffix)) != 0)
		i++;
	number *= units[i].ns;
	if (!isfinite(number) || number >= 9e18)
		return false;
	*ret_ns = (uint64_t)number;
	*text = end + strlen(units[i].suffix);
	return true;
}

static int add_time(struct filter *filter, const char *word, struct err *err)
{
	uint64_t from_ns = 0, to_ns = UINT64_MAX;
	const char *at = word;

	if (*at != '-' && !parse_time(&at, &from_ns))
		goto refuse;
	if (*at++ != '-')
		goto refuse;
	if (*at && (!parse_time(&at, &to_ns) || *at))
		goto refuse;
	if (from_ns >= to_ns)
		goto refuse;
	if (filter->from_ns || filter->to_ns != UINT64_MAX)
		return err_set(err, -EINVAL, "'%s' is a second time range; only one is allowed",
			       word);
	filter->from_ns = from_ns;
	filter->to_ns = to_ns;
	return 0;
refuse:
	return err_set(err, -EINVAL,
		       "'%s' is not a time range; give FROM-TO in s, ms, us or ns "
		       "since the start of the recording, such as 1.5s-3s or 500ms-",
		       word);
}

/* ---- by key ---- */

static int add_word(struct filter *filter, const char *key, const char *word, struct err *err)
{
	const struct {
		const char *key;
		struct filter_patterns *patterns;
		enum pattern_kind kind;
	} texts[] = {
		{ "comm", &filter->comms, PATTERN_NAME },
		{ "application", &filter->applications, PATTERN_NAME },
		{ "image", &filter->images, PATTERN_PATH },
		{ "symbol", &filter->symbols, PATTERN_NAME },
		{ "event", &filter->events, PATTERN_NAME },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(key, texts[i].key) == 0)
			return add_pattern(texts[i].patterns, texts[i].kind, word, err);
	if (strcmp(key, "pid") == 0)
		return add_id(&filter->tgids, word, err);
	if (strcmp(key, "tid") == 0)
		return add_id(&filter->tids, word, err);
	if (strcmp(key, "cpu") == 0)
		return add_cpus(&filter->cpus, word, err);
	if (strcmp(key, "context") == 0)
		return add_context(filter, word, err);
	if (strcmp(key, "time") == 0)
		return add_time(filter, word, err);
	if (strcmp(key, "span") == 0)
		return add_span(filter, word, err);
	return err_set(err, -EINVAL,
		       "'%s' is not a filter; the filters are comm, application, pid, tid, "
		       "image, symbol, context, cpu, event, span and time",
		       key);
}

/* If @word begins with "/EXPRESSION/", returns the end of it, otherwise @word. */
static char *expression_end(char *word)
{
	for (char *at = word + 1; *word == '/' && *at; at++)
		if (at[0] == '/' && (at[1] == ',' || !at[1]))
			return at + 1;
	return word;
}

/*
 * Returns the next value of the comma-separated list *@rest, or NULL if *@rest is NULL. Moves
 * *@rest past the comma that ends the value, or sets *@rest to NULL after the last value. In a
 * value, "\," becomes a comma. Any other backslash is kept, because patterns interpret it. The
 * list is modified.
 */
static char *next_word(char **rest, bool has_expressions)
{
	char *word = *rest, *from, *to;

	if (!word)
		return NULL;
	from = to = has_expressions ? expression_end(word) : word;
	for (; *from && *from != ','; *to++ = *from++)
		if (from[0] == '\\' && from[1] == ',')
			from++;
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return word;
}

int filter_add(struct filter *filter, const char *key, const char *value, struct err *err)
{
	_cleanup_free_ char *list = strdup(value);
	bool has_expressions = strcmp(key, "image") != 0;
	char *rest = list, *word;

	if (!list)
		return err_set(err, -ENOMEM, "no memory for the filter");
	while ((word = next_word(&rest, has_expressions))) {
		int rc;

		if (!*word)
			return err_set(err, -EINVAL, "--%s '%s' has an empty value in its list",
				       key, value);
		rc = add_word(filter, key, word, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void patterns_fini(struct filter_patterns *patterns)
{
	for (size_t i = 0; i < patterns->list.count; i++)
		pattern_fini(&patterns->list.at[i]);
	vec_free(&patterns->list);
}

void filter_fini(struct filter *filter)
{
	patterns_fini(&filter->comms);
	patterns_fini(&filter->applications);
	patterns_fini(&filter->events);
	patterns_fini(&filter->images);
	patterns_fini(&filter->symbols);
	patterns_fini(&filter->spans);
	vec_free(&filter->tgids.list);
	vec_free(&filter->tids.list);
	vec_free(&filter->cpus.list);
}

bool filter_has_a_part(const struct filter *filter)
{
	return filter &&
	       (filter->comms.list.count || filter->applications.list.count ||
		filter->tgids.list.count || filter->tids.list.count || filter->cpus.list.count ||
		filter->from_ns || filter->to_ns != UINT64_MAX);
}

bool filter_is_set(const struct filter *filter)
{
	return filter && (filter_has_a_part(filter) || filter->events.list.count ||
			  filter->images.list.count || filter->symbols.list.count ||
			  filter->contexts || filter_has_spans(filter));
}

bool filter_patterns_match(const struct filter_patterns *patterns, const char *text)
{
	for (size_t i = 0; i < patterns->list.count; i++)
		if (pattern_matches(&patterns->list.at[i], text))
			return true;
	return patterns->list.count == 0;
}
