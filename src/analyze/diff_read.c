/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/call_frame.h"
#include "analyze/diff-private.h"

#include "analyze/file_parts.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"

/* bit in name_marks: the expressions of all conditions have been tried on the name */
#define NAME_MATCHED 1u

uint32_t diff_event_called(const struct model *model, const char *name)
{
	for (uint32_t i = 0; i < model->events.count && i < 256; i++)
		if (strcmp(string_of(model, model->events.at[i].name), name) == 0)
			return i;
	return GROUP_EVENT_ANY;
}

/* ---- names ---- */

static int name_frame(struct diff_reading *reading, uint64_t frame, uint32_t *ret_name)
{
	char scratch[GROUP_IMAGE_NAME_MAX];
	const struct profile profile = { .model = reading->side->model };

	return diff_names_enter(&reading->diff->names, file_name(call_frame_image(&profile, frame)),
				call_frame_name(&profile, frame, scratch), ret_name);
}

static int name_key(struct diff_reading *reading, enum dimension dimension, uint64_t key,
		    uint32_t *ret_name)
{
	_cleanup_free_ char *label = NULL;

	if (dimension == BY_FUNCTION)
		return name_frame(reading, key, ret_name);
	label = malloc(STRPOOL_MAX + 1);
	if (!label)
		return -ENOMEM;
	if (dimension == BY_LINE)
		file_parts_label(reading->parts, &reading->profile, key, label, STRPOOL_MAX + 1);
	else
		group_label(&reading->profile, dimension, key, label, STRPOOL_MAX + 1);
	return diff_names_enter(&reading->diff->names, "",
				dimension == BY_IMAGE ? file_name(label) : label, ret_name);
}

/*
 * Returns the name of a key. The first call for a key makes the name; later calls return the same
 * name from @labels.
 */
static int label_of(struct diff_reading *reading, struct diff_labels *labels,
		    enum dimension dimension, uint64_t key, uint32_t *ret_name)
{
	uint32_t position, *name;

	if (!labels->names.count && !vec_push(&labels->names))
		return -ENOMEM;
	if (intern_number(&labels->index, key, (uint32_t)labels->names.count, &position) < 0)
		return -ENOMEM;
	if (position == labels->names.count) {
		name = vec_push(&labels->names);
		if (!name)
			return -ENOMEM;
		if (name_key(reading, dimension, key, name) < 0)
			return -ENOMEM;
	}
	*ret_name = labels->names.at[position];
	return 0;
}

int diff_reading_keys(struct diff_reading *reading, const struct hit *hit,
		      uint32_t ret_keys[static GROUP_KEYS_MAX])
{
	const struct diff_options *options = &reading->diff->options;

	memset(ret_keys, 0, GROUP_KEYS_MAX * sizeof(*ret_keys));
	if (options->by_stack) {
		ret_keys[0] = reading->classes.at[hit->stack_class].path;
		return 0;
	}
	for (size_t i = 0; i < options->by_count; i++) {
		int rc = label_of(reading, &reading->labels[i], options->by[i],
				  dimension_key(&reading->profile, options->by[i], hit),
				  &ret_keys[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- stacks ---- */

/* Writes a bit mask of the conditions whose expression matches the name. */
static int marks_of_name(struct diff_reading *reading, uint32_t name, uint32_t *ret_marks)
{
	const struct diff *diff = reading->diff;
	uint32_t *marks;

	while (reading->name_marks.count <= name)
		if (!vec_push(&reading->name_marks))
			return -ENOMEM;
	marks = &reading->name_marks.at[name];
	for (size_t i = 0; !(*marks & NAME_MATCHED) && i < diff->options.condition_count; i++)
		if (regexec(&diff->options.conditions[i].regex, diff_name_text(&diff->names, name),
			    0, NULL, 0) == 0)
			*marks |= 2u << i;
	*marks |= NAME_MATCHED;
	*ret_marks = *marks >> 1;
	return 0;
}

/*
 * Returns a bit mask of the conditions on `total`, which apply to all frames of a stack and not
 * only to the innermost frame.
 */
static uint32_t total_conditions(const struct diff_options *options)
{
	uint32_t marks = 0;

	for (size_t i = 0; i < options->condition_count; i++)
		marks |= options->conditions[i].total ? 1u << i : 0;
	return marks;
}

static int class_of(struct diff_reading *reading, struct diff_class wanted, uint32_t *ret_class)
{
	uint64_t number = (uint64_t)wanted.path << 32 | wanted.marks;
	struct diff_class *entry;

	if (intern_number(&reading->class_index, number, (uint32_t)reading->classes.count,
			  ret_class) < 0)
		return -ENOMEM;
	if (*ret_class < reading->classes.count)
		return 0;
	entry = vec_push(&reading->classes);
	if (!entry)
		return -ENOMEM;
	*entry = wanted;
	return 0;
}

/* Extends the stack that @class describes by one frame at the inner end. */
static int classify(struct diff_reading *reading, uint64_t frame, struct diff_class *class)
{
	uint32_t name, marks = 0;
	int rc = label_of(reading, &reading->frames, BY_FUNCTION, frame, &name);

	if (rc < 0)
		return rc;
	rc = marks_of_name(reading, name, &marks);
	if (rc < 0)
		return rc;
	class->marks = (class->marks & total_conditions(&reading->diff->options)) | marks;
	if (!reading->diff->options.by_stack)
		return 0;
	return diff_names_enter_path(&reading->diff->names, class->path, name, &class->path);
}

/*
 * Extends the stack that @class describes by the frames of one location, from the outermost
 * inwards.
 */
static int classify_location(struct diff_reading *reading, uint32_t location,
			     struct diff_class *class)
{
	const struct profile profile = { .model = reading->side->model,
					 .inlined = reading->diff->options.inlined };
	uint64_t frames[CALL_FRAMES_MAX];
	size_t left = call_frames_of(&profile, location, frames);

	while (left-- > 0) {
		int rc = classify(reading, frames[left], class);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Sets @class to the class of a stack without frames. If the stack was cut, adds one frame that
 * gives the reason.
 */
static int classify_root(struct diff_reading *reading, uint32_t root, struct diff_class *class)
{
	*class = (struct diff_class){ 0 };
	if (root == STACK_ROOT_END)
		return 0;
	return classify(reading, call_frame_of_root((enum stack_root)root), class);
}

/*
 * Classifies all stacks in the order of their ids. The class of a stack's parent is then always
 * known already.
 */
static int classify_stacks(struct diff_reading *reading)
{
	const struct model *model = reading->side->model;

	for (uint32_t id = 0; id < model->stacks.count; id++) {
		const struct stack_node *node = &model->stacks.at[id];
		struct diff_class class;
		int rc;

		if (id < STACK_ROOT_COUNT) {
			rc = classify_root(reading, id, &class);
		} else {
			uint32_t parent = node->parent < id ? node->parent : STACK_ROOT_BROKEN;

			class = reading->classes.at[reading->stack_classes[parent]];
			rc = classify_location(reading, node->location, &class);
		}
		if (rc < 0)
			return rc;
		rc = class_of(reading, class, &reading->stack_classes[id]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int make_classes(struct diff_reading *reading)
{
	const struct diff_options *options = &reading->diff->options;
	size_t count = reading->side->model->stacks.count;

	if (!vec_push(&reading->classes))
		return -ENOMEM;
	if (!options->by_stack && !options->condition_count)
		return 0;
	reading->stack_classes = calloc(count < STACK_ROOT_COUNT ? STACK_ROOT_COUNT : count,
					sizeof(*reading->stack_classes));
	return reading->stack_classes ? classify_stacks(reading) : -ENOMEM;
}

uint32_t diff_reading_marks(const struct diff_reading *reading, const struct hit *hit)
{
	return reading->classes.at[hit->stack_class].marks;
}

/* ---- time ---- */

struct range {
	uint64_t from_ns, to_ns;
};

static int widen(void *context, const struct sample_batch *batch)
{
	struct range *range = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		uint64_t time_ns = batch->samples.at[i].time_ns;

		range->from_ns = time_ns < range->from_ns ? time_ns : range->from_ns;
		range->to_ns = time_ns > range->to_ns ? time_ns : range->to_ns;
	}
	return 0;
}

/*
 * Finds the time range of the recording. If the recording is unfinished, reads all samples to find
 * the range. This adds damaged blocks to the losses in the model. The losses are restored
 * afterwards, because the next pass over the recording counts the same blocks again.
 */
static int find_range(const struct diff_side *side, struct range *ret_range, struct err *err)
{
	struct losses losses = side->model->losses;
	uint64_t start_ns = model_fact_u64(side->model, FACT_START_NS);
	uint64_t end_ns = model_fact_u64(side->model, FACT_END_NS);
	int rc;

	*ret_range = (struct range){ start_ns, end_ns };
	if (start_ns && end_ns > start_ns)
		return 0;
	*ret_range = (struct range){ start_ns ? start_ns : UINT64_MAX, 0 };
	rc = recording_each_block(side->recording, side->model, NULL, widen, ret_range, err);
	side->model->losses = losses;
	if (ret_range->to_ns < ret_range->from_ns)
		ret_range->to_ns = ret_range->from_ns;
	return rc;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Sets the time range of the reading to the part of @range that the filter selects. Returns the
 * length of a slice in ns, such that RATIO_BLOCKS slices are as long as the time range.
 */
static uint64_t set_range(struct diff_reading *reading, const struct range *range)
{
	const struct filter *filter = reading->side->filter;
	uint64_t whole_ns = range->to_ns - range->from_ns;
	uint64_t from_ns = filter ? least(filter->from_ns, whole_ns) : 0;
	uint64_t to_ns = filter ? least(filter->to_ns, whole_ns) : whole_ns;
	uint64_t slice_ns = (to_ns - from_ns) / RATIO_BLOCKS + 1;

	reading->from_ns = range->from_ns + from_ns;
	reading->to_ns = range->from_ns + to_ns;
	reading->first_slice = (uint32_t)least(from_ns / slice_ns, UINT32_MAX);
	return slice_ns;
}

size_t diff_reading_block(const struct diff_reading *reading, const struct hit *hit)
{
	uint32_t first = reading->first_slice;

	if (hit->time_slice <= first)
		return 0;
	return (size_t)least(hit->time_slice - first, DIFF_BLOCKS - 1);
}

uint64_t diff_reading_block_ns(const struct diff_reading *reading, size_t block)
{
	uint64_t slice_ns = reading->profile.slice_ns, start_ns = reading->profile.start_ns;
	uint64_t from_ns = start_ns + (reading->first_slice + block) * slice_ns;
	uint64_t to_ns = least(from_ns + slice_ns, reading->to_ns);

	if (from_ns < reading->from_ns)
		from_ns = reading->from_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* ---- the whole recording ---- */

static bool wants_contexts(const struct diff_reading *reading)
{
	const struct diff_options *options = &reading->diff->options;

	return (reading->side->filter && reading->side->filter->contexts) ||
	       dimensions_have(options->by, options->by_count, BY_CONTEXT);
}

int diff_reading_init(struct diff_reading *reading, const struct diff_side *side, struct diff *diff,
		      struct err *err)
{
	const struct diff_options *by = &diff->options;
	struct profile_options options = {
		.filter = side->filter,
		.metric = &reading->metric,
		.inlined = by->inlined,
		.by_chance = true,
	};
	const struct metric_options metric = { .filter = side->filter, .states = by->by_stack };
	struct range range;
	int rc;

	*reading = (struct diff_reading){ .side = side, .diff = diff };
	rc = find_range(side, &range, err);
	if (rc < 0)
		return rc;
	rc = metric_make(side->recording, side->model, &metric, &reading->metric, err);
	if (rc < 0)
		return rc;
	if (make_classes(reading) < 0)
		return err_set(err, -ENOMEM, "no memory for the stacks of the recording");
	options.slice_ns = set_range(reading, &range);
	options.by_cpu = dimensions_have(by->by, by->by_count, BY_CPU);
	options.by_address = dimensions_have(by->by, by->by_count, BY_LINE);
	dimensions_field_masks(by->by, by->by_count, options.field_masks);
	options.stack_classes = reading->stack_classes;
	reading->all_contexts = wants_contexts(reading);
	return profile_read(side->recording, side->model, &options, &reading->profile, err);
}

static void labels_fini(struct diff_labels *labels)
{
	intern_fini(&labels->index);
	vec_free(&labels->names);
}

void diff_reading_fini(struct diff_reading *reading)
{
	profile_fini(&reading->profile);
	metric_fini(&reading->metric);
	free(reading->stack_classes);
	vec_free(&reading->classes);
	intern_fini(&reading->class_index);
	vec_free(&reading->name_marks);
	labels_fini(&reading->frames);
	for (size_t i = 0; i < GROUP_KEYS_MAX; i++)
		labels_fini(&reading->labels[i]);
}
