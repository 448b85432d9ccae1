/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_place.h - makes the places of wait_chain.h from stacks */
#ifndef ASSAY_ANALYZE_WAIT_PLACE_H
#define ASSAY_ANALYZE_WAIT_PLACE_H

#include "analyze/wait_chain.h"

/* A stack, and whose stack it is. */
struct wait_stack {
	uint32_t thread, stack;
	enum context context;
	bool is_waker;
};

struct wait_places {
	const struct model *model;
	struct wait_chains *chains;	/* to which places are added */
	struct intern index;		/* of chains->places, by content */
	struct u64map known;		/* from a stack to its place */
};

void wait_places_fini(struct wait_places *places);

/* Returns 0 or -ENOMEM. */
int wait_place_of(struct wait_places *places, const struct wait_stack *stack, uint32_t *ret_place);

#endif
