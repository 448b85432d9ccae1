/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/argument_names.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "perf/tracefs_fields.h"
#include "stopwatch/stopwatch-private.h"
#include "symbolize/parameter_job.h"

#define NUMBER_FIELD "__syscall_nr"	/* comes before the arguments */

DEFINE_CLEANUP(struct btf, btf__free);

static struct argument *add(struct argument_names *names, const char *name)
{
	struct argument *argument = &names->at[names->count];

	if (names->count == ARGUMENTS_MAX)
		return NULL;
	*argument = (struct argument){ .value = { .kind = SPAN_VALUE_ARGUMENT } };
	(void)snprintf(argument->name, sizeof(argument->name), "%s", name);
	names->count++;
	return argument;
}

/* The argument is in register @number of those that can be read. */
static void place(struct argument *argument, uint32_t number, uint32_t size_bytes, bool is_signed)
{
	argument->value.at = number;
	argument->value.size_bytes = (uint8_t)size_bytes;
	argument->value.is_signed = is_signed;
	if (number >= SPAN_ARGUMENTS)
		argument->missing = "it is not among the first six arguments";
}

/* ---- the kernel ---- */

static void of_call(const char *name, struct argument_names *names)
{
	struct tracefs_fields fields;
	char event[TRACEFS_NAME_MAX];
	struct err err = { 0 };
	uint32_t number = 0;

	(void)snprintf(event, sizeof(event), "sys_enter_%s", name);
	if (tracefs_fields_read("syscalls", event, &fields, &err) < 0)
		return;
	for (size_t i = 0; i < fields.count && number < SPAN_ARGUMENTS; i++)
		if (strcmp(fields.at[i].name, NUMBER_FIELD) != 0)
			place(add(names, fields.at[i].name), number++, 8, false);
}

static void place_kernel(const struct btf *btf, uint32_t type_id, uint32_t number,
			 struct argument *argument)
{
	const struct btf_type *type = btf__type_by_id(btf, type_id);
	uint32_t size_bytes = 8;
	bool is_signed = false;

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(btf, type->type);
	if (type && btf_is_int(type)) {
		size_bytes = type->size;
		is_signed = btf_int_encoding(type) & BTF_INT_SIGNED;
	} else if (type && btf_is_enum(type)) {
		size_bytes = type->size;
		is_signed = btf_kflag(type);
	}
	place(argument, number, size_bytes <= 8 ? size_bytes : 8, is_signed);
}

static void of_kernel(const char *name, struct argument_names *names)
{
	_cleanup_(btf__freep) struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *type = NULL;
	const struct btf_param *params;
	int id = btf ? btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) : -1;

	if (id > 0)
		type = btf__type_by_id(btf, btf__type_by_id(btf, (uint32_t)id)->type);
	if (!type || !btf_is_func_proto(type))
		return;
	params = btf_params(type);
	for (uint32_t i = 0; i < btf_vlen(type) && i < SPAN_ARGUMENTS; i++)
		place_kernel(btf, params[i].type, i,
			     add(names, btf__name_by_offset(btf, params[i].name_off)));
}

/* ---- programs ---- */

static void take(const struct debug_parameter *parameter, struct argument_names *names)
{
	struct argument *argument = add(names, parameter->name);

	if (!argument)
		return;
	if (parameter->passed == PASSED_IN_REGISTER)
		place(argument, parameter->number, parameter->size_bytes, parameter->is_signed);
	else if (parameter->passed == PASSED_AS_FLOAT)
		argument->missing = "it is a floating-point number";
	else if (parameter->passed == PASSED_IN_MEMORY)
		argument->missing = "it is on the stack";
	else
		argument->missing = "its type does not say in which register it is";
}

/* A copy of a function that the compiler made for certain arguments may lack some. */
static bool is_altered(const char *name)
{
	return strstr(name, ".constprop.") || strstr(name, ".isra.") || strstr(name, ".part.");
}

/* Returns why there are no names, or NULL. */
static const char *take_all(const struct stopwatch_options *options, int fd,
			    const struct point *point, struct argument_names *names)
{
	struct found_functions functions = { 0 };
	struct found_parameters parameters = { 0 };
	const char *missing = NULL;
	int rc = functions_find(options->readers, fd, point->name, &functions);

	if (rc < 0)
		missing = "its functions cannot be read";
	else if (functions.list.count == 0)
		missing = stopwatch_why_none(&functions);
	else if (functions.list.count > 1)
		missing = "several functions are meant, whose arguments may differ";
	else if (is_altered(functions.list.at[0].name))
		missing = "the compiler has changed the arguments of this copy of the function";
	else if (parameters_find(options->readers, fd, functions.list.at[0].vaddr, &parameters) < 0)
		missing = "without debug information, arguments have no names";
	for (size_t i = 0; i < parameters.list.count; i++)
		take(&parameters.list.at[i], names);
	found_parameters_fini(&parameters);
	found_functions_fini(&functions);
	return missing;
}

static void of_program(const struct stopwatch_options *options, const struct point *point,
		       struct argument_names *names)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *path = NULL;

	if (stopwatch_open_image(options, point, &fd, &path, NULL) == 0)
		names->missing = take_all(options, fd, point, names);
}

struct argument_names argument_names_of(const struct stopwatch_options *options,
					const struct point *point)
{
	struct argument_names names = { .count = 0 };

	if (point->kind == POINT_CALL)
		of_call(point->name, &names);
	else if (point->kind == POINT_KERNEL)
		of_kernel(point->name, &names);
	else if (point->kind == POINT_FUNCTION && options)
		of_program(options, point, &names);
	return names;
}
