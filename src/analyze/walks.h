/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walks.h - in which images the walks of user stacks stopped too early, and how to prevent it
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
	/* number of walks that stopped in this image although the stack continued */
	uint64_t cut;
	enum walk_stop most;		/* most frequent reason why walks stopped in this image */
	struct image_health health;
};

struct walks {
	/* images in which walks stopped early, most such walks first */
	VEC(struct walk_row) rows;
	/* number of all walks, and number of walks that reached the end of the stack */
	uint64_t walked, ended;
};

/* Returns 0 or -ENOMEM. Call walks_fini() in both cases. */
int walks_make(const struct model *model, struct walks *ret_walks);
void walks_fini(struct walks *walks);

/* Returns advice on how to make walks in @image succeed, or "" if there is none. */
const char *walks_advice(const struct model *model, uint32_t image, enum walk_stop stop);

#endif
