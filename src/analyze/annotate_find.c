/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/annotate_find.h"

#include <inttypes.h>
#include <stdio.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/pattern.h"

/* The user's text, parsed. */
struct wanted {
	/* the text after "IMAGE:"; all of the text if image is NULL */
	const char *text;
	char *image;			/* NULL: any image */
	struct pattern pattern;
	uint64_t vaddr;
	bool is_address;
};

typedef bool (*match_fn)(const struct model *model, const struct function *function,
			 const struct wanted *wanted);

static bool is_image(const struct model *model, uint32_t image, const char *name)
{
	const char *path = string_of(model, image_of(model, image)->path);

	return strcmp(path, name) == 0 || strcmp(file_name(path), name) == 0;
}

static bool has_image(const struct model *model, const char *name)
{
	for (uint32_t i = 1; i < model->images.count; i++)
		if (is_image(model, i, name))
			return true;
	return false;
}

/*
 * Splits "IMAGE:rest" if the model has an image of that name. Tries each colon in the text, because
 * C++ names also contain colons, so the text before the first colon is not always an image.
 */
static int split(const struct model *model, const char *text, struct wanted *wanted)
{
	wanted->text = text;
	for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
		char *name = strndup(text, (size_t)(colon - text));

		if (!name)
			return -ENOMEM;
		if (colon[1] && has_image(model, name)) {
			wanted->image = name;
			wanted->text = colon + 1;
			return 0;
		}
		free(name);
	}
	return 0;
}

static void parse_address(struct wanted *wanted)
{
	char *end;

	if (strncmp(wanted->text, "0x", 2) != 0)
		return;
	errno = 0;
	wanted->vaddr = strtoull(wanted->text, &end, 16);
	wanted->is_address = errno == 0 && *end == '\0' && end > wanted->text + 2;
}

/* ---- the ways to match ---- */

static bool covers(const struct model *model, const struct function *function,
		   const struct wanted *wanted)
{
	(void)model;
	return wanted->is_address && wanted->vaddr >= function->vaddr &&
	       wanted->vaddr - function->vaddr < function->size_bytes;
}

/*
 * Addresses of the image "[kernel]" that no symbol covers belong to a function that is also named
 * "[kernel]". If the user types "[kernel]", the whole image is meant. So this function does not
 * match by its name.
 */
static bool is_named(const struct model *model, const struct function *function,
		     const struct wanted *wanted)
{
	if (function->size_bytes == 0 && is_image(model, function->image, wanted->text))
		return false;
	return strcmp(string_of(model, function->name), wanted->text) == 0 ||
	       (function->linkage_name &&
		strcmp(string_of(model, function->linkage_name), wanted->text) == 0);
}

static bool is_of_image(const struct model *model, const struct function *function,
			const struct wanted *wanted)
{
	return !wanted->image && is_image(model, function->image, wanted->text);
}

static bool is_like(const struct model *model, const struct function *function,
		    const struct wanted *wanted)
{
	return pattern_matches(&wanted->pattern, string_of(model, function->name));
}

static int collect(const struct profile *profile, const struct group_table *table,
		   const struct wanted *wanted, match_fn matches, struct annotate_found *found)
{
	const struct model *model = profile->model;

	for (size_t i = 0; i < table->rows.count; i++) {
		const struct group_row *row = &table->rows.at[i];
		const struct function *function = function_of(model, row->key[0]);
		struct group_row *copy;

		if (row->key[0] == 0 || row->key[0] >= model->functions.count ||
		    (wanted->image && !is_image(model, function->image, wanted->image)) ||
		    !matches(model, function, wanted))
			continue;
		copy = vec_push(&found->functions);
		if (!copy)
			return -ENOMEM;
		*copy = *row;
	}
	return 0;
}

static int find(const struct profile *profile, const struct group_table *table,
		const struct wanted *wanted, struct annotate_found *found)
{
	static const struct {
		match_fn matches;
		enum annotate_by by;
	} ways[] = {
		{ covers, ANNOTATE_SYMBOL },
		{ is_named, ANNOTATE_SYMBOL },
		{ is_of_image, ANNOTATE_IMAGE },
		{ is_like, ANNOTATE_SYMBOL },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (collect(profile, table, wanted, ways[i].matches, found) < 0)
			return -ENOMEM;
		if (found->functions.count) {
			found->by = ways[i].by;
			break;
		}
	}
	return 0;
}

static void wanted_fini(struct wanted *wanted)
{
	pattern_fini(&wanted->pattern);
	free(wanted->image);
}

static int find_text(const struct profile *profile, const struct group_selection *selection,
		     const char *text, struct annotate_found *ret_found, struct err *err)
{
	static const enum dimension by[] = { BY_FUNCTION };
	_cleanup_(group_table_fini) struct group_table table = { 0 };
	_cleanup_(wanted_fini) struct wanted wanted = { 0 };
	int rc;

	*ret_found = (struct annotate_found){ 0 };
	rc = split(profile->model, text, &wanted);
	if (rc < 0)
		return rc;
	parse_address(&wanted);
	rc = pattern_compile(wanted.text, PATTERN_NAME, &wanted.pattern, err);
	if (rc < 0)
		return rc;
	rc = group_hits(profile, by, 1, group_is_selected, selection, &table);
	if (rc < 0)
		return rc;
	group_sort_by_rank(&table);
	ret_found->total = table.total;
	return find(profile, &table, &wanted, ret_found);
}

int annotate_find(const struct profile *profile, const struct group_selection *selection,
		  const char *text, struct annotate_found *ret_found, struct err *err)
{
	int rc = find_text(profile, selection, text, ret_found, err);

	return rc == -ENOMEM ? err_set(err, rc, "no memory to look for '%s'", text) : rc;
}

void annotate_found_fini(struct annotate_found *found)
{
	vec_free(&found->functions);
}

void annotate_choice(const struct profile *profile, const struct annotate_found *found, size_t row,
		     char *text, size_t size_bytes)
{
	const struct model *model = profile->model;
	const struct function *function = function_of(model, found->functions.at[row].key[0]);
	const char *image = file_name(string_of(model, image_of(model, function->image)->path));
	bool is_unique = true;

	for (size_t i = 0; i < found->functions.count; i++) {
		const struct function *other = function_of(model, found->functions.at[i].key[0]);

		is_unique &= i == row || other->image != function->image ||
			     other->name != function->name;
	}
	if (is_unique)
		(void)snprintf(text, size_bytes, "%s:%s", image, string_of(model, function->name));
	else
		(void)snprintf(text, size_bytes, "%s:0x%" PRIx64, image, function->vaddr);
}
