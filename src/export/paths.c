/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/paths.h"

#include "analyze/lookup.h"

/*
 * This bit marks the key of a thread's name (paths_comm_frame()). No key of call_frame.h contains
 * it, except CALL_FRAME_ALL. The lower half of a marked key is a string id.
 */
#define FRAME_OF_COMM (UINT64_C(1) << 48)
#define INLINED_MAX 256		/* limit on frames at one address; a file with more is damaged */

int paths_init(struct paths *paths, const struct model *model, bool inlined, bool by_line)
{
	size_t count = model->stacks.count < STACK_ROOT_COUNT ? STACK_ROOT_COUNT
							      : model->stacks.count;

	*paths = (struct paths){
		.model = model,
		.inlined = inlined,
		.by_line = by_line,
		.of_stack = calloc(count, sizeof(uint32_t)),
	};
	return paths->of_stack && vec_push(&paths->nodes) ? 0 : -ENOMEM;
}

void paths_fini(struct paths *paths)
{
	free(paths->of_stack);
	vec_free(&paths->frames);
	vec_free(&paths->nodes);
	vec_free(&paths->pending);
	u64map_fini(&paths->function_index);
	u64map_fini(&paths->place_index);
	u64map_fini(&paths->frame_index);
	u64map_fini(&paths->node_index);
}

/*
 * Stores in *ret_place the id of the first line in the model that has the same file and line number
 * as @line. The two lines can belong to different inlined calls.
 */
static int find_place(struct paths *paths, uint32_t line, uint32_t *ret_place)
{
	const struct source_line *at = line_of(paths->model, line);
	uint64_t key = (uint64_t)at->file << 32 | at->line;

	if (u64map_get(&paths->place_index, key, ret_place))
		return 0;
	*ret_place = line;
	return u64map_put(&paths->place_index, key, line);
}

static int add_frame(struct paths *paths, const struct path_frame *wanted, uint32_t *ret_frame)
{
	struct path_frame *frame = vec_push(&paths->frames);

	if (!frame)
		return -ENOMEM;
	*frame = *wanted;
	*ret_frame = (uint32_t)(paths->frames.count - 1);
	return 0;
}

int paths_number_frame(struct paths *paths, uint64_t key, uint32_t line, uint32_t *ret_frame)
{
	struct path_frame frame = { .key = key, .line = line };
	bool known = u64map_get(&paths->function_index, key, &frame.function);
	uint64_t at_line;
	int rc;

	if (paths->by_line) {
		rc = find_place(paths, line, &frame.line);
		if (rc < 0)
			return rc;
	}
	if (!known) {
		frame.function = (uint32_t)paths->frames.count;
		rc = u64map_put(&paths->function_index, key, frame.function);
		if (rc < 0)
			return rc;
	}
	at_line = (uint64_t)frame.function << 32 | (paths->by_line ? frame.line : 0);
	if (u64map_get(&paths->frame_index, at_line, ret_frame))
		return 0;
	rc = add_frame(paths, &frame, ret_frame);
	if (rc < 0)
		return rc;
	return u64map_put(&paths->frame_index, at_line, *ret_frame);
}

static int number_path(struct paths *paths, uint32_t parent, uint32_t frame, uint32_t *ret_path)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	struct path *path;

	if (u64map_get(&paths->node_index, key, ret_path))
		return 0;
	path = vec_push(&paths->nodes);
	if (!path)
		return -ENOMEM;
	*path = (struct path){ .parent = parent, .frame = frame };
	*ret_path = (uint32_t)(paths->nodes.count - 1);
	return u64map_put(&paths->node_index, key, *ret_path);
}

int paths_each_frame(const struct model *model, uint32_t location, bool inlined,
		     paths_frame_fn visit, void *context)
{
	const struct location *at = location_of(model, location);
	uint32_t id = at->line;

	/*
	 * The loop does not visit the location's outermost frame. The name of that frame comes from
	 * the symbol table, as in reports.
	 */
	for (int i = 0; inlined && i < INLINED_MAX; i++) {
		const struct source_line *line = line_of(model, id);
		int rc;

		if (!line->caller || line->caller >= id)
			break;
		if (line->function) {
			rc = visit(context, group_function_key(at->image, line->function), id);
			if (rc != 0)
				return rc;
		}
		id = line->caller;
	}
	return visit(context, group_function_key(at->image, at->function), inlined ? id : 0);
}

struct chain {
	uint64_t key[INLINED_MAX + 1];
	uint32_t line[INLINED_MAX + 1];
	size_t count;
};

static int add_to_chain(void *context, uint64_t key, uint32_t line)
{
	struct chain *chain = context;

	chain->key[chain->count] = key;
	chain->line[chain->count++] = line;
	return 0;
}

/* Adds the frames of one location to *path. */
static int extend(struct paths *paths, uint32_t location, uint32_t *path)
{
	struct chain chain;
	uint32_t frame;
	int rc;

	chain.count = 0;
	(void)paths_each_frame(paths->model, location, paths->inlined, add_to_chain, &chain);
	while (chain.count-- > 0) {
		rc = paths_number_frame(paths, chain.key[chain.count], chain.line[chain.count],
					&frame);
		if (rc < 0)
			return rc;
		rc = number_path(paths, *path, frame, path);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Starts a path. If the stack is incomplete or has no frames, the path begins with a frame whose
 * name says so. Otherwise the path is empty.
 */
static int begin_at_root(struct paths *paths, uint32_t root, bool has_nodes, uint32_t *ret_path)
{
	uint32_t frame;
	int rc;

	*ret_path = PATH_NONE;
	if (root == STACK_ROOT_END && has_nodes)
		return 0;
	rc = paths_number_frame(paths, call_frame_of_root((enum stack_root)root), 0, &frame);
	if (rc < 0)
		return rc;
	return number_path(paths, PATH_NONE, frame, ret_path);
}

int paths_of_stack(struct paths *paths, uint32_t stack, uint32_t *ret_path)
{
	const struct model *model = paths->model;
	uint32_t id = stack;
	int rc;

	vec_clear(&paths->pending);
	while (id >= STACK_ROOT_COUNT && !paths->of_stack[id]) {
		uint32_t parent = model->stacks.at[id].parent;
		uint32_t *pending = vec_push(&paths->pending);

		if (!pending)
			return -ENOMEM;
		*pending = id;
		id = parent < id ? parent : (uint32_t)STACK_ROOT_BROKEN;
	}
	if (id < STACK_ROOT_COUNT) {
		rc = begin_at_root(paths, id, paths->pending.count > 0, ret_path);
		if (rc < 0)
			return rc;
	} else {
		*ret_path = paths->of_stack[id];
	}
	while (paths->pending.count) {
		id = paths->pending.at[--paths->pending.count];
		rc = extend(paths, model->stacks.at[id].location, ret_path);
		if (rc < 0)
			return rc;
		paths->of_stack[id] = *ret_path;
	}
	return 0;
}

int paths_frames(const struct paths *paths, uint32_t path, struct path_frames *frames)
{
	vec_clear(&frames->list);
	for (uint32_t id = path; id != PATH_NONE; id = paths->nodes.at[id].parent) {
		uint32_t *frame = vec_push(&frames->list);

		if (!frame)
			return -ENOMEM;
		*frame = paths->nodes.at[id].frame;
	}
	return 0;
}

int paths_comm_frame(struct paths *paths, uint32_t comm, uint32_t *ret_frame)
{
	return paths_number_frame(paths, FRAME_OF_COMM | comm, 0, ret_frame);
}

const char *paths_name(const struct paths *paths, const struct profile *profile, uint32_t frame,
		       char scratch[static GROUP_IMAGE_NAME_MAX])
{
	uint64_t key = paths->frames.at[frame].key;

	if (key & FRAME_OF_COMM)
		return string_of(paths->model, (uint32_t)key);
	return call_frame_name(profile, key, scratch);
}

const char *paths_linkage_name(const struct paths *paths, const struct profile *profile,
			       uint32_t frame, char scratch[static GROUP_IMAGE_NAME_MAX])
{
	uint64_t key = paths->frames.at[frame].key;

	/* The key of a function's frame is the id of the function: see group_function_key(). */
	if (key < paths->model->functions.count) {
		uint32_t name = paths->model->functions.at[key].linkage_name;

		if (name)
			return string_of(paths->model, name);
	}
	return paths_name(paths, profile, frame, scratch);
}

const char *paths_file(const struct paths *paths, uint32_t frame)
{
	const struct source_line *line = line_of(paths->model, paths->frames.at[frame].line);

	return string_of(paths->model, line->file);
}

uint32_t paths_line(const struct paths *paths, uint32_t frame)
{
	return line_of(paths->model, paths->frames.at[frame].line)->line;
}

const char *paths_quality(const struct paths *paths, const struct profile *profile, uint32_t frame)
{
	uint64_t key = paths->frames.at[frame].key;

	return key & FRAME_OF_COMM ? "" : call_frame_quality(profile, key);
}

const char *paths_image(const struct paths *paths, const struct profile *profile, uint32_t frame)
{
	uint64_t key = paths->frames.at[frame].key;

	return key & FRAME_OF_COMM ? "" : call_frame_image(profile, key);
}
