/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/jit-private.h"

static struct jit_image *owner_of(struct jit *jit, uint32_t image)
{
	for (size_t i = 0; i < jit->images.count; i++)
		if (jit->images.at[i].image == image && !jit->images.at[i].is_closed)
			return &jit->images.at[i];
	return NULL;
}

static struct jit_ref make_ref(struct jit *jit, uint32_t id)
{
	const struct location *location = &jit->model->locations.at[id];
	const struct image *row = &jit->model->images.at[location->image];
	struct jit_image *image = NULL;
	struct jit_ref ref = { 0 };

	if (row->kind == IMAGE_JIT && !location->function)
		image = owner_of(jit, location->image);
	if (!image)
		return ref;
	ref.spot = jit_history_spot(&image->history, location->vaddr, id);
	if (ref.spot != UINT32_MAX)
		ref.owner = (uint32_t)(image - jit->images.at) + 1;
	else
		loss_add(&jit->model->losses, LOSS_MEMORY, 1);
	return ref;
}

void jit_settle_locations(struct jit *jit)
{
	while (jit->of_location.count < jit->model->locations.count) {
		uint32_t id = (uint32_t)jit->of_location.count;
		struct jit_ref *ref = vec_push(&jit->of_location);

		if (!ref) {
			loss_add(&jit->model->losses, LOSS_MEMORY, 1);
			return;
		}
		if (id)
			*ref = make_ref(jit, id);
	}
}

static struct jit_image *image_of(struct jit *jit, uint32_t location, struct jit_ref *ret_ref)
{
	struct jit_image *image;

	if (location >= jit->of_location.count || !jit->of_location.at[location].owner)
		return NULL;
	*ret_ref = jit->of_location.at[location];
	image = &jit->images.at[ret_ref->owner - 1];
	return image->is_closed || image->image != jit->model->locations.at[location].image ? NULL
											    : image;
}

/* ---- stacks with generated code ---- */

static void look_at_stacks(struct jit *jit)
{
	const struct model *model = jit->model;

	/* Stacks that the model has forgotten get no more nodes. */
	if (jit->first_stack != model->first_stack)
		vec_release(&jit->is_generated, model->first_stack);
	jit->first_stack = model->first_stack;
	while (jit->is_generated.count < model->stacks.count) {
		size_t id = jit->is_generated.count;
		const struct stack_node *node = &model->stacks.at[id];
		uint8_t *is_generated = vec_push(&jit->is_generated);

		if (!is_generated)
			return;
		if (id >= STACK_ROOT_COUNT)
			*is_generated = jit->is_generated.at[node->parent] ||
					(node->location < jit->of_location.count &&
					 jit->of_location.at[node->location].owner);
	}
}

/* ---- places ---- */

static struct jit_place *find_place(const struct jit_spot *spot, uint32_t generation)
{
	for (size_t i = spot->places.count; i-- > 0;)
		if (spot->places.at[i].count && spot->places.at[i].generation == generation)
			return &spot->places.at[i];
	return NULL;
}

/*
 * Adds a place to the spot. Creates a location for the place, with the same address as the location
 * of the spot's first place.
 */
static struct jit_place *add_place(struct jit *jit, struct jit_spot *spot)
{
	bool has_room = jit->place_count < JIT_PLACES_MAX &&
			jit->of_location.count == jit->model->locations.count &&
			vec_push(&jit->of_location);
	uint32_t location = has_room ? model_location_add(jit->model, spot->places.at[0].location)
				     : 0;
	struct jit_place *place = location ? vec_push(&spot->places) : NULL;

	if (has_room && !location)
		jit->of_location.count--;
	if (!place)
		return NULL;
	jit->place_count++;
	place->location = location;
	place->first_ns = UINT64_MAX;
	return place;
}

/*
 * Returns the place of the spot to which a sample taken at @time_ns belongs. The first sample of
 * the spot goes to the first place. If no more places can be added, the first place is also used
 * for samples that belong to other claims. The name of the first place then becomes uncertain.
 */
static struct jit_place *place_at(struct jit *jit, struct jit_image *image, struct jit_spot *spot,
				  uint64_t time_ns)
{
	uint32_t generation = jit_history_generation(&image->history, spot, time_ns);
	struct jit_place *first = &spot->places.at[0], *place;

	if (jit->node_count >= JIT_NODES_MAX)
		return first;
	place = find_place(spot, generation);
	if (place)
		return place;
	place = first->count ? add_place(jit, spot) : first;
	if (!place)
		return &spot->places.at[0];
	place->generation = generation;
	return place;
}

static uint32_t settle_location(struct jit *jit, uint32_t location, uint64_t time_ns)
{
	struct jit_ref ref;
	struct jit_image *image = image_of(jit, location, &ref);
	struct jit_place *place;

	if (!image)
		return location;
	place = place_at(jit, image, &image->history.spots.at[ref.spot], time_ns);
	place->count++;
	if (time_ns < place->first_ns)
		place->first_ns = time_ns;
	if (time_ns > place->last_ns)
		place->last_ns = time_ns;
	image->quiet = 0;
	return place->location;
}

/* ---- stacks ---- */

/*
 * Fills jit->path with the nodes of the stack, and jit->locations with the location of each of
 * these frames for a sample taken at @time_ns. Counts the sample in the places of these locations.
 * Returns true if any location differs from that of the stack.
 */
static bool settle_path(struct jit *jit, uint32_t stack, uint64_t time_ns)
{
	bool changed = false;

	vec_clear(&jit->path);
	vec_clear(&jit->locations);
	for (; stack >= STACK_ROOT_COUNT; stack = jit->model->stacks.at[stack].parent) {
		uint32_t *node = vec_push(&jit->path), *location = vec_push(&jit->locations);
		uint32_t before = jit->model->stacks.at[stack].location;

		if (!node || !location)
			return false;
		*node = stack;
		*location = settle_location(jit, before, time_ns);
		changed |= *location != before;
	}
	return changed;
}

static uint32_t settle_stack(struct jit *jit, uint32_t stack, uint64_t time_ns)
{
	struct model *model = jit->model;
	size_t before = model->stacks.count;
	uint32_t settled;

	if (stack >= jit->is_generated.count || !jit->is_generated.at[stack] ||
	    !settle_path(jit, stack, time_ns))
		return stack;
	settled = model->stacks.at[jit->path.at[jit->path.count - 1]].parent;
	for (size_t i = jit->path.count; i-- > 0;)
		settled = model_stack_id(model, settled, jit->locations.at[i]);
	jit->node_count += model->stacks.count - before;
	return settled;
}

void jit_settle_samples(struct jit *jit, struct sample_batch *batch)
{
	look_at_stacks(jit);
	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample *sample = &batch->samples.at[i];

		sample->stack = settle_stack(jit, sample->stack, sample->time_ns);
	}
}
