/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_change.h - how each node of a call tree changed since another recording
 *
 * A node is a path of functions and is matched by the names on the path, with file names of images,
 * in the same way as diff.h matches rows. Two nodes with the same names are one. The shares
 * compared are those of samples whose stack begins with the path. A node is tested if it has at
 * least a given share in the last recording, has INTERVAL_FEW samples on both sides together, and
 * is one of the PATH_CHANGES_TESTED_MAX largest nodes. Holm's correction covers all tested nodes.
 * significance.h explains the test.
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
	double before, after;	/* shares */
	double low, high;	/* 95 % interval of the difference; only if tested */
	bool tested;		/* false: too few samples, or too many larger nodes */
	bool significant;
};

/*
 * The call tree @tree must be top-down, and made from the model of @sides[DIFF_AFTER] with the same
 * filter. *ret_changes is indexed by node; the caller frees it. Returns 0, -ENOMEM, or the error of
 * reading a recording. Returns -ENODATA if the first recording has no samples of the tree's event;
 * the message leaves it to the caller to name the file.
 */
int path_changes_make(const struct diff_side sides[static DIFF_SIDES], const struct call_tree *tree,
		      double min_share, struct path_change **ret_changes, struct err *err);

#endif
