/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one profile of a speedscope file.
 *
 * Both types of profile are converted to a sequence of stretches, each of which has a stack and a
 * weight. In a "sampled" profile, each sample is a stretch. In an "evented" profile, each event
 * opens or closes a frame, and each interval between two events is a stretch. The unit may follow
 * the values in the file, so weights are converted only at the end of the profile.
 *
 * A close event must match the frame opened most recently, and timestamps must not decrease. An
 * event that violates these rules is skipped and counted. speedscope itself rejects such a file.
 */
#include <errno.h>

#include "import/speedscope-private.h"

static void malformed(const struct speedscope *speedscope, uint64_t count)
{
	if (count)
		loss_add(speedscope_losses(speedscope), LOSS_RECORD_MALFORMED, count);
}

/* ---- stacks ---- */

/*
 * Stores in *ret_node the child of @parent that contains @frame, and adds the child if it is new.
 * When the limit on nodes is reached, a new stack keeps only its innermost frame.
 */
static int child_node(struct speedscope *speedscope, uint32_t parent, uint32_t frame,
		      uint32_t *ret_node)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	struct speedscope_node *node;

	if (u64map_get(&speedscope->children, key, ret_node))
		return 0;
	if (speedscope->nodes.count >= SPEEDSCOPE_NODES_MAX && parent >= STACK_ROOT_COUNT) {
		loss_add(speedscope_losses(speedscope), LOSS_STACK_BUDGET, 1);
		return child_node(speedscope, STACK_ROOT_TRUNCATED, frame, ret_node);
	}
	node = vec_push(&speedscope->nodes);
	if (!node)
		return -ENOMEM;
	*node = (struct speedscope_node){ .parent = parent, .frame = frame };
	*ret_node = (uint32_t)(speedscope->nodes.count - 1);
	return u64map_put(&speedscope->children, key, *ret_node);
}

static bool is_room(const struct speedscope *speedscope,
		    const struct speedscope_stretches *stretches)
{
	return speedscope->stacks.count + stretches->stacks_seen < SPEEDSCOPE_SAMPLES_MAX;
}

static int add_stack(struct speedscope *speedscope, struct speedscope_stretches *stretches,
		     uint32_t stack)
{
	uint32_t *slot;

	if (!is_room(speedscope, stretches)) {
		stretches->stacks_seen++;
		loss_add(speedscope_losses(speedscope), LOSS_SAMPLE_BUDGET, 1);
		return 0;
	}
	slot = vec_push(&stretches->stacks);
	if (!slot)
		return -ENOMEM;
	stretches->stacks_seen++;
	*slot = stack;
	return 0;
}

static int add_weight(struct speedscope *speedscope, struct speedscope_stretches *stretches,
		      json_amount weight)
{
	json_amount *slot;

	if (speedscope->stacks.count + stretches->weights_seen++ >= SPEEDSCOPE_SAMPLES_MAX)
		return 0;
	slot = vec_push(&stretches->weights);
	if (!slot)
		return -ENOMEM;
	*slot = weight;
	return 0;
}

/* ---- "sampled" ---- */

/*
 * Adds a frame to the current sample. If there are too many frames, only the innermost ones are
 * kept.
 */
int speedscope_sample_frame(struct speedscope *speedscope, uint32_t frame)
{
	struct speedscope_making *making = &speedscope->making;
	uint32_t *slot;

	making->frames_bad |= frame == SPEEDSCOPE_NO_FRAME;
	if (making->frames.count == 2 * SPEEDSCOPE_DEPTH_MAX) {
		memmove(making->frames.at, making->frames.at + SPEEDSCOPE_DEPTH_MAX,
			SPEEDSCOPE_DEPTH_MAX * sizeof(*making->frames.at));
		making->frames.count = SPEEDSCOPE_DEPTH_MAX;
		making->frames_cut = true;
	}
	slot = vec_push(&making->frames);
	if (!slot)
		return -ENOMEM;
	*slot = frame;
	return 0;
}

static int stack_of_frames(struct speedscope *speedscope, uint32_t *ret_stack)
{
	struct speedscope_making *making = &speedscope->making;
	size_t count = making->frames.count, first = 0;
	uint32_t stack = STACK_ROOT_END;

	if (count > SPEEDSCOPE_DEPTH_MAX || making->frames_cut) {
		first = count > SPEEDSCOPE_DEPTH_MAX ? count - SPEEDSCOPE_DEPTH_MAX : 0;
		stack = STACK_ROOT_TRUNCATED;
		loss_add(speedscope_losses(speedscope), LOSS_STACK_TRUNCATED, 1);
	}
	for (size_t i = first; i < count; i++) {
		int rc = child_node(speedscope, stack, making->frames.at[i], &stack);

		if (rc < 0)
			return rc;
	}
	*ret_stack = stack;
	return 0;
}

/*
 * An empty stack means that nothing was running. The weight of an empty stack only advances the
 * time.
 */
int speedscope_sample_end(struct speedscope *speedscope)
{
	struct speedscope_making *making = &speedscope->making;
	uint32_t stack = SPEEDSCOPE_NO_STACK;
	int rc = 0;

	if (making->frames_bad)
		malformed(speedscope, 1);
	else if (making->frames.count && is_room(speedscope, &making->sampled))
		rc = stack_of_frames(speedscope, &stack);
	vec_clear(&making->frames);
	making->frames_cut = false;
	making->frames_bad = false;
	if (rc < 0)
		return rc;
	return add_stack(speedscope, &making->sampled, stack);
}

int speedscope_weight(struct speedscope *speedscope, json_amount weight)
{
	return add_weight(speedscope, &speedscope->making.sampled, weight);
}

/* ---- "evented" ---- */

/*
 * Adds a stretch that lasts from the previous event to the current one at @at. Its stack consists
 * of the frames that were open during this interval.
 */
static int end_stretch(struct speedscope *speedscope, json_amount at)
{
	struct speedscope_making *making = &speedscope->making;
	bool is_open = making->open >= STACK_ROOT_COUNT;
	int rc;

	if (making->first_at == SPEEDSCOPE_NO_AMOUNT) {
		making->first_at = at;
		making->last_at = at;
	}
	if (at == making->last_at)
		return 0;
	if (making->open_beyond)
		loss_add(speedscope_losses(speedscope), LOSS_STACK_TRUNCATED, 1);
	rc = add_stack(speedscope, &making->evented, is_open ? making->open : SPEEDSCOPE_NO_STACK);
	if (rc < 0)
		return rc;
	rc = add_weight(speedscope, &making->evented, at - making->last_at);
	making->last_at = at;
	return rc;
}

/* Opens a frame. Frames beyond the depth limit are only counted. */
static int open_frame(struct speedscope *speedscope, uint32_t frame)
{
	struct speedscope_making *making = &speedscope->making;
	int rc;

	if (making->open_count >= SPEEDSCOPE_DEPTH_MAX) {
		making->open_beyond++;
		return 0;
	}
	rc = child_node(speedscope, making->open, frame, &making->open);
	if (rc < 0)
		return rc;
	making->open_count++;
	return 0;
}

static void close_frame(struct speedscope_making *making, const struct speedscope_node *node)
{
	if (making->open_beyond) {
		making->open_beyond--;
		return;
	}
	making->open = node->parent;
	making->open_count = making->open < STACK_ROOT_COUNT ? 0 : making->open_count - 1;
}

static bool can_close(const struct speedscope *speedscope, uint32_t frame)
{
	const struct speedscope_making *making = &speedscope->making;

	return making->open_beyond || (making->open >= STACK_ROOT_COUNT &&
				       speedscope->nodes.at[making->open].frame == frame);
}

int speedscope_event_end(struct speedscope *speedscope)
{
	struct speedscope_making *making = &speedscope->making;
	struct speedscope_event event = making->event;
	bool fits = event.type && event.frame != SPEEDSCOPE_NO_FRAME &&
		    event.at != SPEEDSCOPE_NO_AMOUNT &&
		    (making->first_at == SPEEDSCOPE_NO_AMOUNT || event.at >= making->last_at) &&
		    (event.type == 'O' || can_close(speedscope, event.frame));
	int rc;

	if (!fits) {
		malformed(speedscope, 1);
		return 0;
	}
	rc = end_stretch(speedscope, event.at);
	if (rc < 0)
		return rc;
	if (event.type == 'O')
		return open_frame(speedscope, event.frame);
	close_frame(making, &speedscope->nodes.at[making->open]);
	return 0;
}

/* ---- whole profiles ---- */

int speedscope_profile_begin(struct speedscope *speedscope)
{
	struct speedscope_making *making = &speedscope->making;

	making->type = SPEEDSCOPE_TYPE_NONE;
	making->name = 0;
	making->unit = SPEEDSCOPE_NUMBER;
	making->unit_ns = 1;
	making->start = 0;
	making->open = STACK_ROOT_END;
	making->open_count = 0;
	making->open_beyond = 0;
	making->first_at = SPEEDSCOPE_NO_AMOUNT;
	return 0;
}

/*
 * Converts @amount to nanoseconds and returns it rounded. If the unit is not a unit of time,
 * @unit_ns is 1 and the result is in that unit. Returns UINT64_MAX if the result is not valid
 * because it exceeds INT64_MAX.
 */
static uint64_t whole(json_amount amount, uint32_t unit_ns)
{
	json_amount scaled;

	if (amount > JSON_AMOUNT_MAX)
		return UINT64_MAX;
	scaled = (amount * unit_ns + JSON_BILLION / 2) / JSON_BILLION;
	return scaled > INT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

/*
 * Stores the stretches of a profile. Rounds the timestamp at which each stretch ends and not the
 * weight of the stretch, so that rounding errors do not add up.
 */
static int keep(struct speedscope *speedscope, const struct speedscope_stretches *stretches,
		size_t count, json_amount at)
{
	uint32_t unit_ns = speedscope->making.unit_ns;
	uint64_t from = whole(at, unit_ns);

	if (vec_reserve(&speedscope->stacks, speedscope->stacks.count + count) < 0 ||
	    vec_reserve(&speedscope->weights, speedscope->weights.count + count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		json_amount weight = stretches->weights.at[i];
		uint64_t to = weight <= JSON_AMOUNT_MAX ? whole(at + weight, unit_ns) : UINT64_MAX;

		if (to > INT64_MAX || to - from > INT64_MAX - speedscope->total_weight) {
			loss_add(speedscope_losses(speedscope),
				 weight <= JSON_AMOUNT_MAX ? LOSS_WEIGHT_OVERFLOW
							   : LOSS_RECORD_MALFORMED,
				 1);
			continue;
		}
		speedscope->stacks.at[speedscope->stacks.count++] = stretches->stacks.at[i];
		speedscope->weights.at[speedscope->weights.count++] = to - from;
		speedscope->total_weight += to - from;
		at += weight;
		from = to;
	}
	return 0;
}

static int end_known(struct speedscope *speedscope, const struct speedscope_stretches *stretches,
		     json_amount start)
{
	const struct speedscope_making *making = &speedscope->making;
	uint64_t stacks = stretches->stacks_seen, weights = stretches->weights_seen;
	size_t count = stretches->stacks.count < stretches->weights.count
			       ? stretches->stacks.count
			       : stretches->weights.count;
	struct speedscope_profile *profile = vec_push(&speedscope->profiles);
	int rc;

	if (!profile)
		return -ENOMEM;
	malformed(speedscope, stacks > weights ? stacks - weights : weights - stacks);
	*profile = (struct speedscope_profile){
		.name = making->name,
		.unit = making->unit,
		.start = whole(start, making->unit_ns),
		.first = speedscope->stacks.count,
	};
	rc = profile->start > INT64_MAX ? 0 : keep(speedscope, stretches, count, start);
	profile->end = speedscope->stacks.count;
	if (profile->start > INT64_MAX)
		malformed(speedscope, 1);
	return rc;
}

static void clear(struct speedscope_stretches *stretches)
{
	vec_clear(&stretches->stacks);
	vec_clear(&stretches->weights);
	stretches->stacks_seen = 0;
	stretches->weights_seen = 0;
}

int speedscope_profile_end(struct speedscope *speedscope)
{
	struct speedscope_making *making = &speedscope->making;
	bool has_events = making->first_at != SPEEDSCOPE_NO_AMOUNT;
	int rc = 0;

	if (speedscope->profiles.count >= SPEEDSCOPE_PROFILES_MAX) {
		loss_add(speedscope_losses(speedscope), LOSS_SAMPLE_BUDGET,
			 making->sampled.stacks_seen + making->evented.stacks_seen);
	} else if (making->type == SPEEDSCOPE_SAMPLED) {
		rc = end_known(speedscope, &making->sampled, making->start);
	} else if (making->type == SPEEDSCOPE_EVENTED) {
		malformed(speedscope, making->open_count + making->open_beyond);
		rc = end_known(speedscope, &making->evented, has_events ? making->first_at : 0);
	} else {
		malformed(speedscope, 1);
	}
	clear(&making->sampled);
	clear(&making->evented);
	return rc;
}
