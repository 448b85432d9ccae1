/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/tick.h"

#include "base/hash.h"
#include "model/model.h"

static struct tick_count *add_row(struct tick_counts *counts, uint64_t key)
{
	if (u64map_put(&counts->index, key, (uint32_t)counts->rows.count) < 0)
		return NULL;
	return vec_push(&counts->rows);
}

void model_tick_set(struct model *model, uint32_t event, uint32_t cpu, const char *outcome,
		    uint64_t count)
{
	struct tick_counts *counts = &model->ticks;
	uint32_t name = model_intern(model, outcome), index;
	uint64_t key = hash_pair((uint64_t)event << 32 | cpu, name);
	struct tick_count *row;

	if (u64map_get(&counts->index, key, &index)) {
		counts->rows.at[index].count = count;
		return;
	}
	if (count == 0)
		return;
	row = add_row(counts, key);
	if (row)
		*row = (struct tick_count){ event, cpu, name, count };
	else
		loss_add(&model->losses, LOSS_MEMORY, 1);
}

void tick_counts_fini(struct tick_counts *counts)
{
	u64map_fini(&counts->index);
	vec_free(&counts->rows);
}
