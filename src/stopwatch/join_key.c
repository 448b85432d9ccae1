/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/join_key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "perf/tracefs_fields.h"
#include "stopwatch/argument_names.h"

#define LIST_BYTES_MAX 400

/* What the values of a point are called. */
struct value_names {
	const struct stopwatch_options *options;
	const struct point *point;
	bool is_own;				/* not those of the task and the CPU */
	struct tracefs_fields fields;		/* of a tracepoint */
	/* read when first asked for, because that may mean to parse all types of the kernel */
	struct argument_names arguments;
	bool has_arguments;
};

static const struct {
	const char *name;
	enum span_value_kind kind;
} of_task[] = {
	{ "tid", SPAN_VALUE_TID },
	{ "tgid", SPAN_VALUE_TGID },
	{ "cpu", SPAN_VALUE_CPU },
};

static bool find_of_task(const char *name, struct span_value *ret_value)
{
	for (size_t i = 0; i < sizeof(of_task) / sizeof(of_task[0]); i++)
		if (strcmp(name, of_task[i].name) == 0) {
			*ret_value = (struct span_value){ .kind = (uint8_t)of_task[i].kind };
			return true;
		}
	return false;
}

/* "arg0" is the first argument. Where a function returns, only its result is known. */
static bool find_register(const char *name, bool at_return, struct span_value *ret_value)
{
	uint32_t number = 0;

	if (at_return ? strcmp(name, "retval") != 0 : !point_argument(name, &number))
		return false;
	*ret_value = (struct span_value){ .kind = SPAN_VALUE_ARGUMENT, .at = number };
	return true;
}

static bool find_field(const struct tracefs_fields *fields, const char *name,
		       struct span_value *ret_value)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct tracefs_field *field = &fields->at[i];

		if (!field->is_number || strcmp(field->name, name) != 0)
			continue;
		*ret_value = (struct span_value){ .kind = SPAN_VALUE_FIELD,
						  .size_bytes = (uint8_t)field->size_bytes,
						  .is_signed = field->is_signed,
						  .at = field->offset };
		return true;
	}
	return false;
}

/* Where a call returns, its arguments are no longer known. */
static const struct argument_names *arguments_of(struct value_names *names)
{
	if (!names->has_arguments && !names->point->at_return)
		names->arguments = argument_names_of(names->options, names->point);
	names->has_arguments = true;
	return &names->arguments;
}

static const struct argument *find_argument(struct value_names *names, const char *name)
{
	const struct argument_names *arguments = arguments_of(names);

	for (size_t i = 0; i < arguments->count; i++)
		if (strcmp(name, arguments->at[i].name) == 0)
			return &arguments->at[i];
	return NULL;
}

/* Appends the names of values that a message shows. */
static void list_values(struct value_names *names, char list[static LIST_BYTES_MAX])
{
	const struct argument_names *arguments = arguments_of(names);
	const struct tracefs_fields *fields = &names->fields;
	size_t length = 0;

	if (names->point->kind != POINT_TRACEPOINT)
		length = (size_t)snprintf(list, LIST_BYTES_MAX, "%s",
					  names->point->at_return ? "retval" : "arg0 to arg5");
	for (size_t i = 0; i < arguments->count && length < LIST_BYTES_MAX; i++)
		length += (size_t)snprintf(list + length, LIST_BYTES_MAX - length, "%s%s",
					   length ? ", " : "", arguments->at[i].name);
	for (size_t i = 0; i < fields->count && length < LIST_BYTES_MAX; i++)
		if (fields->at[i].is_number)
			length += (size_t)snprintf(list + length, LIST_BYTES_MAX - length, "%s%s",
						   length ? ", " : "", fields->at[i].name);
}

static int explain(struct value_names *names, const char *name, struct err *err)
{
	const char *missing = arguments_of(names)->missing;
	char list[LIST_BYTES_MAX] = "";

	list_values(names, list);
	return err_set(err, -ENOENT, "%s has no value '%s'; it has %s%s%s%s", names->point->text,
		       name, list, names->is_own ? "" : ", tid, tgid, cpu", missing ? "; " : "",
		       missing ? missing : "");
}

static int find_value(const char *name, struct value_names *names, struct span_value *ret_value,
		      struct err *err)
{
	const struct point *point = names->point;
	bool found = point->kind == POINT_TRACEPOINT
			     ? find_field(&names->fields, name, ret_value)
			     : find_register(name, point->at_return, ret_value);
	const struct argument *argument;

	if (found || (!names->is_own && find_of_task(name, ret_value)))
		return 0;
	argument = find_argument(names, name);
	if (!argument)
		return explain(names, name, err);
	if (argument->missing)
		return err_set(err, -EOPNOTSUPP, "%s: '%s' cannot be read: %s", point->text, name,
			       argument->missing);
	*ret_value = argument->value;
	return 0;
}

/* Returns the name of @part ("A" or "A=B") at the first or second point. */
static const char *name_at(char *part, bool is_end)
{
	char *sign = strchr(part, '=');

	if (!sign)
		return part;
	*sign = '\0';
	return is_end ? sign + 1 : part;
}

static int begin_names(const struct stopwatch_options *options, const struct point *point,
		       struct value_names *ret_names, struct err *err)
{
	*ret_names = (struct value_names){ .options = options, .point = point };
	if (point->kind == POINT_TRACEPOINT &&
	    tracefs_fields_read(point->image, point->name, &ret_names->fields, err) < 0)
		return err_prefix(err, "%s", point->text);
	return 0;
}

int join_key_find(const struct stopwatch_options *options, const char *text,
		  const struct point *point, bool is_end, struct span_key *ret_key, struct err *err)
{
	_cleanup_free_ char *parts = strdup(text);
	struct value_names names;
	char *rest = parts, *part;
	size_t count = 0;
	int rc;

	*ret_key = (struct span_key){ 0 };
	if (!parts)
		return err_sys(err, -ENOMEM, "%s", text);
	rc = begin_names(options, point, &names, err);
	while (rc == 0 && (part = strsep(&rest, ",")) != NULL) {
		const char *name = name_at(part, is_end);

		if (count == SPAN_VALUES)
			return err_set(err, -EINVAL, "the key '%s' has more than %u values", text,
				       SPAN_VALUES);
		if (*name == '\0')
			return err_set(err, -EINVAL, "the key '%s' has an empty value", text);
		rc = find_value(name, &names, &ret_key->values[count++], err);
	}
	return rc;
}

int join_value_find(const struct stopwatch_options *options, const char *name,
		    const struct point *point, bool is_own, struct span_value *ret_value,
		    struct err *err)
{
	struct value_names names;
	int rc = begin_names(options, point, &names, err);

	names.is_own = is_own;
	return rc < 0 ? rc : find_value(name, &names, ret_value, err);
}
