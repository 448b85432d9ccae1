/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - stacks as paths of functions
 *
 * A recording's stacks are told apart by address; most formats know functions only.  A path is a
 * node of a trie of functions, outermost at its root, and several stacks are one path.  What a
 * path is made of are the frames of call trees (analyze/call_frame.h), numbered from 0 in the order
 * of their first use, so that only those are written that some sample led to.
 *
 * With @inlined a location whose source lines are known is as many frames as functions were
 * inlined there, and with @by_line, too, a function is a frame for each of its lines.
 *
 * Cost: each stack is worked out once, from its parent's path.
 */
#ifndef ASSAY_EXPORT_PATHS_H
#define ASSAY_EXPORT_PATHS_H

#include "analyze/call_frame.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/model.h"

#define PATH_NONE 0		/* the root: a path without frames */

struct path_frame {
	uint64_t key;		/* call_frame.h, or one of paths_comm_frame() */
	uint32_t line;		/* a source line in it, for its file; 0: not known */
	uint32_t function;	/* number of the first frame with this key; itself but @by_line */
};

struct path {
	uint32_t parent;	/* smaller than its own number */
	uint32_t frame;		/* number of a path_frame */
};

struct paths {
	const struct model *model;		/* not owned */
	bool inlined, by_line;
	uint32_t *of_stack;			/* by stack id; 0: not known yet */
	VEC(struct path_frame) frames;
	VEC(struct path) nodes;			/* [0]: PATH_NONE */
	struct u64map function_index;		/* by key: a path_frame's @function */
	struct u64map place_index;		/* by file and number: the first line with these */
	struct u64map frame_index;		/* by function and such a line */
	struct u64map node_index;
	VEC(uint32_t) pending;
};

/* 0 or -ENOMEM; paths_fini() after either. */
int paths_init(struct paths *paths, const struct model *model, bool inlined, bool by_line);
void paths_fini(struct paths *paths);

/* The path of a stack of the model. 0 or -ENOMEM. */
int paths_of_stack(struct paths *paths, uint32_t stack, uint32_t *ret_path);

/* The frames of a path, innermost first. 0 or -ENOMEM. */
struct path_frames {
	VEC(uint32_t) list;
};
int paths_frames(const struct paths *paths, uint32_t path, struct path_frames *frames);

/* The number of a frame; @line counts the first time only, but @by_line. 0 or -ENOMEM. */
int paths_number_frame(struct paths *paths, uint64_t key, uint32_t line, uint32_t *ret_frame);

/* The frame that stands for all threads called @comm (a string of the model), as a root. */
int paths_comm_frame(struct paths *paths, uint32_t comm, uint32_t *ret_frame);

/* Its name, whole and unescaped: see call_frame_name(). */
const char *paths_name(const struct paths *paths, const struct profile *profile, uint32_t frame,
		       char scratch[static GROUP_IMAGE_NAME_MAX]);

/* The same as in the file's symbol table. */
const char *paths_linkage_name(const struct paths *paths, const struct profile *profile,
			       uint32_t frame, char scratch[static GROUP_IMAGE_NAME_MAX]);

/* The source file and the image, "" where not known, and the line in that file, 0 where not. */
const char *paths_file(const struct paths *paths, uint32_t frame);
uint32_t paths_line(const struct paths *paths, uint32_t frame);
const char *paths_image(const struct paths *paths, const struct profile *profile, uint32_t frame);

/*
 * The frames of one location, innermost first, each as a key of call_frame.h and a line: calls
 * @visit until it returns non-zero, which it returns.
 */
typedef int (*paths_frame_fn)(void *context, uint64_t key, uint32_t line);
int paths_each_frame(const struct model *model, uint32_t location, bool inlined,
		     paths_frame_fn visit, void *context);

#endif
