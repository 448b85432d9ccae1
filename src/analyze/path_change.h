/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_change.h - how each node of a call tree changed since another recording
 *
 * A node is a path of functions. Paths of both recordings are matched by the names on the path
 * (with file names of images), like the rows of diff.h. Two nodes with the same names are treated
 * as one. The share of a node is the share of samples whose stack begins with its path. Nodes are
 * tested if they have at least a given share in the last recording and INTERVAL_FEW samples in both
 * recordings together. At most PATH_CHANGES_TESTED_MAX nodes are tested, the largest ones. Holm's
 * correction covers all tested nodes. significance.h explains the test.
 *
 * Cost: one pass over each recording, split by stack and by RATIO_BLOCKS blocks of time. For each
 * block, one pass over the hits and one over all paths, whatever their depth. Memory: one number
 * per block and tested node.
 */
#ifndef ASSAY_ANALYZE_PATH_CHANGE_H
#define ASSAY_ANALYZE_PATH_CHANGE_H

#include "analyze/call_tree.h"
#include "analyze/diff.h"

#define PATH_CHANGES_TESTED_MAX (1u << 14)

struct path_change {
	double before, after;	/* share of the node in each recording */
	double low, high;	/* 95 % interval of after - before; set only if tested */
	/* false: too few samples, too small a share, or too many larger nodes */
	bool tested;
	bool significant;
};

/*
 * @tree must be a top-down call tree, made from the model of @sides[DIFF_AFTER] with the same
 *	filter. *ret_changes is indexed by node; the caller frees it. Returns 0, -ENOMEM, or the
 *	error of reading a recording. Returns -ENODATA if the first recording has no samples of
 *	the tree's event; the message does not name the file, so the caller must add its name.
 */
int path_changes_make(const struct diff_side sides[static DIFF_SIDES], const struct call_tree *tree,
		      double min_share, struct path_change **ret_changes, struct err *err);

#endif
