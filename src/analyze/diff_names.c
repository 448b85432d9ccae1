/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/diff_names.h"

#include "base/hash.h"

int diff_names_init(struct diff_names *names)
{
	*names = (struct diff_names){ 0 };
	if (strpool_init(&names->strings) < 0 || !vec_push(&names->names) ||
	    !vec_push(&names->paths))
		return -ENOMEM;
	return 0;
}

void diff_names_fini(struct diff_names *names)
{
	strpool_fini(&names->strings);
	vec_free(&names->names);
	vec_free(&names->paths);
	intern_fini(&names->name_index);
	intern_fini(&names->path_index);
}

struct search {
	const struct diff_names *names;
	uint32_t first, second;
};

static bool same_name(uint32_t id, const void *arg)
{
	const struct search *search = arg;
	const struct diff_name *name = &search->names->names.at[id];

	return name->image == search->first && name->text == search->second;
}

static bool same_path(uint32_t id, const void *arg)
{
	const struct search *search = arg;
	const struct diff_path *path = &search->names->paths.at[id];

	return path->caller == search->first && path->name == search->second;
}

int diff_names_enter(struct diff_names *names, const char *image, const char *text,
		     uint32_t *ret_name)
{
	struct search search = { .names = names };
	struct diff_name *name;
	uint64_t hash;

	if (strpool_intern(&names->strings, image, strlen(image), &search.first) < 0 ||
	    strpool_intern(&names->strings, text, strlen(text), &search.second) < 0)
		return -ENOMEM;
	hash = hash_pair(search.first, search.second);
	*ret_name = intern_find(&names->name_index, hash, same_name, &search);
	if (*ret_name)
		return 0;
	name = vec_push(&names->names);
	if (!name)
		return -ENOMEM;
	*name = (struct diff_name){ search.first, search.second };
	*ret_name = (uint32_t)names->names.count - 1;
	return intern_add(&names->name_index, hash, *ret_name);
}

int diff_names_enter_path(struct diff_names *names, uint32_t caller, uint32_t name,
			  uint32_t *ret_path)
{
	struct search search = { names, caller, name };
	uint64_t hash = hash_pair(caller, name);
	struct diff_path *path;

	*ret_path = intern_find(&names->path_index, hash, same_path, &search);
	if (*ret_path)
		return 0;
	path = vec_push(&names->paths);
	if (!path)
		return -ENOMEM;
	*path = (struct diff_path){ caller, name };
	*ret_path = (uint32_t)names->paths.count - 1;
	return intern_add(&names->path_index, hash, *ret_path);
}

const char *diff_name_text(const struct diff_names *names, uint32_t name)
{
	return strpool_get(&names->strings, names->names.at[name].text);
}

const char *diff_name_image(const struct diff_names *names, uint32_t name)
{
	return strpool_get(&names->strings, names->names.at[name].image);
}
