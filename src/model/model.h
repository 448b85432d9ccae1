/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.h - the vocabulary of the whole program, and the dictionaries of one recording
 *
 * One struct model stands between the rooms: capture fills it, symbolize names its locations,
 * store writes what was appended since the last flush and reads it back, analyze only reads.
 * Everything is referred to by 32-bit ids, which are indices into the arrays below; [0] of each
 * array is a zeroed "none", except in `stacks`, whose first STACK_ROOT_COUNT entries are the
 * roots of location.h, and `events`, which begins at 0.
 *
 * Rows are only appended; what was appended stays as it is, but for location.function and line,
 * application.instance_count, losses, walk_health, ledger, interrupts and facts.  The model owns
 * all it holds.
 * Not thread-safe.
 */
#ifndef ASSAY_MODEL_MODEL_H
#define ASSAY_MODEL_MODEL_H

#include "base/intern.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "model/image.h"
#include "model/image_health.h"
#include "model/interrupt.h"
#include "model/ledger.h"
#include "model/location.h"
#include "model/loss.h"
#include "model/process.h"
#include "model/sample.h"

/* A named fact about the recording: see docs/schema.md for the list. */
struct fact {
	uint32_t key;
	uint32_t value;		/* strings */
};

struct model {
	struct strpool strings;
	VEC(struct image) images;
	VEC(struct mapping) mappings;
	VEC(struct application) applications;
	VEC(struct process) processes;
	VEC(struct thread) threads;
	VEC(struct location) locations;
	VEC(struct function) functions;
	VEC(struct source_line) lines;
	VEC(struct stack_node) stacks;
	VEC(struct event) events;
	VEC(struct fact) facts;
	struct ledger ledger;
	struct interrupts interrupts;
	struct losses losses;
	struct walk_health walk_health;

	/* content -> id; filled by the model_*_id functions only */
	struct intern image_index, application_index, location_index, function_index, line_index,
		stack_index;
	struct recent_location *recent_locations;	/* before location_index, see model.c */
};

int model_init(struct model *model);
void model_fini(struct model *model);

static inline const char *model_string(const struct model *model, uint32_t id)
{
	return strpool_get(&model->strings, id);
}

/* Interning a C string; 0 (the empty string) and a counted LOSS_MEMORY when out of memory. */
uint32_t model_intern(struct model *model, const char *text);

/*
 * The id of what equals the argument, appended if new; 0 when out of memory (counted in
 * LOSS_MEMORY).  Equality:
 *   image	kind, path, process and build-id; without build-id dev, inode, mtime instead
 *   application name
 *   location	image and vaddr
 *   function	image, vaddr and name
 *   line	everything
 *   stack	parent and location; out of memory: STACK_ROOT_NONE
 * A find function adds nothing: 0 where there is none.
 */
uint32_t model_image_id(struct model *model, const struct image *image);
uint32_t model_application_id(struct model *model, uint32_t name);
uint32_t model_location_find(const struct model *model, uint32_t image, uint64_t vaddr);
uint32_t model_location_id(struct model *model, uint32_t image, uint64_t vaddr);
uint32_t model_function_find(const struct model *model, const struct function *function);
uint32_t model_function_id(struct model *model, const struct function *function);
uint32_t model_line_find(const struct model *model, const struct source_line *line);
uint32_t model_line_id(struct model *model, const struct source_line *line);
uint32_t model_stack_find(const struct model *model, uint32_t parent, uint32_t location);
uint32_t model_stack_id(struct model *model, uint32_t parent, uint32_t location);

/*
 * Lets the functions above find locations, functions and lines that recording_load() appended,
 * which enters none: most readers never ask. 0 or -ENOMEM.
 */
int model_index_loaded(struct model *model);

/* Appended without asking whether an equal one exists; 0 when out of memory. */
uint32_t model_process_add(struct model *model, const struct process *process);
uint32_t model_thread_add(struct model *model, const struct thread *thread);
uint32_t model_mapping_add(struct model *model, const struct mapping *mapping);

/*
 * Another location with the image and address of @like, where other code came to stand there
 * (symbolize/jit.h); model_location_id() goes on to mean the first. 0 when out of memory.
 */
uint32_t model_location_add(struct model *model, uint32_t like);

/* How the walk behind @stack ended, and its outermost node (0 when it has no nodes). */
enum stack_root model_stack_root(const struct model *model, uint32_t stack,
				 uint32_t *ret_outermost);

/* Facts: the last value of a key wins; NULL when it is not there. */
void model_fact_set(struct model *model, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
const char *model_fact(const struct model *model, const char *key);
uint64_t model_fact_u64(const struct model *model, const char *key);	/* 0 when not there */

#endif
