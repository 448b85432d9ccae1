/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/argument_names.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "perf/tracefs_fields.h"

#define NUMBER_FIELD "__syscall_nr"	/* comes before the arguments */

DEFINE_CLEANUP(struct btf, btf__free);

static void add(struct argument_names *names, const char *name)
{
	if (names->count < SPAN_ARGUMENTS)
		(void)snprintf(names->at[names->count++], ARGUMENT_NAME_MAX, "%s", name);
}

static void of_call(const char *name, struct argument_names *names)
{
	struct tracefs_fields fields;
	char event[TRACEFS_NAME_MAX];
	struct err err = { 0 };

	(void)snprintf(event, sizeof(event), "sys_enter_%s", name);
	if (tracefs_fields_read("syscalls", event, &fields, &err) < 0)
		return;
	for (size_t i = 0; i < fields.count; i++)
		if (strcmp(fields.at[i].name, NUMBER_FIELD) != 0)
			add(names, fields.at[i].name);
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
	for (size_t i = 0; i < btf_vlen(type); i++)
		add(names, btf__name_by_offset(btf, params[i].name_off));
}

struct argument_names argument_names_of(const struct point *point)
{
	struct argument_names names = { .count = 0 };

	if (point->kind == POINT_CALL)
		of_call(point->name, &names);
	else if (point->kind == POINT_KERNEL)
		of_kernel(point->name, &names);
	return names;
}
