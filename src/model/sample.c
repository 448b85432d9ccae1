/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/sample.h"

void sample_batch_clear(struct sample_batch *batch)
{
	vec_clear(&batch->samples);
	vec_clear(&batch->counters);
}

void sample_batch_fini(struct sample_batch *batch)
{
	vec_free(&batch->samples);
	vec_free(&batch->counters);
}
