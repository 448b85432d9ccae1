/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds the contents of a speedscope file to the model.
 *
 * Each profile becomes a thread with the profile's name. The values of a profile belong to one of
 * three events: "time", "bytes" or "weight". Each stretch becomes one sample, whatever its weight.
 * If weights differ, shares (percentages) are computed from weights. Timestamps are relative to the
 * profile's startValue, as speedscope displays them.
 *
 * A file written by assay export is different: each profile is an event, and the outermost frame of
 * each stack is the name of a thread. Such a profile contains the samples of all CPUs, which ran in
 * parallel, so timestamps cannot be computed by adding up weights. Profiles without timestamps are
 * placed at the start of the profiles with timestamps.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "import/speedscope-private.h"
#include "model/wait.h"

/* Ids of the model that were created for a node of the stack tree. */
struct row_of_node {
	uint32_t stack;
	/* id of the thread; only in files of assay export, otherwise 0 */
	uint32_t thread;
};

struct row_of_frame {
	/* id of the location; 0: not created yet, or a limit was reached */
	uint32_t location;
	bool is_made;
	bool is_kernel;
};

/*
 * Position in a profile whose samples are being added. The samples of all profiles are merged in
 * time order.
 */
struct cursor {
	uint64_t time_ns;		/* timestamp of the next sample */
	size_t next, end;
	uint32_t thread, profile;
	uint8_t event;
	bool has_time;
};

struct making {
	struct speedscope *speedscope;
	VEC(struct row_of_node) nodes;
	VEC(struct row_of_frame) frames;
	VEC(struct cursor) heap;	/* earliest first */
	/* time range of all profiles that have timestamps; UINT64_MAX and 0: there are none */
	uint64_t first_ns, last_ns;
	bool any_without_time, any_line, any_callers;
};

static void making_fini(struct making *making)
{
	vec_free(&making->nodes);
	vec_free(&making->frames);
	vec_free(&making->heap);
}

static struct model *model_of(const struct making *making)
{
	return making->speedscope->named.import->model;
}

static const char *string_of(const struct making *making, uint32_t string)
{
	return model_string(model_of(making), string);
}

/* ---- frames ---- */

/*
 * Returns the image of a frame. If the file gives no image for the frame, uses the frame's file,
 * even if that is a source file. So functions with equal names in different files are different
 * functions.
 */
static uint32_t image_of(struct making *making, const struct speedscope_frame *frame,
			 bool *ret_kernel)
{
	struct named *named = &making->speedscope->named;
	uint32_t file = frame->image ? frame->image : frame->file;
	const char *path = string_of(making, file);

	*ret_kernel = strncmp(path, "[kernel", 7) == 0;
	if (*ret_kernel)
		return named_image(named, file, IMAGE_KERNEL);
	if (!*path)
		file = named_string(named, "[unknown]", 9);
	return named_image(named, file, IMAGE_UNKNOWN);
}

static void make_frame(struct making *making, uint32_t number)
{
	struct speedscope *speedscope = making->speedscope;
	struct row_of_frame *row = &making->frames.at[number];
	const struct speedscope_frame *frame = &speedscope->frames.at[number];
	bool is_source = !speedscope->is_ours || frame->image;
	struct named_line line = {
		.name = frame->name,
		.file = is_source ? frame->file : 0,
		.line = frame->line,
	};
	struct named_place place = { .lines = &line, .line_count = frame->name != 0 };

	row->is_made = true;
	place.image = image_of(making, frame, &row->is_kernel);
	making->any_line |= line.line != 0;
	row->location = named_location(&speedscope->named, &place);
}

/*
 * Returns the location of a frame. For a frame number that does not exist, returns a location in an
 * unknown image.
 */
static uint32_t location_of(struct making *making, uint32_t frame)
{
	const struct named_place nowhere = { .line_count = 0 };

	if (frame >= making->frames.count) {
		loss_add(&model_of(making)->losses, LOSS_REFERENCE_MISSING, 1);
		return named_location(&making->speedscope->named, &nowhere);
	}
	if (!making->frames.at[frame].is_made)
		make_frame(making, frame);
	return making->frames.at[frame].location;
}

/* ---- stacks ---- */

/*
 * Handles the special frames in a file that assay export wrote. The outermost frame is the name of
 * the thread. The next frame may be a text that says why outer frames are missing.
 */
static bool take_our_own(struct making *making, const struct speedscope_node *node,
			 struct row_of_node *row)
{
	struct speedscope *speedscope = making->speedscope;
	enum stack_root root;
	const struct speedscope_frame *frame;
	const char *name;

	if (node->frame >= speedscope->frames.count)
		return false;
	frame = &speedscope->frames.at[node->frame];
	name = string_of(making, frame->name);
	if (node->parent < STACK_ROOT_COUNT) {
		if (node->parent != STACK_ROOT_END)
			return false;
		row->thread = named_thread(&speedscope->named, frame->name, 0, 0);
		row->stack = STACK_ROOT_END;
		return true;
	}
	if (speedscope->nodes.at[node->parent].parent >= STACK_ROOT_COUNT || frame->file ||
	    !stack_root_of_name(name, strlen(name), &root))
		return false;
	row->stack = root;
	return true;
}

static void make_node(struct making *making, size_t number)
{
	struct speedscope *speedscope = making->speedscope;
	const struct speedscope_node *node = &speedscope->nodes.at[number];
	struct row_of_node *row = &making->nodes.at[number];
	const struct row_of_node *parent = &making->nodes.at[node->parent];

	row->thread = parent->thread;
	row->stack = parent->stack;
	if (speedscope->is_ours && take_our_own(making, node, row))
		return;
	making->any_callers |= row->stack >= STACK_ROOT_COUNT;
	row->stack = named_call(&speedscope->named, row->stack, location_of(making, node->frame));
}

static int make_nodes(struct making *making)
{
	size_t count = making->speedscope->nodes.count;
	size_t frame_count = making->speedscope->frames.count;

	if (vec_reserve(&making->nodes, count) < 0 || vec_reserve(&making->frames, frame_count) < 0)
		return -ENOMEM;
	making->nodes.count = count;
	making->frames.count = frame_count;
	memset(making->nodes.at, 0, count * sizeof(*making->nodes.at));
	if (frame_count)
		memset(making->frames.at, 0, frame_count * sizeof(*making->frames.at));
	for (uint32_t i = 0; i < STACK_ROOT_COUNT; i++)
		making->nodes.at[i].stack = i;
	for (size_t i = STACK_ROOT_COUNT; i < count; i++)
		make_node(making, i);
	return 0;
}

/* ---- events ---- */

static int event_of(struct making *making, const struct speedscope_profile *profile)
{
	static const char *const names[] = {
		[SPEEDSCOPE_NUMBER] = "weight",
		[SPEEDSCOPE_BYTES] = "bytes",
		[SPEEDSCOPE_TIME] = "time",
	};
	struct named *named = &making->speedscope->named;
	const char *name = names[profile->unit];
	uint32_t string = profile->name;

	if (!making->speedscope->is_ours || !string)
		string = named_string(named, name, strlen(name));
	return named_event(named, string, profile->unit == SPEEDSCOPE_TIME);
}

struct weights {
	uint64_t count, total, first;
	bool differ;
};

static void look_at_weights(const struct speedscope *speedscope,
			    const struct speedscope_profile *profile, struct weights *weights)
{
	for (size_t i = profile->first; i < profile->end; i++) {
		uint64_t weight = speedscope->weights.at[i];

		if (speedscope->stacks.at[i] == SPEEDSCOPE_NO_STACK)
			continue;
		if (weights->count++ == 0)
			weights->first = weight;
		weights->differ |= weight != weights->first;
		weights->total += weight;
	}
}

/*
 * Sets the event's period if all samples have the same weight. For a clock whose samples have
 * different weights, uses their mean. Wait events get no period, because waits differ in length.
 */
static void set_period(struct model *model, struct event *event, const struct weights *weights)
{
	uint64_t mean;

	if (!weights->count || wait_kind_of_name(model_string(model, event->name)) >= 0)
		return;
	event->period = weights->differ ? 0 : weights->first;
	mean = weights->total / weights->count;
	if (!event->is_time || !weights->differ || !mean)
		return;
	named_clock(event, mean);
}

/* ---- profiles, by the time of their next samples ---- */

static bool is_before(const struct cursor *a, const struct cursor *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->profile < b->profile;
}

static void sift_down(struct making *making, size_t at)
{
	struct cursor *heap = making->heap.at;

	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < making->heap.count && is_before(&heap[child], &heap[least]))
				least = child;
		if (least == at)
			return;
		const struct cursor moved = heap[at];

		heap[at] = heap[least];
		heap[least] = moved;
		at = least;
	}
}

/*
 * Several profiles may have the same name, and each needs a thread of its own. named_thread() would
 * return the first profile's thread for all of them.
 */
static uint32_t thread_of(struct making *making, const struct speedscope_profile *profile)
{
	struct model *model = model_of(making);
	size_t before = model->threads.count;
	uint32_t thread;

	if (making->speedscope->is_ours)
		return 0;
	thread = named_thread(&making->speedscope->named, profile->name, 0, 0);
	if (!thread || model->threads.count > before)
		return thread;
	return model_thread_add(model, &(struct thread){
					       .process = model->threads.at[thread].process,
					       .comm = profile->name,
				       });
}

static int add_cursor(struct making *making, size_t number, int event)
{
	struct speedscope *speedscope = making->speedscope;
	const struct speedscope_profile *profile = &speedscope->profiles.at[number];
	struct cursor *cursor;

	if (profile->first == profile->end)
		return 0;
	cursor = vec_push(&making->heap);
	if (!cursor)
		return -ENOMEM;
	*cursor = (struct cursor){
		.next = profile->first,
		.end = profile->end,
		.thread = thread_of(making, profile),
		.profile = (uint32_t)number,
		.event = (uint8_t)event,
		.has_time = !speedscope->is_ours && profile->unit == SPEEDSCOPE_TIME,
	};
	making->any_without_time |= !cursor->has_time;
	if (!cursor->has_time)
		return 0;
	cursor->time_ns = profile->start;
	if (profile->start < making->first_ns)
		making->first_ns = profile->start;
	return 0;
}

static int make_cursors(struct making *making)
{
	struct speedscope *speedscope = making->speedscope;
	struct weights weights[NAMED_EVENTS_MAX] = { 0 };
	struct model *model = model_of(making);

	making->first_ns = UINT64_MAX;
	for (size_t i = 0; i < speedscope->profiles.count; i++) {
		const struct speedscope_profile *profile = &speedscope->profiles.at[i];
		int event = event_of(making, profile), rc;

		if (event == -ENOSPC) {
			loss_add(&model->losses, LOSS_EVENT_UNKNOWN, profile->end - profile->first);
			continue;
		}
		rc = event < 0 ? event : add_cursor(making, i, event);
		if (rc < 0)
			return rc;
		look_at_weights(speedscope, profile, &weights[event]);
	}
	for (size_t i = 0; i < model->events.count; i++)
		set_period(model, &model->events.at[i], &weights[i]);
	for (size_t i = 0; i < making->heap.count && making->first_ns < UINT64_MAX; i++)
		if (!making->heap.at[i].has_time)
			making->heap.at[i].time_ns = making->first_ns;
	for (size_t i = making->heap.count; i-- > 0;)
		sift_down(making, i);
	return 0;
}

/* ---- samples ---- */

static uint32_t stack_of(struct making *making, uint32_t node)
{
	if (node >= STACK_ROOT_COUNT)
		return making->nodes.at[node].stack;
	return named_stack(&making->speedscope->named, NULL, 0, STACK_ROOT_NONE);
}

static bool is_kernel(const struct making *making, uint32_t node)
{
	uint32_t frame;

	if (node < STACK_ROOT_COUNT)
		return false;
	frame = making->speedscope->nodes.at[node].frame;
	return frame < making->frames.count && making->frames.at[frame].is_kernel;
}

static int add_sample(struct making *making, const struct cursor *cursor, struct err *err)
{
	struct speedscope *speedscope = making->speedscope;
	uint32_t node = speedscope->stacks.at[cursor->next];
	struct sample sample = {
		.time_ns = cursor->time_ns,
		.weight = speedscope->weights.at[cursor->next],
		.thread = cursor->thread,
		.late_ns = LATE_UNKNOWN,
		.event = cursor->event,
		.context = is_kernel(making, node) ? CONTEXT_KERNEL : CONTEXT_USER,
	};

	if (cursor->has_time && making->last_ns < sample.time_ns + sample.weight)
		making->last_ns = sample.time_ns + sample.weight;
	sample.stack = stack_of(making, node);
	if (speedscope->is_ours && node >= STACK_ROOT_COUNT)
		sample.thread = making->nodes.at[node].thread;
	return named_add(&speedscope->named, &sample, 1, err);
}

static int add_samples(struct making *making, struct err *err)
{
	const struct speedscope *speedscope = making->speedscope;

	while (making->heap.count) {
		struct cursor *first = &making->heap.at[0];

		if (speedscope->stacks.at[first->next] != SPEEDSCOPE_NO_STACK) {
			int rc = add_sample(making, first, err);

			if (rc != 0)
				return rc;
		}
		if (first->has_time)
			first->time_ns += speedscope->weights.at[first->next];
		if (++first->next == first->end)
			*first = making->heap.at[--making->heap.count];
		sift_down(making, 0);
	}
	return 0;
}

static void tell(const struct making *making)
{
	static const enum import_lack lacks[] = {
		LACK_CPU,    LACK_DATE,	     LACK_OWNERS,    LACK_LATENESS,
		LACK_LEDGER, LACK_PROCESSES, LACK_BUILD_IDS,
	};
	struct import *import = making->speedscope->named.import;

	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		import_lacks(import, lacks[i]);
	if (!model_fact(import->model, FACT_COMMAND))
		import_lacks(import, LACK_HOST);
	if (making->any_without_time)
		import_lacks(import, LACK_TIME);
	if (!making->any_line)
		import_lacks(import, LACK_PLACES);
	if (!making->any_callers)
		import_lacks(import, LACK_CALLERS);
	if (making->last_ns) {
		import->first_ns = making->first_ns;
		import->last_ns = making->last_ns;
	}
}

int speedscope_make_rows(struct speedscope *speedscope, struct err *err)
{
	_cleanup_(making_fini) struct making making = { .speedscope = speedscope };
	int rc = make_nodes(&making);

	if (rc < 0)
		return rc;
	rc = make_cursors(&making);
	if (rc < 0)
		return rc;
	rc = add_samples(&making, err);
	if (rc != 0)
		return rc;
	tell(&making);
	return 0;
}
