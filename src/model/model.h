/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.h - the data types that all parts of the program share, and all tables of one recording
 *
 * All parts of the program share one struct model. capture/ fills it, symbolize/ names its
 * locations, and analyze/ only reads it. store/ writes the rows that were appended since the last
 * flush, and reads recordings back into a model.
 *
 * The id of a row is its 32-bit index in one of the arrays below. Entry [0] of each array is a
 * zeroed row that means "none". There are two exceptions: the first STACK_ROOT_COUNT entries of
 * `stacks` are the roots of location.h, and `events` has no entry for "none".
 *
 * Rows are only appended. Existing data does not change, except by model_release_rows(), by
 * model_forget_stacks(), and in location.function and line, application.instance_count, losses,
 * walk_health, ledger, interrupts, ticks, spans and facts. The model owns all its data. Not
 * thread-safe.
 */
#ifndef ASSAY_MODEL_MODEL_H
#define ASSAY_MODEL_MODEL_H

#include "base/intern.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "model/fact.h"
#include "model/image.h"
#include "model/image_health.h"
#include "model/interrupt.h"
#include "model/ledger.h"
#include "model/location.h"
#include "model/loss.h"
#include "model/process.h"
#include "model/sample.h"
#include "model/span.h"
#include "model/tick.h"

/* A named fact about the recording. docs/schema.md lists them. */
struct fact {
	uint32_t key;
	uint32_t value;		/* key and value are ids of strings */
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
	struct tick_counts ticks;
	struct span_totals spans;
	struct losses losses;
	/* number of samples that the whole recording holds; see kept_known */
	uint64_t kept_samples;
	bool kept_known;	/* false if no samples were lost: then nobody needs the number */
	struct walk_health walk_health;
	/* for recorders, see model_release_rows() */
	uint32_t release_count;		/* number of calls of model_release_rows() */
	uint32_t first_stack;		/* stacks with smaller ids can no longer be read */
	size_t place_bytes_max;		/* 0: no limit (model_limit_places()) */

	/*
	 * Maps the content of a row to its id. Only the model_*_id functions and
	 * model_index_loaded() add entries.
	 */
	struct intern image_index, application_index, location_index, function_index, family_index,
		line_index, stack_index;
	/* a cache in front of location_index, see model.c */
	struct recent_location *recent_locations;
};

int model_init(struct model *model);
void model_fini(struct model *model);

static inline const char *model_string(const struct model *model, uint32_t id)
{
	return strpool_get(&model->strings, id);
}

/* Returns how many samples @sample stands for (event_samples()). */
static inline uint64_t model_samples(const struct model *model, const struct sample *sample)
{
	return sample->event < model->events.count
		       ? event_samples(&model->events.at[sample->event], sample->weight)
		       : 1;
}

/* Interns a C string. When out of memory, returns 0 (the empty string) and counts LOSS_MEMORY. */
uint32_t model_intern(struct model *model, const char *text);

/*
 * Limits the memory of images, locations and strings. Once they take @bytes_max (0: no limit), the
 * functions below count LOSS_PLACE_BUDGET instead of adding more:
 *   model_image_id()	returns the image MODEL_NOT_KEPT
 *   model_location_id(), model_location_add()
 *			return the location at address 0 of the image, which stands for all its
 *			code; code of the kernel and its modules is still added
 *   model_keep_name()	returns 0; otherwise the same as model_intern(). For names that processes
 *			choose.
 */
#define MODEL_NOT_KEPT "[not kept]"

void model_limit_places(struct model *model, size_t bytes_max);
uint32_t model_keep_name(struct model *model, const char *text);

/*
 * The _id functions return the id of the row that equals the arguments. If there is no such row,
 * they append one. When out of memory, they count LOSS_MEMORY and return 0 (model_stack_id():
 * STACK_ROOT_NONE). The _find functions add nothing and return 0 if there is no equal row. Two rows
 * are equal if these fields are equal:
 *   image	kind, path, process and build-id; without a build-id: dev, inode and mtime instead
 *   application name
 *   location	image and vaddr
 *   function	image, vaddr and name
 *   line	all fields
 *   stack	parent and location
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
 * Adds the loaded locations, functions and lines to the indices that the functions above use. Call
 * this before looking up locations in a loaded model. recording_load() does not index locations,
 * because most readers never look them up by content. Returns 0 or -ENOMEM.
 */
int model_index_loaded(struct model *model);

/*
 * These functions append a row without looking for an equal one. They return 0 when out of memory.
 */
uint32_t model_process_add(struct model *model, const struct process *process);
uint32_t model_thread_add(struct model *model, const struct thread *thread);
uint32_t model_mapping_add(struct model *model, const struct mapping *mapping);

/*
 * Both functions give memory back, for a recorder that has written the rows. Ids stay valid, but
 * the rows can no longer be read.
 *
 * model_release_rows() releases all processes, threads and mappings. The tracker writes the rows of
 * a process and a thread again when they are next sampled.
 *
 * model_forget_stacks() releases all stacks. Stacks added from now on never have them as parents:
 * an equal stack gets a new id. So nobody may keep the id of a stack as a parent, or in a cache;
 * intake_forget_stacks() sees to that.
 */
void model_release_rows(struct model *model);
void model_forget_stacks(struct model *model);

/* Returns about how many bytes the stacks take that were added since model_forget_stacks(). */
size_t model_stack_bytes(const struct model *model);

/*
 * Adds a second location with the same image and address as @like. A second location is needed if
 * the code at that address was replaced (symbolize/jit.h). model_location_id() continues to return
 * the first location. Returns 0 when out of memory.
 */
uint32_t model_location_add(struct model *model, uint32_t like);

/*
 * Returns how the walk that recorded @stack ended. Sets *@ret_outermost to the outermost node of
 * @stack, or to 0 if @stack has no nodes.
 */
enum stack_root model_stack_root(const struct model *model, uint32_t stack,
				 uint32_t *ret_outermost);

#endif
