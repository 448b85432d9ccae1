/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-private.h - declarations shared by the files that implement jit.h
 *
 * A spot is a sampled address in generated code. Different functions can occupy that address one
 * after another. A spot has one place for each period in which the same function occupied the
 * address (jit_history.h).
 *
 *	jit.c		decides which processes to watch, and for how long
 *	jit_settle.c	assigns samples to places, and builds the resulting stacks
 *	jit_names.c	finds the function, lines and code of each place
 */
#ifndef ASSAY_SYMBOLIZE_JIT_PRIVATE_H
#define ASSAY_SYMBOLIZE_JIT_PRIVATE_H

#include "symbolize/jit.h"
#include "symbolize/jit_dump.h"
#include "symbolize/jit_history.h"
#include "symbolize/jit_map.h"

/* A watched image of the model, and its process. */
struct jit_image {
	uint32_t image;
	struct process process;	/* a copy, because the model may release the row */
	/* the locations have their final names; the element is used again for another image */
	bool is_closed;
	bool ended;		/* the process has exited or runs another program */
	/*
	 * do not read the perf map any more: reading failed, or the process runs another program,
	 * which may own the map
	 */
	bool was_replaced;
	bool has_dump;		/* a jitdump was found and accepted */
	bool map_refused;	/* the perf map was refused at the last attempt */
	/* number of successive flushes without a sample in the image, since the process ended */
	uint32_t quiet;
	/* value of history.lost_ns at the last call of jit_name_image_now() */
	uint64_t told_lost_ns;
	struct jit_map map;
	struct jit_dump dump;
	struct jit_history history;
};

/* For a location: the watched image and the spot to which it belongs. */
struct jit_ref {
	/*
	 * index in jit.images plus 1; 0 if the location has no spot. When the watch has ended, the
	 * element may be that of another image.
	 */
	uint32_t owner;
	uint32_t spot;
};

struct jit {
	struct model *model;
	struct jit_options options;
	struct jit_budget budget;
	VEC(struct jit_image) images;	/* at most watched_max */
	size_t watched, watched_max;
	VEC(struct jit_seen_dump) pending;
	VEC(struct jit_ref) of_location;
	VEC(uint8_t) is_generated;	/* per stack: whether any of its frames is generated code */
	uint32_t first_stack;		/* the model's, when the stacks were last looked at */
	VEC(uint32_t) path;		/* scratch: the nodes of one stack, innermost first */
	VEC(uint32_t) locations;	/* scratch: the new location of each node in path */
	uint64_t next_look_ns;
	size_t seen_images, seen_processes;
	size_t place_count, node_count;	/* number of places and nodes added because code changed */
	VEC(struct code) codes;
	size_t code_bytes;
};

/*
 * Finds the place of each frame of each sample in @batch. If the locations of these places differ
 * from those of the sample's stack, gives the sample another stack. Defined in jit_settle.c.
 */
void jit_settle_samples(struct jit *jit, struct sample_batch *batch);

/* Creates spots for the locations that were added since the last call. */
void jit_settle_locations(struct jit *jit);

/* Gives the locations of @image their final names. Defined in jit_names.c. */
void jit_name_image(struct jit *jit, struct jit_image *image);

/*
 * Gives the locations of @image provisional names from the claims read so far. Does not add lines
 * and code.
 */
void jit_name_image_now(struct jit *jit, struct jit_image *image);

#endif
