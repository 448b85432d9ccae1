/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope-private.h - a speedscope file, after its text was parsed and before it is in the model
 *
 * In the file, the names of frames, the unit of the weights and the name of the exporter may all
 * follow the samples. So the whole file is first kept in a compact form: 12 bytes per sample, and
 * 20 more while the profile that contains the sample is being read. Stacks are stored as a tree,
 * whose nodes contain frame numbers. At the end of a profile, its weights are converted to the unit
 * of the model. The model is filled last (speedscope_rows.c).
 *
 *	speedscope.c		parses the text and recognizes the meaning of each value
 *	speedscope_profile.c	one profile: samples with weights, or frames opened and closed
 *	speedscope_rows.c	adds frames, stacks, threads, events and samples to the model
 */
#ifndef ASSAY_IMPORT_SPEEDSCOPE_PRIVATE_H
#define ASSAY_IMPORT_SPEEDSCOPE_PRIVATE_H

#include "base/u64map.h"
#include "base/vec.h"
#include "import/import-private.h"
#include "import/json_source.h"
#include "import/named.h"

#define SPEEDSCOPE_FRAMES_MAX (1u << 21)	/* limits for one file */
#define SPEEDSCOPE_NODES_MAX (1u << 23)
#define SPEEDSCOPE_SAMPLES_MAX (1u << 24)
#define SPEEDSCOPE_PROFILES_MAX (1u << 16)
#define SPEEDSCOPE_DEPTH_MAX NAMED_FRAMES_MAX

/*
 * Stored instead of a node number if no frame was open or the stack was malformed. The weight of
 * such an entry advances the time, but no sample is added.
 */
#define SPEEDSCOPE_NO_STACK UINT32_MAX
#define SPEEDSCOPE_NO_FRAME UINT32_MAX
#define SPEEDSCOPE_NO_AMOUNT (~(json_amount)0)

/* Texts are ids of strings in the model; 0 if missing. */
struct speedscope_frame {
	uint32_t name, file;
	/* Set only in files of assay export that name a source file as the frame's "file". */
	uint32_t image;
	uint32_t line;
};

/*
 * A node of the stack tree. Node numbers below STACK_ROOT_COUNT are not frames: each is a value of
 * enum stack_root and encodes how a stack ends, as in the model.
 */
struct speedscope_node {
	uint32_t parent;		/* always less than the node's own number */
	uint32_t frame;
};

enum speedscope_unit {
	SPEEDSCOPE_NUMBER,
	SPEEDSCOPE_BYTES,
	SPEEDSCOPE_TIME,
};

/*
 * A profile that was read completely. Its samples are the range [first, end) of speedscope.stacks
 * and speedscope.weights.
 */
struct speedscope_profile {
	uint32_t name;
	enum speedscope_unit unit;
	/* in ns if the profile's unit is a unit of time, otherwise in that unit */
	uint64_t start;
	size_t first, end;
};

enum speedscope_type { SPEEDSCOPE_TYPE_NONE, SPEEDSCOPE_SAMPLED, SPEEDSCOPE_EVENTED };

struct speedscope_event {
	/* 'O' (opens a frame) or 'C' (closes a frame); 0: invalid */
	char type;
	uint32_t frame;
	json_amount at;
};

/*
 * The stacks of a profile, and the weight of each. A profile is either of type "sampled" or
 * "evented". Its values may precede its type in the file, so the values for each type are collected
 * separately.
 */
struct speedscope_stretches {
	VEC(uint32_t) stacks;
	VEC(json_amount) weights;
	/* number of values in the file, including values that exceed the limit and are not kept */
	uint64_t stacks_seen, weights_seen;
};

/* The profile that is being read. */
struct speedscope_making {
	enum speedscope_type type;
	uint32_t name;
	enum speedscope_unit unit;
	/* nanoseconds per unit if the unit is a unit of time, otherwise 1 */
	uint32_t unit_ns;
	json_amount start;
	struct speedscope_stretches sampled, evented;
	VEC(uint32_t) frames;		/* frames of the current sample, outermost first */
	bool frames_cut, frames_bad;
	struct speedscope_event event;	/* current event */
	uint32_t open;			/* tree node of the innermost open frame */
	/* number of open frames in the tree; number of open frames beyond the depth limit */
	uint64_t open_count, open_beyond;
	json_amount first_at, last_at;	/* first and last event's timestamps; NO_AMOUNT: none yet */
};

struct speedscope {
	struct named named;
	bool is_ours;			/* the file was written by assay export */
	uint32_t name, exporter;
	bool has_profiles;
	VEC(struct speedscope_frame) frames;
	VEC(struct speedscope_node) nodes;
	struct u64map children;		/* parent node and frame -> node */
	VEC(struct speedscope_profile) profiles;
	VEC(uint32_t) stacks;
	VEC(uint64_t) weights;		/* weights.at[i] is the weight of stacks.at[i] */
	uint64_t total_weight;		/* at most INT64_MAX */
	struct speedscope_making making;
};

static inline struct losses *speedscope_losses(const struct speedscope *speedscope)
{
	return &speedscope->named.import->model->losses;
}

/* ---- speedscope_profile.c: all functions return 0 or -ENOMEM ---- */

int speedscope_profile_begin(struct speedscope *speedscope);
int speedscope_profile_end(struct speedscope *speedscope);

/*
 * speedscope_sample_frame() adds a frame to the current sample. speedscope_sample_end() ends the
 * sample. speedscope_weight() appends one weight; weights belong to samples in the order of the
 * file.
 */
int speedscope_sample_frame(struct speedscope *speedscope, uint32_t frame);
int speedscope_sample_end(struct speedscope *speedscope);
int speedscope_weight(struct speedscope *speedscope, json_amount weight);

/* Call this when all fields of making.event have been read. */
int speedscope_event_end(struct speedscope *speedscope);

/* ---- speedscope_rows.c ---- */

/* Adds the file's contents to the model. Returns 0 or the error that import_flush_fn returned. */
int speedscope_make_rows(struct speedscope *speedscope, struct err *err);

#endif
