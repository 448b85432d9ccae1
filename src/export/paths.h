/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - converts stacks to paths of functions
 *
 * Two stacks in a recording are different if any address differs, but most formats store only
 * functions. So stacks are converted to paths. A path is a node in a trie of functions, in which
 * the children of the root are the outermost functions. Several stacks can have the same path. Each
 * entry of a path is a frame, defined as in call trees (analyze/call_frame.h). Frames are numbered
 * from 0 in the order of their first use, so only frames that are used are written.
 *
 * With @inlined, a location whose source lines are known becomes several frames: one for each
 * function that was inlined there, and one for the function that contains the code. If @by_line is
 * set too, different lines of a function are different frames.
 *
 * Each stack is converted only once. The conversion starts from the path of the parent stack.
 */
#ifndef ASSAY_EXPORT_PATHS_H
#define ASSAY_EXPORT_PATHS_H

#include "analyze/call_frame.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/model.h"

#define PATH_NONE 0		/* number of the root, the path without frames */

struct path_frame {
	uint64_t key;		/* key from call_frame.h or from paths_comm_frame() */
	/* id of a source line in the function; 0: neither the line nor the source file is known */
	uint32_t line;
	/*
	 * Number of the first frame that has the same key. Without @by_line, each key has only one
	 * frame, so this is the frame's own number.
	 */
	uint32_t function;
};

struct path {
	/* number of the parent path, always smaller than this path's number */
	uint32_t parent;
	uint32_t frame;		/* number of the path's innermost frame */
};

struct paths {
	const struct model *model;		/* borrowed */
	bool inlined, by_line;
	/* indexed by stack id: number of the stack's path; 0: not computed yet */
	uint32_t *of_stack;
	VEC(struct path_frame) frames;
	VEC(struct path) nodes;			/* all paths; [0] is PATH_NONE */
	struct u64map function_index;		/* maps a key to path_frame.function */
	/* maps a pair of file and line number to the first line of the model with this pair */
	struct u64map place_index;
	/* maps a pair of path_frame.function and line (from place_index) to a frame number */
	struct u64map frame_index;
	struct u64map node_index;
	VEC(uint32_t) pending;
};

/* Returns 0 or -ENOMEM; paths_fini() is needed in both cases. */
int paths_init(struct paths *paths, const struct model *model, bool inlined, bool by_line);
void paths_fini(struct paths *paths);

/* Stores the path of @stack, a stack id of the model, in *ret_path. Returns 0 or -ENOMEM. */
int paths_of_stack(struct paths *paths, uint32_t stack, uint32_t *ret_path);

/*
 * The frame numbers of one path, innermost first. paths_frames() fills the list and returns 0 or
 * -ENOMEM.
 */
struct path_frames {
	VEC(uint32_t) list;
};
int paths_frames(const struct paths *paths, uint32_t path, struct path_frames *frames);

/*
 * Stores in *ret_frame the number of the frame with this key and line, and adds the frame if it is
 * new. Without @by_line, all lines of a key share one frame, which keeps the first @line. Returns 0
 * or -ENOMEM.
 */
int paths_number_frame(struct paths *paths, uint64_t key, uint32_t line, uint32_t *ret_frame);

/*
 * Stores in *ret_frame the number of a frame that represents all threads called @comm (a string id
 * of the model). The frame is meant to be outermost. Returns 0 or -ENOMEM.
 */
int paths_comm_frame(struct paths *paths, uint32_t comm, uint32_t *ret_frame);

/* Returns the complete, unescaped name of a frame: see call_frame_name(). */
const char *paths_name(const struct paths *paths, const struct profile *profile, uint32_t frame,
		       char scratch[static GROUP_IMAGE_NAME_MAX]);

/*
 * Returns the frame's name as it is in the symbol table of the ELF file (not demangled). If that
 * name is not known, returns the same name as paths_name().
 */
const char *paths_linkage_name(const struct paths *paths, const struct profile *profile,
			       uint32_t frame, char scratch[static GROUP_IMAGE_NAME_MAX]);

/*
 * Return the frame's source file ("" if unknown), its line number in that file (0 if unknown), and
 * its image ("" if unknown).
 */
const char *paths_file(const struct paths *paths, uint32_t frame);
uint32_t paths_line(const struct paths *paths, uint32_t frame);
const char *paths_image(const struct paths *paths, const struct profile *profile, uint32_t frame);
/* Returns the quality of the name (call_frame_quality()), or "" if there is none. */
const char *paths_quality(const struct paths *paths, const struct profile *profile, uint32_t frame);

/*
 * Calls @visit for each frame of one location, innermost first. Passes the key (call_frame.h) and
 * the line of the frame. Stops when @visit returns non-zero, and returns that value.
 */
typedef int (*paths_frame_fn)(void *context, uint64_t key, uint32_t line);
int paths_each_frame(const struct model *model, uint32_t location, bool inlined,
		     paths_frame_fn visit, void *context);

#endif
