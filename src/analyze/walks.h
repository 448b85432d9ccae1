/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walks.h - in which images the walks of user stacks were cut short, and what would help
 *
 * Of the whole run: the counts were made while recording (model/image_health.h), so neither a
 * filter nor the choice of an event changes them.
 */
#ifndef ASSAY_ANALYZE_WALKS_H
#define ASSAY_ANALYZE_WALKS_H

#include "base/vec.h"
#include "model/model.h"

struct walk_row {
	uint32_t image;
	uint64_t cut;			/* walks that stopped in it short of an end */
	enum walk_stop most;		/* why most of them did */
	struct image_health health;
};

struct walks {
	VEC(struct walk_row) rows;	/* images with any cut; most cut first */
	uint64_t walked, ended;		/* all walks, and those that reached an end */
};

/* 0 or -ENOMEM; walks_fini() after either. */
int walks_make(const struct model *model, struct walks *ret_walks);
void walks_fini(struct walks *walks);

/* What would let walks through @image; "" where nothing is known to. */
const char *walks_advice(const struct model *model, uint32_t image, enum walk_stop stop);

#endif
