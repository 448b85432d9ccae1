/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_change.h - how each node of a call tree changed since another recording
 *
 * A node is a path of functions. Paths of both recordings are matched by the names on the path
 * (with file names of images), like the rows of diff.h. Two nodes with the same names are treated
 * as one. The value of a node is the amount or the share of the samples whose stack begins with its
 * path: an amount per run if diff_default_per() says so, otherwise a share. A node is tested if it
 * has at least a given share of the second recording, and at least INTERVAL_FEW samples in both
 * recordings together. Only the PATH_CHANGES_TESTED_MAX largest nodes of the tree
 * can be tested. The p-values are corrected for the number of tested nodes (Holm). run_change.h
 * explains the test of amounts, and significance.h that of shares.
 *
 * Cost: one pass over each recording, in which samples are counted by stack and by block of time
 * (RATIO_BLOCKS blocks). Then, for each block, one pass over all hits and one pass over all paths;
 * the depth of the paths does not matter. Memory: one number for each block and tested node.
 */
#ifndef ASSAY_ANALYZE_PATH_CHANGE_H
#define ASSAY_ANALYZE_PATH_CHANGE_H

#include "analyze/call_tree.h"
#include "analyze/diff.h"

#define PATH_CHANGES_TESTED_MAX (1u << 14)

struct path_change {
	double before, after;	/* value of the node in each recording */
	enum diff_unit unit;	/* DIFF_SHARE, DIFF_SECONDS or DIFF_EVENTS */
	/* 95 % interval of the difference after - before; valid only if tested is true */
	double low, high;
	/*
	 * false: too few samples, too small a share, too many larger nodes, or no finite interval
	 */
	bool tested;
	bool significant;
};

/*
 * @tree must be a top-down call tree, made from the model of @sides[DIFF_AFTER] with the same
 * filter. *ret_changes has one element for each node; the caller frees it. Returns 0, -ENOMEM, or
 * the error of reading a recording. Returns -ENODATA if the first recording has no samples of the
 * tree's event. The message in @err then does not name the file, so the caller must add the name.
 */
int path_changes_make(const struct diff_side sides[static DIFF_SIDES], const struct call_tree *tree,
		      double min_share, struct path_change **ret_changes, struct err *err);

#endif
