/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/kernel_lacks.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "sampler/bpf_explain.h"

enum {
#define FIELD(name, structure, member, use, cost) ROW_##name,
#define FORMER(name, structure, member, new_name) ROW_##name,
#include "bpf/kernel_fields.def"
#undef FORMER
#undef FIELD
	ROW_COUNT
};

struct row {
	struct kernel_lack lack;
	int stands_for;		/* the row that is present if this one is */
};

static const struct row rows[] = {
#define FIELD(name, structure, member, use, cost) \
	[ROW_##name] = { { #structure, #member, cost, KERNEL_USE_##use }, ROW_##name },
#define FORMER(name, structure, member, new_name) \
	[ROW_##name] = { { #structure, #member, NULL, 0 }, ROW_##new_name },
#include "bpf/kernel_fields.def"
#undef FORMER
#undef FIELD
};

_Static_assert(ROW_COUNT <= KERNEL_LACKS_MAX, "room for every field");

static const struct btf_type *type_of(const struct btf *types, uint32_t id)
{
	int resolved = btf__resolve_type(types, id);

	return resolved < 0 ? NULL : btf__type_by_id(types, (uint32_t)resolved);
}

#define NESTING_MAX 8

/*
 * Finds the member with the first @size_bytes of @name, also in unnamed structures and unions of
 * @type. Returns its type, or NULL if there is none.
 */
static const struct btf_type *find_member(const struct btf *types, const struct btf_type *type,
					  const char *name, size_t size_bytes, int nesting)
{
	const struct btf_member *members = btf_members(type);
	const struct btf_type *found = NULL;

	for (int i = 0; i < btf_vlen(type) && !found; i++) {
		const char *its_name = btf__name_by_offset(types, members[i].name_off);
		const struct btf_type *inner = type_of(types, members[i].type);

		if (!its_name || !inner)
			continue;
		if (strncmp(its_name, name, size_bytes) == 0 && its_name[size_bytes] == '\0')
			found = inner;
		else if (!*its_name && btf_is_composite(inner) && nesting < NESTING_MAX)
			found = find_member(types, inner, name, size_bytes, nesting + 1);
	}
	return found;
}

/* Returns true if @type has the member @path, such as "sched_info.run_delay". */
static bool has_member(const struct btf *types, const struct btf_type *type, const char *path)
{
	for (;;) {
		size_t size_bytes = strcspn(path, ".");

		if (!btf_is_composite(type))
			return false;
		type = find_member(types, type, path, size_bytes, 0);
		if (!type || !path[size_bytes])
			return type != NULL;
		path += size_bytes + 1;
	}
}

/* Returns true if the structure of a row is called @name. As libbpf, ignores ___ and the rest. */
static bool is_structure(const char *structure, const char *name)
{
	const char *end = strstr(structure, "___");
	size_t size_bytes = end ? (size_t)(end - structure) : strlen(structure);

	return strncmp(structure, name, size_bytes) == 0 && name[size_bytes] == '\0';
}

static void look_at(const struct btf *types, const struct btf_type *type, bool present[])
{
	const char *name = btf__name_by_offset(types, type->name_off);

	for (size_t i = 0; name && i < ROW_COUNT; i++)
		if (is_structure(rows[i].lack.structure, name) &&
		    has_member(types, type, rows[i].lack.member))
			present[rows[i].stands_for] = true;
}

static struct btf *read_types(const char *path)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *types = btf__parse(path, NULL);

	(void)libbpf_set_print(print);
	return types;
}

int kernel_lacks_find(const char *types, struct kernel_lack ret_lacks[static KERNEL_LACKS_MAX],
		      size_t *ret_count, struct err *err)
{
	const char *path = types ? types : KERNEL_BTF;
	struct btf *btf = read_types(path);
	bool present[ROW_COUNT] = { false };
	size_t count = 0;

	if (!btf)
		return err_sys(err, -errno, "%s", path);
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_struct(type))
			look_at(btf, type, present);
	}
	btf__free(btf);
	for (int i = 0; i < ROW_COUNT; i++)
		if (rows[i].stands_for == i && !present[i])
			ret_lacks[count++] = rows[i].lack;
	*ret_count = count;
	return 0;
}
