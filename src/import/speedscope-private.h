/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope-private.h - a speedscope file between its text and the model
 *
 * In the file, the names of frames, the unit of the weights and the name of the exporter may all
 * follow the samples. So the whole file is first kept in a compact form: 12 bytes per sample, and
 * 20 more while its profile is being read. Stacks are nodes of a tree of frame numbers. Weights are
 * converted to the unit of the model at the end of a profile. Rows of the model are made last
 * (speedscope_rows.c).
 *
 *	speedscope.c		the text: assigns each value its meaning
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

#define SPEEDSCOPE_FRAMES_MAX (1u << 21)	/* limits for one file */
#define SPEEDSCOPE_NODES_MAX (1u << 23)
#define SPEEDSCOPE_SAMPLES_MAX (1u << 24)
#define SPEEDSCOPE_PROFILES_MAX (1u << 16)
#define SPEEDSCOPE_DEPTH_MAX NAMED_FRAMES_MAX

/*
 * SPEEDSCOPE_NO_STACK replaces a node if no frame was open or the stack was malformed. Time passes,
 * but there is no sample.
 */
#define SPEEDSCOPE_NO_STACK UINT32_MAX
#define SPEEDSCOPE_NO_FRAME UINT32_MAX
#define SPEEDSCOPE_NO_AMOUNT (~(json_amount)0)

/* Texts are strings of the model; 0 if missing. */
struct speedscope_frame {
	uint32_t name, file;
	/* only in files of assay export: then "file" is a source file */
	uint32_t image;
	uint32_t line;
};

/* Nodes below STACK_ROOT_COUNT say how a stack ends, as in the model. */
struct speedscope_node {
	uint32_t parent;		/* always less than the node's own number */
	uint32_t frame;
};

enum speedscope_unit {
	SPEEDSCOPE_NUMBER,
	SPEEDSCOPE_BYTES,
	SPEEDSCOPE_TIME,
};

/* A complete profile. Its samples are a range of speedscope.stacks and .weights. */
struct speedscope_profile {
	uint32_t name;
	enum speedscope_unit unit;
	uint64_t start;			/* in ns, or in the profile's unit if that is not a time */
	size_t first, end;
};

enum speedscope_type { SPEEDSCOPE_TYPE_NONE, SPEEDSCOPE_SAMPLED, SPEEDSCOPE_EVENTED };

struct speedscope_event {
	char type;			/* 'O' (open) or 'C' (close); 0: neither */
	uint32_t frame;
	json_amount at;
};

/*
 * Stacks and weights of one kind of profile, sampled or evented. The two kinds are kept apart
 * because the profile's type may come after its values.
 */
struct speedscope_stretches {
	VEC(uint32_t) stacks;
	VEC(json_amount) weights;
	uint64_t stacks_seen, weights_seen;	/* including those beyond the limit */
};

/* The profile that is being read. */
struct speedscope_making {
	enum speedscope_type type;
	uint32_t name;
	enum speedscope_unit unit;
	uint32_t unit_ns;		/* nanoseconds per unit of time; else 1 */
	json_amount start;
	struct speedscope_stretches sampled, evented;
	VEC(uint32_t) frames;		/* of the current sample, outermost first */
	bool frames_cut, frames_bad;
	struct speedscope_event event;	/* current event */
	uint32_t open;			/* node of the open frames */
	/* number of open frames; number of deeper frames that are not kept */
	uint64_t open_count, open_beyond;
	json_amount first_at, last_at;	/* times of the first and last event; NO_AMOUNT: none yet */
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
	VEC(uint64_t) weights;		/* weights.at[i] belongs to stacks.at[i] */
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

/* Add a frame to the current sample, and end the current sample. */
int speedscope_sample_frame(struct speedscope *speedscope, uint32_t frame);
int speedscope_sample_end(struct speedscope *speedscope);
int speedscope_weight(struct speedscope *speedscope, json_amount weight);

/* Call when making.event is complete. */
int speedscope_event_end(struct speedscope *speedscope);

/* ---- speedscope_rows.c ---- */

/* Turns everything that was read into rows of the model. Returns 0 or what the flush returned. */
int speedscope_make_rows(struct speedscope *speedscope, struct err *err);

#endif
