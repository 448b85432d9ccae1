/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - stacks as paths of functions
 *
 * The stacks of a recording differ by address, but most formats know only functions. A path is a
 * node in a trie of functions, with the outermost function next to the root. Several stacks can
 * share one path. The frames of a path are those of call trees (analyze/call_frame.h). They are
 * numbered from 0 in the order of their first use, so that only frames that some sample refers to
 * are written.
 *
 * With @inlined, a location whose source lines are known becomes one frame for each function
 * inlined there. If @by_line is set too, each line of a function is a frame of its own.
 *
 * Cost: each stack is converted once, starting from its parent's path.
 */
#ifndef ASSAY_EXPORT_PATHS_H
#define ASSAY_EXPORT_PATHS_H

#include "analyze/call_frame.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/model.h"

#define PATH_NONE 0		/* the root: a path without frames */

struct path_frame {
	uint64_t key;		/* key of call_frame.h, or of paths_comm_frame() */
	/* source line in the function, which also gives its file; 0: unknown */
	uint32_t line;
	/* Number of the first frame with this key. Without @by_line that is the frame itself. */
	uint32_t function;
};

struct path {
	uint32_t parent;	/* number of the parent path; always smaller than its own */
	uint32_t frame;		/* number of a path_frame */
};

struct paths {
	const struct model *model;		/* borrowed */
	bool inlined, by_line;
	uint32_t *of_stack;			/* path by stack id; 0: not known yet */
	VEC(struct path_frame) frames;
	VEC(struct path) nodes;			/* [0] is PATH_NONE */
	struct u64map function_index;		/* from key to path_frame.function */
	/* from file and line number to the first such line of the model */
	struct u64map place_index;
	struct u64map frame_index;		/* from function and that line to the frame */
	struct u64map node_index;
	VEC(uint32_t) pending;
};

/* Returns 0 or -ENOMEM; paths_fini() is needed in both cases. */
int paths_init(struct paths *paths, const struct model *model, bool inlined, bool by_line);
void paths_fini(struct paths *paths);

/* Stores the path of a stack of the model in *ret_path. Returns 0 or -ENOMEM. */
int paths_of_stack(struct paths *paths, uint32_t stack, uint32_t *ret_path);

/* The frames of a path, innermost first. paths_frames() returns 0 or -ENOMEM. */
struct path_frames {
	VEC(uint32_t) list;
};
int paths_frames(const struct paths *paths, uint32_t path, struct path_frames *frames);

/*
 * Stores the number of a frame in *ret_frame. Without @by_line, @line is used only when the frame
 * is new. Returns 0 or -ENOMEM.
 */
int paths_number_frame(struct paths *paths, uint64_t key, uint32_t line, uint32_t *ret_frame);

/*
 * Stores in *ret_frame a root frame that represents all threads called @comm (a string id of the
 * model).
 */
int paths_comm_frame(struct paths *paths, uint32_t comm, uint32_t *ret_frame);

/* Returns the complete, unescaped name of a frame: see call_frame_name(). */
const char *paths_name(const struct paths *paths, const struct profile *profile, uint32_t frame,
		       char scratch[static GROUP_IMAGE_NAME_MAX]);

/* Returns the name as in the symbol table of the file. */
const char *paths_linkage_name(const struct paths *paths, const struct profile *profile,
			       uint32_t frame, char scratch[static GROUP_IMAGE_NAME_MAX]);

/*
 * Return the source file and the image, "" if unknown, and the line in the source file, 0 if
 * unknown.
 */
const char *paths_file(const struct paths *paths, uint32_t frame);
uint32_t paths_line(const struct paths *paths, uint32_t frame);
const char *paths_image(const struct paths *paths, const struct profile *profile, uint32_t frame);

/*
 * Passes the frames of one location to @visit, innermost first, each as a key of call_frame.h and a
 * line. Stops when @visit returns non-zero, and returns that value.
 */
typedef int (*paths_frame_fn)(void *context, uint64_t key, uint32_t line);
int paths_each_frame(const struct model *model, uint32_t location, bool inlined,
		     paths_frame_fn visit, void *context);

#endif
