/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_change.h - what happened to each node of a call tree since another recording
 *
 * A node is a path of functions, and so it is matched: by the names on it, in file names of
 * images, as diff.h matches rows; two nodes that are called the same are one.  Compared are shares
 * of the samples that have the path, whatever follows.  Tested are the nodes of at least a given
 * share in the last recording and INTERVAL_FEW samples on both sides together, and of those the
 * PATH_CHANGES_TESTED_MAX largest ones; Holm's correction is over all of them.  How:
 * significance.h.
 *
 * Cost: a pass over each recording, split by stack and by RATIO_BLOCKS blocks of time; for each
 * block one over what was read and one over all paths, however deep they are; and a number for
 * each block and tested node.
 */
#ifndef ASSAY_ANALYZE_PATH_CHANGE_H
#define ASSAY_ANALYZE_PATH_CHANGE_H

#include "analyze/call_tree.h"
#include "analyze/diff.h"

#define PATH_CHANGES_TESTED_MAX (1u << 14)

struct path_change {
	double before, after;	/* shares */
	double low, high;	/* 95 % interval of their difference, of a tested node */
	bool tested;		/* else there is too little of it, or there are too many larger */
	bool significant;
};

/*
 * @tree is from the top down, of the model of @sides[DIFF_AFTER] through the same filter.
 * *ret_changes is by node, and the caller frees it.  -ENODATA where the first recording has no
 * samples of the tree's event, with a message that leaves it to the caller to name the file;
 * -ENOMEM, or what reading returned.
 */
int path_changes_make(const struct diff_side sides[static DIFF_SIDES], const struct call_tree *tree,
		      double min_share, struct path_change **ret_changes, struct err *err);

#endif
