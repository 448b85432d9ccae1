/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_tree.h"

#include <errno.h>

/* unknown file; not 0, which is a valid file number from version 5 on */
#define NO_FILE UINT64_MAX
#define NODES_MAX (UINT32_C(1) << 22)	/* maximum number of nodes per unit */

struct walk {
	const struct dwarf_cu *cu;
	struct dwarf_queries *queries;
	struct dwarf_tree *tree;
	struct byte_reader r;
	struct dwarf_die die;
	/* true: this is the second reading, which skips no subtrees */
	bool thorough;
	size_t depth;
	struct level {
		/* node of the function that contains the entries of this level */
		uint32_t node;
		bool ignored;
	} levels[DWARF_DEPTH_MAX];
};

/*
 * Assigns all queries in @range to the node *@node. If *@node is 0, creates the node when the first
 * such query is found.
 */
static int claim_range(struct walk *walk, const struct dwarf_range *range, uint32_t *node)
{
	struct dwarf_queries *queries = walk->queries;

	for (size_t i = dwarf_query_from(queries, range->low);
	     i < queries->count && queries->at[i].vaddr < range->high; i++) {
		if (dwarf_spend(walk->cu->file, 1) < 0)
			return -E2BIG;
		if (!*node) {
			if (walk->tree->nodes.count >= NODES_MAX)
				return -EBADMSG;
			if (!vec_push(&walk->tree->nodes))
				return -ENOMEM;
			*node = (uint32_t)walk->tree->nodes.count - 1;
		}
		queries->at[i].node = *node;
	}
	return 0;
}

/*
 * The current entry must be a function. If this function covers a query, creates a node for it and
 * sets *@ret_node to that node. Otherwise sets *@ret_node to 0.
 */
static int claim(struct walk *walk, uint32_t parent, uint32_t *ret_node)
{
	const struct dwarf_die *die = &walk->die;
	struct dwarf_ranges *ranges = &walk->tree->ranges;
	bool inlined = die->abbrev->tag == DW_TAG_inlined_subroutine;
	uint32_t node = 0;
	int rc = dwarf_die_ranges(walk->cu, die, ranges);

	for (size_t i = 0; rc == 0 && i < ranges->list.count; i++)
		rc = claim_range(walk, &ranges->list.at[i], &node);
	if (node)
		walk->tree->nodes.at[node] = (struct dwarf_node){
			.parent = inlined ? parent : 0,
			.inlined = inlined,
			.offset = die->offset,
			.call_file = die_number_or(die, SLOT_CALL_FILE, NO_FILE),
			.call_line = die_number_or(die, SLOT_CALL_LINE, 0),
		};
	*ret_node = node;
	return rc;
}

/*
 * Fills *@ret_inside, the level for the children of the current entry. If the entry is a function,
 * creates its node. Unless this is the second reading, marks the level as ignored if the children
 * are not expected to have code at a queried address.
 */
static int enter(struct walk *walk, const struct level *here, struct level *ret_inside)
{
	uint32_t node = 0;
	int rc = 0;

	*ret_inside = (struct level){ .node = here->node, .ignored = !walk->thorough };
	switch (walk->die.abbrev->tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		ret_inside->ignored = false;
		break;
	case DW_TAG_subprogram:
	case DW_TAG_entry_point:
	case DW_TAG_inlined_subroutine:
		rc = claim(walk, here->node, &node);
		ret_inside->node = node ? node : here->node;
		ret_inside->ignored = !node && !walk->thorough;
		break;
	default:
		break;
	}
	return rc;
}

/*
 * Skips the children of the current entry. Returns false if the entry does not say where its
 * children end.
 */
static bool skip_children(struct walk *walk)
{
	const struct dwarf_value *sibling = die_value(&walk->die, SLOT_SIBLING);
	uint64_t at = sibling ? sibling->number : 0;

	if (!sibling || sibling->form == DW_FORM_ref_addr || at <= walk->r.at ||
	    at > walk->r.size_bytes)
		return false;
	byte_reader_seek(&walk->r, at);
	return true;
}

static int descend(struct walk *walk, const struct level *inside)
{
	if (!walk->die.abbrev->has_children)
		return 0;
	if (inside->ignored && skip_children(walk))
		return 0;
	if (walk->depth + 1 == DWARF_DEPTH_MAX)
		return -EBADMSG;
	walk->levels[++walk->depth] = *inside;
	return 0;
}

static int walk_all(struct walk *walk)
{
	const struct dwarf_cu *cu = walk->cu;
	int rc;

	walk->r = dwarf_window_reader(cu->file, &cu->info);
	byte_reader_seek(&walk->r, cu->unit.header_bytes);
	walk->depth = 0;
	walk->levels[0] = (struct level){ 0 };
	do {
		struct level inside = { .ignored = true };
		const struct level *here = &walk->levels[walk->depth];

		if (byte_reader_left(&walk->r) == 0)
			return walk->depth ? -EBADMSG : 0;
		rc = dwarf_die_read(cu->file, &cu->unit, &cu->abbrevs, &walk->r, &walk->die);
		if (rc < 0)
			return rc;
		if (!walk->die.abbrev) {
			walk->depth -= walk->depth > 0;
			continue;
		}
		if (!here->ignored) {
			rc = enter(walk, here, &inside);
			if (rc < 0)
				return rc;
		}
		rc = descend(walk, &inside);
		if (rc < 0)
			return rc;
	} while (walk->depth > 0);
	return 0;
}

static bool all_claimed(const struct dwarf_queries *queries)
{
	for (size_t i = 0; i < queries->count; i++)
		if (!queries->at[i].node)
			return false;
	return true;
}

int dwarf_tree_read(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		    struct dwarf_tree *tree)
{
	struct walk walk = { .cu = cu, .queries = queries, .tree = tree };
	int rc;

	vec_clear(&tree->nodes);
	if (!vec_push(&tree->nodes))
		return -ENOMEM;
	rc = walk_all(&walk);
	if (rc < 0 || all_claimed(queries))
		return rc;
	walk.thorough = true;
	return walk_all(&walk);
}

void dwarf_tree_fini(struct dwarf_tree *tree)
{
	vec_free(&tree->nodes);
	vec_free(&tree->ranges.list);
}

int dwarf_tree_name(const struct dwarf_cu *cu, const struct dwarf_node *node,
		    char ret_text[static DWARF_TEXT_MAX])
{
	struct byte_reader r = dwarf_window_reader(cu->file, &cu->info);
	struct dwarf_die die;
	int rc;

	byte_reader_seek(&r, node->offset - cu->unit.offset);
	rc = dwarf_die_read(cu->file, &cu->unit, &cu->abbrevs, &r, &die);
	return rc < 0 ? rc : dwarf_die_name(cu, &die, ret_text);
}
