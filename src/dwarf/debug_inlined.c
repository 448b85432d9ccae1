/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/debug_inlined.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/u64map.h"
#include "dwarf/dwarf_work.h"

struct work {
	struct dwarf_work common;
	const struct debug_inlined_sink *sink;
	struct u64map wanted;		/* by reference to a function of the unit: 1, or 0 */
};

/* The entries of a unit, from the root to the current one. */
struct walk {
	const struct dwarf_cu *cu;
	struct work *work;
	struct byte_reader r;
	size_t depth;
	uint64_t functions[DWARF_DEPTH_MAX];	/* by level: entry of the function, or 0 */
};

/* Many calls of a function were inlined, so its name is looked up only once. */
static int is_wanted(struct walk *walk, const struct dwarf_die *die, bool *ret_wanted)
{
	struct work *work = walk->work;
	char name[DWARF_TEXT_MAX] = "";
	struct dwarf_value origin;
	uint32_t wanted;
	uint64_t key;
	int rc;

	*ret_wanted = false;
	if (!dwarf_die_origin(die, &origin))
		return 0;
	key = hash_pair(origin.number, origin.form);
	if (!u64map_get(&work->wanted, key, &wanted)) {
		rc = dwarf_die_name(walk->cu, die, name);
		if (rc < 0)
			return rc;
		wanted = name[0] && work->sink->wants(work->sink->context, name);
		rc = u64map_put(&work->wanted, key, wanted);
		if (rc < 0)
			return rc;
	}
	*ret_wanted = wanted;
	return 0;
}

static int tell(const struct walk *walk, uint64_t function)
{
	const struct dwarf_cu *cu = walk->cu;
	struct byte_reader r = dwarf_window_reader(cu->file, &cu->info);
	char name[DWARF_TEXT_MAX] = "";
	struct dwarf_die die;
	int rc;

	byte_reader_seek(&r, function - cu->unit.offset);
	rc = dwarf_die_read(cu->file, &cu->unit, &cu->abbrevs, &r, &die);
	if (rc == 0)
		rc = dwarf_die_name(cu, &die, name);
	return rc == 0 && name[0] ? walk->work->sink->into(walk->work->sink->context, name) : rc;
}

static int see(struct walk *walk, const struct dwarf_die *die)
{
	uint64_t function = walk->functions[walk->depth];
	bool wanted = false;
	int rc = 0;

	if (die->abbrev->tag == DW_TAG_inlined_subroutine && function)
		rc = is_wanted(walk, die, &wanted);
	if (rc == 0 && wanted)
		rc = tell(walk, function);
	if (rc < 0 || !die->abbrev->has_children)
		return rc;
	if (walk->depth + 1 == DWARF_DEPTH_MAX)
		return -EBADMSG;
	if (die->abbrev->tag == DW_TAG_subprogram)
		function = die->offset;
	walk->functions[++walk->depth] = function;
	return 0;
}

static int walk_all(struct walk *walk)
{
	const struct dwarf_cu *cu = walk->cu;
	int rc;

	walk->r = dwarf_window_reader(cu->file, &cu->info);
	byte_reader_seek(&walk->r, cu->unit.header_bytes);
	do {
		struct dwarf_die die;

		if (byte_reader_left(&walk->r) == 0)
			return walk->depth ? -EBADMSG : 0;
		rc = dwarf_die_read(cu->file, &cu->unit, &cu->abbrevs, &walk->r, &die);
		if (rc < 0)
			return rc;
		if (!die.abbrev) {
			walk->depth -= walk->depth > 0;
			continue;
		}
		rc = see(walk, &die);
		if (rc < 0)
			return rc;
	} while (walk->depth > 0);
	return 0;
}

static int answer(struct dwarf_work *common, const struct dwarf_cu *unit,
		  const struct dwarf_cu *tree, struct dwarf_queries *queries)
{
	struct work *work = common->context;
	struct walk walk = { .cu = tree, .work = work };

	if (!tree)
		return 0;
	u64map_fini(&work->wanted);	/* references are those of one unit */
	return dwarf_work_note(common, walk_all(&walk));
}

static int find(struct work *work)
{
	work->common.answer = answer;
	work->common.context = work;
	return dwarf_work_all(&work->common);
}

static void work_fini(struct work *work)
{
	u64map_fini(&work->wanted);
	dwarf_work_fini(&work->common);
}

int debug_inlined_find(const struct image_file *file, const struct debug_lines_options *options,
		       const struct debug_inlined_sink *sink)
{
	_cleanup_(work_fini) struct work work = { .sink = sink };
	struct debug_lines_health health;
	int rc = dwarf_work_open(&work.common, file, options, &health);

	return rc < 0 ? rc : find(&work);
}

int debug_inlined_from_bytes(const void *bytes, size_t size_bytes,
			     const struct debug_inlined_sink *sink)
{
	struct debug_lines_health health = { 0 };
	_cleanup_(work_fini) struct work work = { .common = { .health = &health }, .sink = sink };
	int rc = dwarf_files_from_bytes(&work.common.files, bytes, size_bytes);

	return rc < 0 ? rc : find(&work);
}
