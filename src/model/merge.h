/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - adds all rows of one model to another: several recordings as one profile
 *
 * The runs are laid one after the other on one time axis, in the order in which they are added. The
 * axis begins at the start of the first run that has times. Each following run begins where the
 * previous one ends, so that durations, the CPU ledger and wall time add up, even if the recordings
 * come from different boots or machines.
 *
 * What is the same in two recordings:
 *   image	the rows that model_image_id() takes for equal: path and build-id
 *   function	image, address and name. Images of the kernel, of modules and of BPF programs can
 *		have different load addresses; their addresses are changed to those of the first
 *		recording. In images without a build-id, device and inode, as other profilers write
 *		them, image and name are enough
 *   location	image, address, function and line
 *   application, string, stack, source line: their content
 *   event	name. Period, frequency and unit must be equal, otherwise model_merge_add() refuses
 *		the recording, because such samples cannot be added
 * Processes and threads are never the same: a process of the second recording gets a new row, with
 * the next instance number of its application, even if both runs observed the same process.
 * Generated code belongs to a process, so it is not shared either.
 *
 * Losses, health, interrupt times and the ledger are added up. merge_facts.c says what becomes of
 * each fact. Two facts of each process (run_end_ns_, run_self_tgid_) tell the runs apart.
 *
 * The result does not depend on how the merging is divided into steps: a merged model can be merged
 * again. Merging one model alone changes no figure. Not thread-safe.
 */
#ifndef ASSAY_MODEL_MERGE_H
#define ASSAY_MODEL_MERGE_H

#include "base/err.h"
#include "model/model.h"

/* When a run began and ended, by its own clock. Both are 0 if the recording has no times. */
struct run_span {
	uint64_t start_ns, end_ns;
};

/* For each id of the model that was added: the id in the merged model. Id 0 is 0. */
struct model_map {
	uint32_t *images, *applications, *processes, *threads, *functions, *lines, *locations,
		*stacks;
	uint64_t *moved;	/* by image: added to each address in it, modulo 2^64 */
	size_t stack_count, thread_count;
	uint8_t events[256];
	VEC(uint8_t) counters;	/* column of each counter in the merged model */
	uint32_t counter_count;	/* number of counters of the merged model */
	uint64_t shift_ns;	/* added to each time, modulo 2^64 */
};

struct model_merge {
	struct model *into;		/* borrowed; must be empty at first */
	struct intern places;		/* content of a location -> its id */
	struct u64map named;		/* image and name -> function, of images without identity */
	uint64_t base_ns;		/* start of the time axis; 0: no run had times so far */
	uint64_t next_ns;		/* where the next run begins */
	uint64_t run_count;
};

/* @base_ns: the start of the first run that has times, or 0. */
void model_merge_init(struct model_merge *merge, struct model *into, uint64_t base_ns);
void model_merge_fini(struct model_merge *merge);

/*
 * Adds the events of @from to the merged model. Call this for all models before the first
 * model_merge_add(), because the merged model must have all events before samples are written.
 * Returns 0, -ENOMEM, -E2BIG if there are too many events, or -EINVAL if @from cannot be added; the
 * message names the event or the architecture.
 */
int model_merge_check(struct model_merge *merge, const struct model *from, struct err *err);

/*
 * Adds all rows of @from except events. Returns 0, or -ENOMEM. Call model_map_fini() in all cases.
 */
int model_merge_add(struct model_merge *merge, const struct model *from,
		    const struct run_span *span, struct model_map *ret_map);

/* Sets the facts that depend on all runs. Call this after the last model_merge_add(). */
void model_merge_end(struct model_merge *merge);

/*
 * Appends the samples of @from to @to, with the ids and times of the merged model. Returns 0 or
 * -ENOMEM.
 */
int model_map_samples(const struct model_map *map, const struct sample_batch *from,
		      struct sample_batch *to);
void model_map_fini(struct model_map *map);

#endif
