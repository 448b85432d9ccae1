/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/image_health.h"

#include "model/model.h"

#define SUMS 4	/* number of counts in struct image_health besides stopped[] */

static const struct {
	const char *name, *count_name, *meaning, *cure;
} stops[WALK_STOP_COUNT] = {
#define WALK_STOP(stop, text, meaning_, cure_)                                           \
	[WALK_STOP_##stop] = { \
		.name = text, .count_name = "stopped-" text, .meaning = meaning_, .cure = cure_ \
	},
#include "model/walk_stop.def"
#undef WALK_STOP
};

const char *walk_stop_name(enum walk_stop stop)
{
	return stops[stop].name;
}

const char *walk_stop_meaning(enum walk_stop stop)
{
	return stops[stop].meaning;
}

const char *walk_stop_cure(enum walk_stop stop)
{
	return stops[stop].cure;
}

/* ---- counting ---- */

struct image_health *model_health_row(struct model *model, uint32_t image)
{
	struct walk_health *health = &model->walk_health;

	while (health->images.count <= image)
		if (!vec_push(&health->images))
			return NULL;
	while (health->marks.count <= image)
		if (!vec_push(&health->marks))
			return NULL;
	return &health->images.at[image];
}

struct image_health model_health_of(const struct model *model, uint32_t image)
{
	const struct walk_health *health = &model->walk_health;

	return image < health->images.count ? health->images.at[image] : (struct image_health){ 0 };
}

/*
 * Adds @count equal walks to the counts of @image. Called for each frame of these walks that is in
 * @image, but only the first call for a walk counts. Returns the counts of @image, or NULL when out
 * of memory.
 */
static struct image_health *pass(struct model *model, uint32_t image, bool is_whole,
				 const struct walk_outcome *outcome, uint64_t count)
{
	struct image_health *row = model_health_row(model, image);
	uint64_t walk = model->walk_health.walk_number;

	if (!row) {
		loss_add(&model->losses, LOSS_MEMORY, 1);
		return NULL;
	}
	if (model->walk_health.marks.at[image] == walk)
		return row;
	model->walk_health.marks.at[image] = walk;
	row->samples += count;
	row->whole += is_whole ? count : 0;
	row->from_bytes += outcome->from_bytes ? count : 0;
	return row;
}

static enum walk_stop stop_in_model(const struct model *model, uint32_t stack, enum walk_stop stop)
{
	enum stack_root root = model_stack_root(model, stack, NULL);

	if (stop != WALK_STOP_END || root == STACK_ROOT_END)
		return stop;
	return root == STACK_ROOT_BROKEN ? WALK_STOP_NO_IMAGE : WALK_STOP_DEEP;
}

/*
 * Adds @count walks of @stack to the counts of each image that has a frame on the stack. All these
 * walks had the same @outcome.
 */
static void pass_all(struct model *model, uint32_t stack, const struct walk_outcome *outcome,
		     uint64_t count)
{
	enum walk_stop stop = stop_in_model(model, stack, outcome->stop);
	struct image_health *row = NULL;

	model->walk_health.walk_number++;
	for (size_t i = 0; stack >= STACK_ROOT_COUNT; i++) {
		const struct stack_node *node = &model->stacks.at[stack];
		uint32_t image = model->locations.at[node->location].image;

		row = pass(model, image, stop == WALK_STOP_END, outcome, count);
		if (!row)
			return;
		if (outcome->by_frame_pointer && i < outcome->frame_count)
			row->frame_pointer_frames += outcome->by_frame_pointer[i] ? count : 0;
		stack = node->parent;
	}
	if (row)
		row->stopped[stop] += count;
}

/* Counts one walk in `repeats`. Returns false if out of memory; the walk is then not counted. */
static bool note_repeat(struct walk_health *health, uint32_t stack, enum walk_stop stop)
{
	uint64_t key = (uint64_t)stack << 8 | stop;
	struct walk_repeats *repeats;
	uint32_t index;

	if (u64map_get(&health->repeats_index, key, &index)) {
		health->repeats.at[index].count++;
		return true;
	}
	index = (uint32_t)health->repeats.count;
	repeats = vec_push(&health->repeats);
	if (!repeats)
		return false;
	*repeats = (struct walk_repeats){ stack, stop, 1 };
	if (u64map_put(&health->repeats_index, key, index) == 0)
		return true;
	health->repeats.count--;
	return false;
}

void model_health_add(struct model *model, uint32_t stack, const struct walk_outcome *outcome)
{
	bool is_plain = !outcome->from_bytes && !outcome->by_frame_pointer;

	if (stack < STACK_ROOT_COUNT)
		return;
	if (!is_plain || !note_repeat(&model->walk_health, stack, outcome->stop))
		pass_all(model, stack, outcome, 1);
}

void model_health_settle(struct model *model)
{
	struct walk_health *health = &model->walk_health;

	for (size_t i = 0; i < health->repeats.count; i++) {
		const struct walk_repeats *repeats = &health->repeats.at[i];
		const struct walk_outcome outcome = { .stop = repeats->stop };

		pass_all(model, repeats->stack, &outcome, repeats->count);
	}
	health->repeats.count = 0;
	u64map_fini(&health->repeats_index);
}

uint64_t image_health_cut(const struct image_health *health)
{
	uint64_t cut = 0;

	for (int stop = 0; stop < WALK_STOP_COUNT; stop++)
		cut += stop == WALK_STOP_END ? 0 : health->stopped[stop];
	return cut;
}

void walk_health_fini(struct walk_health *health)
{
	vec_free(&health->images);
	vec_free(&health->marks);
	vec_free(&health->repeats);
	u64map_fini(&health->repeats_index);
}

/* ---- the counts as named numbers ---- */

static const char *const sums[SUMS] = { "samples", "whole", "from-bytes", "frame-pointer-frames" };

_Static_assert(IMAGE_HEALTH_COUNTS == SUMS + WALK_STOP_COUNT, "every count has a name");

const char *image_health_count_name(size_t which)
{
	return which < SUMS ? sums[which] : stops[which - SUMS].count_name;
}

uint64_t *image_health_count(struct image_health *health, size_t which)
{
	uint64_t *const fields[SUMS] = { &health->samples, &health->whole, &health->from_bytes,
					 &health->frame_pointer_frames };

	return which < SUMS ? fields[which] : &health->stopped[which - SUMS];
}

int image_health_count_of_name(const char *name)
{
	for (size_t which = 0; which < IMAGE_HEALTH_COUNTS; which++)
		if (strcmp(name, image_health_count_name(which)) == 0)
			return (int)which;
	return -1;
}
