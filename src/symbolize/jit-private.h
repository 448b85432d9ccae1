/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-private.h - what the files of jit.h share
 *
 *	jit.c		whom to watch, and for how long
 *	jit_settle.c	samples -> places of spots, and the stacks that follow from them
 *	jit_names.c	places -> functions, lines and code
 */
#ifndef ASSAY_SYMBOLIZE_JIT_PRIVATE_H
#define ASSAY_SYMBOLIZE_JIT_PRIVATE_H

#include "symbolize/jit.h"
#include "symbolize/jit_dump.h"
#include "symbolize/jit_history.h"
#include "symbolize/jit_map.h"

/* An image of the model that is or was watched. */
struct jit_image {
	uint32_t image;
	bool is_closed;		/* named, or never watched */
	bool ended;		/* its process is gone, */
	bool was_replaced;	/* or runs another program, whose perf map this is by now */
	bool has_dump;		/* once had one, accepted */
	bool map_refused;	/* when last looked for */
	uint32_t quiet;		/* flushes without a sample since it ended */
	uint64_t told_lost_ns;	/* of history, when it was named last while more may come */
	struct jit_map map;
	struct jit_dump dump;
	struct jit_history history;
};

/* The spot of a location. */
struct jit_ref {
	uint32_t owner;		/* index in jit.images plus 1; 0: is none */
	uint32_t spot;
};

struct jit {
	struct model *model;
	struct jit_options options;
	struct jit_budget budget;
	VEC(struct jit_image) images;
	struct u64map by_image;		/* of the model -> index in images plus 1 */
	size_t watched, watched_max;
	VEC(struct jit_seen_dump) pending;
	VEC(struct jit_ref) of_location;
	VEC(uint8_t) is_generated;	/* of each stack: is a frame of it? */
	VEC(uint32_t) path;		/* of one stack, innermost first: nodes, */
	VEC(uint32_t) locations;	/* and what their locations are now */
	uint64_t next_look_ns;
	size_t seen_images, seen_processes;
	size_t place_count, node_count;	/* made because code changed */
	VEC(struct code) codes;
	size_t code_bytes;
};

/* Puts all samples to their places. jit_settle.c */
void jit_settle_samples(struct jit *jit, struct sample_batch *batch);

/* Spots for the locations that are new. */
void jit_settle_locations(struct jit *jit);

/* Names its locations. jit_names.c */
void jit_name_image(struct jit *jit, struct jit_image *image);

/* The same as far as is known now, without lines and code. */
void jit_name_image_now(struct jit *jit, struct jit_image *image);

#endif
