/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_groups.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perf/event_modifiers.h"

/* buffer size for the text of one group, or for the events between two groups */
#define LIST_MAX 4096
#define LETTERS_MAX 16

/*
 * Adds the modifiers of a group to the attributes of one member, *@own. @letters are the group's
 * modifiers, and *@given has the flags that @letters set. If the member has its own u, k or h, a
 * mode (user, kernel, hypervisor) is excluded only if both the member and the group exclude it.
 */
static void add_modifiers(struct perf_event_attr *own, const char *letters,
			  const struct perf_event_attr *given)
{
	bool chosen = own->exclude_user || own->exclude_kernel || own->exclude_hv;

	if (strpbrk(letters, "ukh")) {
		own->exclude_user = given->exclude_user && (!chosen || own->exclude_user);
		own->exclude_kernel = given->exclude_kernel && (!chosen || own->exclude_kernel);
		own->exclude_hv = given->exclude_hv && (!chosen || own->exclude_hv);
	}
	if (strpbrk(letters, "GH")) {
		own->exclude_guest = given->exclude_guest;
		own->exclude_host = given->exclude_host;
	}
	own->exclude_idle |= given->exclude_idle;
	own->pinned |= given->pinned;
	own->exclusive |= given->exclusive;
	if (given->precise_ip > own->precise_ip)
		own->precise_ip = given->precise_ip;
}

void event_spec_note(struct event_spec *spec, const char *letters)
{
	size_t length = strlen(spec->name);

	if (*letters)
		(void)snprintf(spec->name + length, sizeof(spec->name) - length, ":%s", letters);
}

/*
 * Applies the first @count bytes of @text, the modifier letters after a group. S and W are removed
 * and handled here; the other letters apply to each member.
 */
static int modify_group(struct event_groups *groups, struct event_group *group, const char *text,
			size_t count, struct err *err)
{
	struct perf_event_attr given = { .size = sizeof(given) };
	char letters[LETTERS_MAX];
	size_t kept = 0;
	int code;

	if (count == 0 || count >= sizeof(letters))
		return err_set(err, -EINVAL,
			       "the modifiers after '}:' are missing or too many: '%.20s'", text);
	for (size_t i = 0; i < count; i++) {
		group->weak |= text[i] == 'W';
		if (text[i] != 'W' && text[i] != 'S')
			letters[kept++] = text[i];
	}
	letters[kept] = '\0';
	code = event_modifiers_apply(letters, &given, err);
	if (code < 0)
		return code;
	for (size_t i = group->first; i < group->first + group->count; i++) {
		add_modifiers(&groups->specs[i].attr, letters, &given);
		groups->specs[i].not_idle |= given.exclude_idle;
		event_spec_note(&groups->specs[i], letters);
	}
	return 0;
}

/*
 * Parses the events in the first @length bytes of @text and appends them to the specs. Returns the
 * number of new events or a negative errno.
 */
static int parse_list(const char *text, size_t length, struct event_groups *groups, struct err *err)
{
	size_t room = COUNTED_EVENTS_MAX - groups->spec_count;
	char copy[LIST_MAX];
	int count;

	if (length >= sizeof(copy))
		return err_set(err, -ENAMETOOLONG, "a list of events is longer than %d bytes",
			       LIST_MAX - 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	count = event_specs_parse(copy, groups->specs + groups->spec_count, room, err);
	if (count == -E2BIG)
		return err_set(err, -E2BIG, "more than %d events", COUNTED_EVENTS_MAX);
	return count;
}

static void add_group(struct event_groups *groups, size_t count)
{
	groups->groups[groups->group_count++] = (struct event_group){
		.first = groups->spec_count,
		.count = count,
	};
	groups->spec_count += count;
}

/* Parses "{...}[:LETTERS]" at *@text and moves *@text past it. */
static int parse_group(const char **text, struct event_groups *groups, struct err *err)
{
	const char *open = *text, *end = strchr(open, '}');
	int count;

	if (!end)
		return err_set(err, -EINVAL, "the '{' of '%.40s' is not closed", open);
	count = parse_list(open + 1, (size_t)(end - open) - 1, groups, err);
	if (count < 0)
		return count;
	add_group(groups, (size_t)count);
	*text = end + 1;
	if (**text != ':')
		return 0;
	end += 2;
	*text = end + strcspn(end, ",");
	return modify_group(groups, &groups->groups[groups->group_count - 1], end,
			    (size_t)(*text - end), err);
}

/* Parses the events up to the next group. Each of these events becomes a group by itself. */
static int parse_single(const char **text, struct event_groups *groups, struct err *err)
{
	const char *brace = strchr(*text, '{');
	size_t length = brace ? (size_t)(brace - *text) : strlen(*text);
	int count;

	if (brace && (*text)[length - 1] != ',')
		return err_set(err, -EINVAL, "a ',' is missing before '%.40s'", brace);
	count = parse_list(*text, length - (brace != NULL), groups, err);
	for (int i = 0; i < count; i++)
		add_group(groups, 1);
	*text += length - (brace != NULL);
	return count < 0 ? count : 0;
}

int event_groups_parse(const char *text, struct event_groups *groups, struct err *err)
{
	for (;;) {
		int code = *text == '{' ? parse_group(&text, groups, err)
					: parse_single(&text, groups, err);

		if (code < 0)
			return code;
		if (*text == '\0')
			return 0;
		if (*text != ',')
			return err_set(err, -EINVAL, "unexpected '%.40s' after a group", text);
		text++;
	}
}
