/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/wait_place.h"

#include <errno.h>

#include "analyze/lookup.h"
#include "base/hash.h"
#include "base/u64map.h"

#define KERNEL_FRAMES 3		/* shown of a stack without user frames, or of an interrupt */
#define USER_FRAMES (WAIT_FRAMES_MAX - 1)

/*
 * Functions through which waits and wakeups of all kinds go. They say nothing about the reason, so
 * they are left out at the inner end of a stack.
 */
static const char *const passages[] = {
	"schedule",
	"__schedule",
	"io_schedule",
	"schedule_timeout",
	"schedule_hrtimeout_range",
	"schedule_hrtimeout_range_clock",
	"schedule_preempt_disabled",
	"poll_schedule_timeout",
	"try_to_wake_up",
	"default_wake_function",
	"wake_up_process",
	"wake_up_q",
	"__wake_up",
	"__wake_up_common",
	"__wake_up_common_lock",
	"__wake_up_sync",
	"__wake_up_sync_key",
	"autoremove_wake_function",
	"woken_wake_function",
	"swake_up_locked",
	"pollwake",
};

void wait_places_fini(struct wait_places *places)
{
	intern_fini(&places->index);
	u64map_fini(&places->known);
}

static bool is_kernel(const struct model *model, const struct location *location)
{
	enum image_kind kind = image_of(model, location->image)->kind;

	return kind == IMAGE_KERNEL || kind == IMAGE_MODULE || kind == IMAGE_BPF;
}

/* Compilers add suffixes such as ".constprop.0" to the names of functions that they changed. */
static bool is_passage(const struct model *model, const struct location *location)
{
	const char *name = string_of(model, function_of(model, location->function)->name);
	size_t length = strcspn(name, ".");

	for (size_t i = 0; i < sizeof(passages) / sizeof(passages[0]); i++)
		if (strlen(passages[i]) == length && strncmp(passages[i], name, length) == 0)
			return true;
	return false;
}

static uint32_t caller_of(const struct model *model, uint32_t stack)
{
	uint32_t parent = model->stacks.at[stack].parent;

	return parent < stack ? parent : (uint32_t)STACK_ROOT_BROKEN;
}

static void add_frame(struct wait_place *place, const struct location *location)
{
	place->frames[place->frame_count++] = group_function_key(location->image,
								 location->function);
}

/* Adds up to @most frames of the kernel. Returns the stack below the last frame of the kernel. */
static uint32_t add_kernel_frames(const struct model *model, uint32_t stack, size_t most,
				  struct wait_place *place)
{
	while (stack >= STACK_ROOT_COUNT && stack < model->stacks.count) {
		const struct location *location = location_of(model,
							      model->stacks.at[stack].location);

		if (!is_kernel(model, location))
			break;
		if (place->frame_count < most &&
		    (place->frame_count > 0 || !is_passage(model, location)))
			add_frame(place, location);
		stack = caller_of(model, stack);
	}
	return stack;
}

static void add_user_frames(const struct model *model, uint32_t stack, struct wait_place *place)
{
	for (size_t i = 0; i < USER_FRAMES && stack >= STACK_ROOT_COUNT; i++) {
		add_frame(place, location_of(model, model->stacks.at[stack].location));
		stack = caller_of(model, stack);
	}
}

/*
 * The innermost function of the kernel tells what kind of wait it is, and the user frames tell
 * where in the program it happens.
 */
static struct wait_place make(const struct model *model, const struct wait_stack *given)
{
	struct wait_place place = {
		.comm = thread_of(model, given->thread)->comm,
		.context = given->is_waker ? given->context : CONTEXT_USER,
	};
	struct wait_place kernel = place;
	uint32_t user = add_kernel_frames(model, given->stack, KERNEL_FRAMES, &kernel);

	if (wait_place_is_interrupt(&place) || user < STACK_ROOT_COUNT) {
		if (wait_place_is_interrupt(&kernel))
			kernel.comm = 0;
		return kernel;
	}
	(void)add_kernel_frames(model, given->stack, 1, &place);
	add_user_frames(model, user, &place);
	return place;
}

struct search {
	const struct wait_place *places, *wanted;
};

static bool same_place(uint32_t id, const void *arg)
{
	const struct search *search = arg;
	const struct wait_place *have = &search->places[id], *wanted = search->wanted;

	return have->comm == wanted->comm && have->context == wanted->context &&
	       have->frame_count == wanted->frame_count &&
	       memcmp(have->frames, wanted->frames, have->frame_count * sizeof(*have->frames)) == 0;
}

static int intern_place(struct wait_places *places, const struct wait_place *place,
			uint32_t *ret_id)
{
	struct search search = { places->chains->places.at, place };
	uint64_t hash = hash_pair(place->comm, place->context);
	struct wait_place *slot;

	for (uint32_t i = 0; i < place->frame_count; i++)
		hash = hash_pair(hash, place->frames[i]);
	*ret_id = intern_find(&places->index, hash, same_place, &search);
	if (*ret_id)
		return 0;
	slot = vec_push(&places->chains->places);
	if (!slot)
		return -ENOMEM;
	*slot = *place;
	*ret_id = (uint32_t)places->chains->places.count - 1;
	return intern_add(&places->index, hash, *ret_id);
}

int wait_place_of(struct wait_places *places, const struct wait_stack *stack, uint32_t *ret_place)
{
	uint32_t comm = thread_of(places->model, stack->thread)->comm;
	uint64_t key = hash_pair((uint64_t)stack->stack << 32 | comm,
				 (uint64_t)stack->context << 1 | stack->is_waker);
	struct wait_place place;

	if (u64map_get(&places->known, key, ret_place))
		return 0;
	place = make(places->model, stack);
	if (intern_place(places, &place, ret_place) < 0)
		return -ENOMEM;
	return u64map_put(&places->known, key, *ret_place);
}
