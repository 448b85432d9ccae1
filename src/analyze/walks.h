/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walks.h - in which images walks of user stacks were cut short, and what would help
 *
 * The figures are about the whole run. They were counted while recording (model/image_health.h), so
 * neither a filter nor the choice of an event changes them.
 */
#ifndef ASSAY_ANALYZE_WALKS_H
#define ASSAY_ANALYZE_WALKS_H

#include "base/vec.h"
#include "model/model.h"

struct walk_row {
	uint32_t image;
	/* walks that stopped in this image before they reached an end */
	uint64_t cut;
	enum walk_stop most;		/* the most frequent reason */
	struct image_health health;
};

struct walks {
	VEC(struct walk_row) rows;	/* images in which walks were cut; most cuts first */
	/* number of walks, and number of walks that reached an end */
	uint64_t walked, ended;
};

/* Returns 0 or -ENOMEM. Call walks_fini() in both cases. */
int walks_make(const struct model *model, struct walks *ret_walks);
void walks_fini(struct walks *walks);

/* Returns advice on how to let walks get through @image, or "" if there is none. */
const char *walks_advice(const struct model *model, uint32_t image, enum walk_stop stop);

#endif
