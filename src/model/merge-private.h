/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge-private.h - shared by merge.c, merge_facts.c and merge_sums.c */
#ifndef ASSAY_MODEL_MERGE_PRIVATE_H
#define ASSAY_MODEL_MERGE_PRIVATE_H

#include "model/merge.h"

/* Returns @ns on the merged time axis. 0 stays 0; a time before the axis begins becomes 1. */
uint64_t merge_time(const struct model_map *map, uint64_t ns);

/* Adds losses, health, ledger and interrupt times. Returns 0 or -ENOMEM. */
int merge_sums(struct model *into, const struct model *from, const struct model_map *map);

/*
 * Merges the facts of @from. @first_process is the id that the first process of @from has in the
 * merged model.
 */
void merge_facts(struct model_merge *merge, const struct model *from, const struct model_map *map,
		 uint32_t first_process);

#endif
