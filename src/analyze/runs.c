/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/runs.h"

/* Sets the elements of the first process of each run. Their numbers are 1 until they are known. */
static void set_first_processes(const struct model *model, struct run *runs)
{
	uint32_t process;
	uint64_t value;

	for (size_t i = 0; i < model->facts.count; i++) {
		if (model_run_fact_at(model, i, FACT_RUN_END_NS, &process, &value)) {
			runs[process].number = 1;
			runs[process].end_ns = value;
		}
		if (model_run_fact_at(model, i, FACT_RUN_SELF_TGID, &process, &value))
			runs[process].self_tgid = value;
	}
}

struct run *runs_of_processes(const struct model *model)
{
	struct run *runs = calloc(model->processes.count, sizeof(*runs));
	struct run run = {
		.end_ns = model_fact_u64(model, FACT_END_NS),
		.self_tgid = model_fact_u64(model, FACT_SELF_TGID),
	};

	if (!runs)
		return NULL;
	set_first_processes(model, runs);
	for (size_t i = 0; i < model->processes.count; i++) {
		if (runs[i].number) {
			runs[i].number += run.number;
			run = runs[i];
		}
		runs[i] = run;
	}
	return runs;
}
