/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - converts stacks to paths of functions
 *
 * Two stacks in a recording are different if any address differs, but most formats store only
 * functions. A path is a node in a trie of functions. The outermost function is next to the root.
 * Several stacks can have the same path. A frame is one entry of a path, defined as in call trees
 * (analyze/call_frame.h). Frames are numbered from 0 in the order of their first use, so only
 * frames that are used are written.
 *
 * With @inlined, a location whose source lines are known becomes one frame for each function
 * inlined there. If @by_line is set too, different lines of a function are different frames.
 *
 * Each stack is converted only once, starting from the path of its parent stack.
 */
#ifndef ASSAY_EXPORT_PATHS_H
#define ASSAY_EXPORT_PATHS_H

#include "analyze/call_frame.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/model.h"

#define PATH_NONE 0		/* number of the root, the path without frames */

struct path_frame {
	uint64_t key;		/* key defined in call_frame.h, or by paths_comm_frame() */
	/* id of a source line in the function; the line's file is also known then; 0: unknown */
	uint32_t line;
	/*
	 * Number of the first frame with the same key. Without @by_line, this is always the frame's
	 * own number.
	 */
	uint32_t function;
};

struct path {
	/* number of the parent path, always smaller than this path's number */
	uint32_t parent;
	uint32_t frame;		/* number of the path's last frame in the frame table */
};

struct paths {
	const struct model *model;		/* borrowed */
	bool inlined, by_line;
	/* number of the path of each stack, indexed by stack id; 0: not computed yet */
	uint32_t *of_stack;
	VEC(struct path_frame) frames;
	VEC(struct path) nodes;			/* all paths; [0] is PATH_NONE */
	struct u64map function_index;		/* maps a key to path_frame.function */
	/* maps a file and line number to the first line of the model with these two values */
	struct u64map place_index;
	/* maps a function and the line from place_index to the frame */
	struct u64map frame_index;
	struct u64map node_index;
	VEC(uint32_t) pending;
};

/* Returns 0 or -ENOMEM; paths_fini() is needed in both cases. */
int paths_init(struct paths *paths, const struct model *model, bool inlined, bool by_line);
void paths_fini(struct paths *paths);

/* Stores the path of @stack, a stack id of the model, in *ret_path. Returns 0 or -ENOMEM. */
int paths_of_stack(struct paths *paths, uint32_t stack, uint32_t *ret_path);

/* The frames of one path, innermost first. paths_frames() fills it in and returns 0 or -ENOMEM. */
struct path_frames {
	VEC(uint32_t) list;
};
int paths_frames(const struct paths *paths, uint32_t path, struct path_frames *frames);

/*
 * Stores the number of the frame with this key and line in *ret_frame. Without @by_line, @line is
 * used only for a new frame. Returns 0 or -ENOMEM.
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

/* Returns the frame's name as it is in the symbol table of the file (not demangled). */
const char *paths_linkage_name(const struct paths *paths, const struct profile *profile,
			       uint32_t frame, char scratch[static GROUP_IMAGE_NAME_MAX]);

/*
 * Return the frame's source file and image ("" if unknown) and its line number in the source file
 * (0 if unknown).
 */
const char *paths_file(const struct paths *paths, uint32_t frame);
uint32_t paths_line(const struct paths *paths, uint32_t frame);
const char *paths_image(const struct paths *paths, const struct profile *profile, uint32_t frame);

/*
 * Calls @visit for each frame of one location, innermost first, with the frame's key (call_frame.h)
 * and line. Stops when @visit returns non-zero, and returns that value.
 */
typedef int (*paths_frame_fn)(void *context, uint64_t key, uint32_t line);
int paths_each_frame(const struct model *model, uint32_t location, bool inlined,
		     paths_frame_fn visit, void *context);

#endif
