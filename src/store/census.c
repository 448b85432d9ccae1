/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/census.h"

#include <errno.h>

void census_fini(struct census *census)
{
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

int census_add(struct census *census, const struct model *model, const struct sample_batch *batch)
{
	if (grow(&census->threads, model->threads.count) < 0 ||
	    grow(&census->locations, model->locations.count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];
		uint64_t count = model_samples(model, sample);

		census_sum(&census->threads.at.at[sample->thread], count);
		census_sum(&census->locations.at.at[leaf_location(model, sample->stack)], count);
		census_sum(&census->sample_count, count);
	}
	return 0;
}
