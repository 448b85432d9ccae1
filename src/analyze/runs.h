/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.h - the run to which each process of a recording belongs
 *
 * A recording has one run, unless assay merge made it. The processes of each run of a merged
 * recording are a contiguous range of ids.
 */
#ifndef ASSAY_ANALYZE_RUNS_H
#define ASSAY_ANALYZE_RUNS_H

#include "model/model.h"

struct run {
	uint32_t number;	/* from 0 */
	uint64_t end_ns;	/* 0: unknown */
	uint64_t self_tgid;	/* process id of the profiler; 0: unknown */
};

/*
 * Returns an array with one element for each process of @model, which the caller frees. Returns
 * NULL when out of memory.
 */
struct run *runs_of_processes(const struct model *model);

/* Returns the run of @process, an id that may be out of range. */
static inline const struct run *run_of_process(const struct run *runs, const struct model *model,
					       uint32_t process)
{
	return &runs[process < model->processes.count ? process : 0];
}

#endif
