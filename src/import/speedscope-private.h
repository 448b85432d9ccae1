/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope-private.h - a speedscope file between its text and the model
 *
 * What a frame is called, which unit weights have and who wrote the file may all stand behind the
 * samples.  So the whole file is kept in numbers of its own, twelve bytes a sample and twenty more
 * while its profile is read: stacks are nodes of a tree over numbers of frames, weights are in the
 * unit of the model once a profile is over.  Only then rows of the model are made
 * (speedscope_rows.c).
 *
 *	speedscope.c		the text: which value stands where
 *	speedscope_profile.c	one profile: samples with weights, or frames opened and closed
 *	speedscope_rows.c	frames, stacks, threads, events and samples of the model
 */
#ifndef ASSAY_IMPORT_SPEEDSCOPE_PRIVATE_H
#define ASSAY_IMPORT_SPEEDSCOPE_PRIVATE_H

#include "base/u64map.h"
#include "base/vec.h"
#include "import/import-private.h"
#include "import/json_source.h"
#include "import/named.h"

#define SPEEDSCOPE_FRAMES_MAX (1u << 21)	/* of the file */
#define SPEEDSCOPE_NODES_MAX (1u << 23)
#define SPEEDSCOPE_SAMPLES_MAX (1u << 24)
#define SPEEDSCOPE_PROFILES_MAX (1u << 16)
#define SPEEDSCOPE_DEPTH_MAX NAMED_FRAMES_MAX

/* In place of a node: nothing was open, or what stood there was none. No sample, but time. */
#define SPEEDSCOPE_NO_STACK UINT32_MAX
#define SPEEDSCOPE_NO_FRAME UINT32_MAX
#define SPEEDSCOPE_NO_AMOUNT (~(json_amount)0)

/* Texts are strings of the model, 0 where there are none. */
struct speedscope_frame {
	uint32_t name, file;
	uint32_t image;			/* in files of our own: where "file" is a source file */
	uint32_t line;
};

/* A node below STACK_ROOT_COUNT says how a stack ends, as in the model. */
struct speedscope_node {
	uint32_t parent;		/* smaller than its own number */
	uint32_t frame;
};

enum speedscope_unit {
	SPEEDSCOPE_NUMBER,
	SPEEDSCOPE_BYTES,
	SPEEDSCOPE_TIME,
};

/* One that is over: its samples are a range of speedscope.stacks and .weights. */
struct speedscope_profile {
	uint32_t name;
	enum speedscope_unit unit;
	uint64_t start;			/* ns, or in its unit */
	size_t first, end;
};

enum speedscope_type { SPEEDSCOPE_TYPE_NONE, SPEEDSCOPE_SAMPLED, SPEEDSCOPE_EVENTED };

struct speedscope_event {
	char type;			/* 'O', 'C'; 0: none of them */
	uint32_t frame;
	json_amount at;
};

/* What came first decides what weights belong to: of one kind or the other. */
struct speedscope_stretches {
	VEC(uint32_t) stacks;
	VEC(json_amount) weights;
	uint64_t stacks_seen, weights_seen;	/* also beyond what is kept */
};

/* The one at hand. */
struct speedscope_making {
	enum speedscope_type type;
	uint32_t name;
	enum speedscope_unit unit;
	uint32_t unit_ns;		/* of a unit of time; else 1 */
	json_amount start;
	struct speedscope_stretches sampled, evented;
	VEC(uint32_t) frames;		/* of the sample at hand, outermost first */
	bool frames_cut, frames_bad;
	struct speedscope_event event;	/* at hand */
	uint32_t open;			/* node of the frames that are open, */
	uint64_t open_count, open_beyond;	/* how many, and deeper ones that are not kept */
	json_amount first_at, last_at;	/* of events; NO_AMOUNT: none yet */
};

struct speedscope {
	struct named named;
	bool is_ours;			/* written by assay export */
	uint32_t name, exporter;
	bool has_profiles;
	VEC(struct speedscope_frame) frames;
	VEC(struct speedscope_node) nodes;
	struct u64map children;		/* parent and frame -> node */
	VEC(struct speedscope_profile) profiles;
	VEC(uint32_t) stacks;
	VEC(uint64_t) weights;		/* in step with stacks */
	uint64_t total_weight;		/* at most INT64_MAX */
	struct speedscope_making making;
};

static inline struct losses *speedscope_losses(const struct speedscope *speedscope)
{
	return &speedscope->named.import->model->losses;
}

/* ---- speedscope_profile.c: each 0 or -ENOMEM ---- */

int speedscope_profile_begin(struct speedscope *speedscope);
int speedscope_profile_end(struct speedscope *speedscope);

/* A frame of the sample at hand, and its end. */
int speedscope_sample_frame(struct speedscope *speedscope, uint32_t frame);
int speedscope_sample_end(struct speedscope *speedscope);
int speedscope_weight(struct speedscope *speedscope, json_amount weight);

/* making.event is complete. */
int speedscope_event_end(struct speedscope *speedscope);

/* ---- speedscope_rows.c ---- */

/* Everything that was read, into the model. 0 or what the flush returned. */
int speedscope_make_rows(struct speedscope *speedscope, struct err *err);

#endif
