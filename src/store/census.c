/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/census.h"

#include <errno.h>

void census_fini(struct census *census)
{
	vec_free(&census->processes.at);
	vec_free(&census->threads.at);
	vec_free(&census->locations.at);
	*census = (struct census){ 0 };
}

static int grow(struct census_counts *counts, size_t wanted)
{
	while (counts->at.count < wanted)
		if (!vec_push(&counts->at))
			return -ENOMEM;
	return 0;
}

static void add(uint64_t *to, uint64_t count)
{
	*to += count < UINT64_MAX - *to ? count : UINT64_MAX - *to;
}

int census_add(struct census *census, const struct model *model, const struct sample_batch *batch)
{
	if (grow(&census->processes, model->processes.count) < 0 ||
	    grow(&census->threads, model->threads.count) < 0 ||
	    grow(&census->locations, model->locations.count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];
		uint64_t count = model_samples(model, sample);

		add(&census->processes.at.at[model->threads.at[sample->thread].process], count);
		add(&census->threads.at.at[sample->thread], count);
		add(&census->locations.at.at[leaf_location(model, sample->stack)], count);
		add(&census->sample_count, count);
	}
	return 0;
}
