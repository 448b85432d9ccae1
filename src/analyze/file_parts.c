/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/file_parts.h"

#include <inttypes.h>

#include "analyze/lookup.h"

/*
 * Compares two paths from the last character backwards, so that paths with equal ends become
 * neighbors when sorted. If one path or component is a suffix of the other, the shorter one sorts
 * first.
 */
static int compare_ends(const char *a, const char *b)
{
	size_t left = strlen(a), right = strlen(b);

	while (left && right && a[left - 1] == b[right - 1]) {
		left--;
		right--;
	}
	if (!left || !right)
		return (left > right) - (left < right);
	if (a[left - 1] == '/' || b[right - 1] == '/')
		return a[left - 1] == '/' ? -1 : 1;
	return (unsigned char)a[left - 1] < (unsigned char)b[right - 1] ? -1 : 1;
}

static int by_end(const void *a, const void *b)
{
	const struct file_parts_entry *left = a, *right = b;

	return compare_ends(left->path, right->path);
}

static int by_name(const void *a, const void *b)
{
	const struct file_parts_entry *left = a, *right = b;

	return strcmp(file_name(left->path), file_name(right->path));
}

/* Returns the number of equal trailing components. */
static size_t count_common(const char *a, const char *b)
{
	size_t left = strlen(a), right = strlen(b), common = 0;

	while (left && right && a[left - 1] == b[right - 1]) {
		left--;
		right--;
		common += a[left] == '/';
	}
	return common + ((!left || a[left - 1] == '/') && (!right || b[right - 1] == '/'));
}

static void need(struct file_parts_entry *entry, size_t parts)
{
	if (entry->parts < parts)
		entry->parts = parts;
}

int file_parts_add(struct file_parts *parts, const char *path)
{
	size_t count = parts->list.count;
	struct file_parts_entry *entry;

	if (count > parts->settled && parts->list.at[count - 1].path == path)
		return 0;
	entry = vec_push(&parts->list);
	if (!entry)
		return -ENOMEM;
	*entry = (struct file_parts_entry){ path, 1 };
	return 0;
}

/*
 * Keeps one entry for each file name, with the largest number of components that any file of that
 * name needs.
 */
static void merge(struct file_parts *parts)
{
	struct file_parts_entry *list = parts->list.at;
	size_t kept = 0;

	qsort(list, parts->list.count, sizeof(*list), by_name);
	for (size_t i = 0; i < parts->list.count; i++) {
		if (kept && by_name(&list[kept - 1], &list[i]) == 0)
			need(&list[kept - 1], list[i].parts);
		else
			list[kept++] = list[i];
	}
	parts->list.count = kept;
	parts->settled = kept;
}

void file_parts_settle(struct file_parts *parts)
{
	struct file_parts_entry *list = parts->list.at + parts->settled;
	size_t count = parts->list.count - parts->settled;

	if (!count)
		return;
	qsort(list, count, sizeof(*list), by_end);
	for (size_t i = 1; i < count; i++) {
		size_t common = count_common(list[i - 1].path, list[i].path);

		if (strcmp(list[i - 1].path, list[i].path) == 0)
			continue;
		need(&list[i - 1], common + 1);
		need(&list[i], common + 1);
	}
	merge(parts);
}

void file_parts_fini(struct file_parts *parts)
{
	vec_free(&parts->list);
}

const char *file_parts_tail(const struct file_parts *parts, const char *path)
{
	const struct file_parts_entry wanted = { .path = path }, *entry = NULL;
	const char *tail = file_name(path);

	if (parts->settled)
		entry = bsearch(&wanted, parts->list.at, parts->settled, sizeof(wanted), by_name);
	for (size_t i = 1; entry && i < entry->parts && tail > path; i++) {
		tail--;
		while (tail > path && tail[-1] != '/')
			tail--;
	}
	return tail;
}

/* ---- lines ---- */

int file_parts_add_line(struct file_parts *parts, const struct profile *profile, uint64_t key)
{
	return key >> 32 ? file_parts_add(parts, string_of(profile->model, key >> 32)) : 0;
}

void file_parts_label(const struct file_parts *parts, const struct profile *profile, uint64_t key,
		      char *text, size_t size_bytes)
{
	const char *tail = file_parts_tail(parts, string_of(profile->model, key >> 32));
	char number[16];
	int length;

	if (key >> 32 == 0) {
		group_label(profile, BY_LINE, key, text, size_bytes);
		return;
	}
	length = snprintf(number, sizeof(number), ":%" PRIu32, (uint32_t)key);
	(void)snprintf(text, size_bytes, "%.*s%s", (int)(size_bytes - 1) - length, tail, number);
}
