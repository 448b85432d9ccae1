/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_work.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

int dwarf_work_open(struct dwarf_work *work, const struct image_file *file,
		    const struct debug_lines_options *options,
		    struct debug_lines_health *ret_health)
{
	int rc;

	*work = (struct dwarf_work){ .health = ret_health };
	*ret_health = (struct debug_lines_health){ 0 };
	rc = dwarf_files_open(&work->files, file, options);
	ret_health->missing_shared = work->files.missing_shared;
	ret_health->not_fetched = work->files.not_fetched;
	return rc;
}

int dwarf_work_note(struct dwarf_work *work, int rc)
{
	if (rc == -ENOENT && work->files.missing_shared)
		return 0;	/* the missing dwz file is reported once, not for each unit */
	if (rc == -EBADMSG || rc == -ENOENT || rc == -EIO)
		work->health->damaged_units += !work->is_damaged;
	else if (rc == -E2BIG)
		work->health->exhausted = true;
	else
		return rc;
	work->is_damaged = work->is_damaged || rc != -E2BIG;
	return 0;
}

/* ---- which unit covers a query ---- */

static int claim_range(struct dwarf_work *work, const struct dwarf_range *range, uint32_t unit)
{
	struct dwarf_queries *queries = &work->queries;
	uint64_t size_bytes = range->high - range->low;

	for (size_t i = dwarf_query_from(queries, range->low);
	     i < queries->count && queries->at[i].vaddr < range->high; i++) {
		if (dwarf_spend(&work->files.main, 1) < 0)
			return -E2BIG;
		if (queries->at[i].unit && queries->at[i].unit_bytes <= size_bytes)
			continue;
		queries->at[i].unit = unit;
		queries->at[i].unit_bytes = size_bytes;
	}
	return 0;
}

static bool may_have_functions(const struct dwarf_unit *unit)
{
	return unit->type != DW_UT_type && unit->type != DW_UT_split_type &&
	       unit->type != DW_UT_partial;
}

static int claim_queries(struct dwarf_work *work, size_t index)
{
	struct dwarf_file *file = &work->files.main;
	const struct dwarf_unit *unit = &file->units.at[index];
	_cleanup_(dwarf_cu_close) struct dwarf_cu cu = { 0 };
	int rc;

	if (!may_have_functions(unit))
		return 0;
	rc = dwarf_cu_open(file, unit, false, &cu);
	if (rc < 0)
		return rc;
	rc = dwarf_die_ranges(&cu, &cu.root, &work->ranges);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < work->ranges.list.count; i++) {
		rc = claim_range(work, &work->ranges.list.at[i], (uint32_t)index + 1);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int find_units(struct dwarf_work *work)
{
	struct dwarf_file *file = &work->files.main;
	int rc = dwarf_work_note(work, dwarf_units_read(file));

	if (rc < 0)
		return rc;
	for (size_t i = 0; !work->health->exhausted && i < file->units.count; i++) {
		work->is_damaged = false;
		rc = dwarf_work_note(work, claim_queries(work, i));
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- answers ---- */

static int answer_split(struct dwarf_work *work, const struct dwarf_cu *skeleton,
			struct dwarf_queries *queries)
{
	struct dwarf_file dwo;
	struct dwarf_cu split;
	int rc = dwarf_files_split(&work->files, skeleton, &dwo, &split);

	if (rc < 0) {
		if (rc == -ENOENT) {
			work->health->missing_splits++;
			rc = 0;
		}
		rc = dwarf_work_note(work, rc);
		return rc < 0 ? rc : work->answer(work, skeleton, NULL, queries);
	}
	rc = work->answer(work, skeleton, &split, queries);
	dwarf_cu_close(&split);
	if (dwo.owned_fd >= 0)
		dwarf_file_fini(&dwo);
	return rc;
}

static int answer_unit(struct dwarf_work *work, size_t index, struct dwarf_queries *queries)
{
	struct dwarf_file *file = &work->files.main;
	_cleanup_(dwarf_cu_close) struct dwarf_cu cu = { 0 };
	int rc = dwarf_cu_open(file, &file->units.at[index], true, &cu);

	work->is_damaged = false;
	if (rc < 0)
		return dwarf_work_note(work, rc);
	if (die_value(&cu.root, SLOT_DWO_NAME))
		return answer_split(work, &cu, queries);
	return work->answer(work, &cu, &cu, queries);
}

static int compare_units(const void *left, const void *right)
{
	const struct dwarf_query *a = left, *b = right;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

static int answer_units(struct dwarf_work *work)
{
	struct dwarf_query *at = work->queries.at;
	size_t count = work->queries.count, end;

	qsort(at, count, sizeof(*at), compare_units);
	for (size_t first = 0; first < count && !work->health->exhausted; first = end) {
		struct dwarf_queries queries = { .at = at + first };
		int rc;

		for (end = first; end < count && at[end].unit == at[first].unit; end++)
			;
		queries.count = end - first;
		if (!at[first].unit)
			continue;
		rc = answer_unit(work, at[first].unit - 1, &queries);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int dwarf_work_run(struct dwarf_work *work, const uint64_t *vaddrs, size_t count)
{
	_cleanup_free_ struct dwarf_query *queries = calloc(count + 1, sizeof(*queries));
	int rc;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		queries[i].vaddr = vaddrs[i];
		queries[i].index = i;
	}
	work->queries = (struct dwarf_queries){ .at = queries, .count = count };
	rc = find_units(work);
	if (rc < 0)
		return rc;
	return answer_units(work);
}

int dwarf_work_all(struct dwarf_work *work)
{
	const struct dwarf_file *file = &work->files.main;
	int rc = dwarf_work_note(work, dwarf_units_read(&work->files.main));

	for (size_t i = 0; rc == 0 && !work->health->exhausted && i < file->units.count; i++)
		if (may_have_functions(&file->units.at[i]))
			rc = answer_unit(work, i, NULL);
	return rc;
}

void dwarf_work_fini(struct dwarf_work *work)
{
	vec_free(&work->ranges.list);
	dwarf_files_close(&work->files);
}
