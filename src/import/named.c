/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/named.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/name_text.h"
#include "import/import-private.h"

#define STRING_BYTES_MAX (UINT64_C(1) << 28)
#define STRINGS_MAX (1u << 22)
#define FUNCTIONS_MAX (1u << 20)
#define FUNCTION_BYTES_MAX (UINT64_C(1) << 28)
#define LINES_MAX (1u << 21)
#define LOCATIONS_MAX (1u << 21)
#define NODES_MAX (1u << 24)
#define THREADS_MAX (1u << 20)
/* A record of a counted event with more samples than this becomes one struct sample. */
#define SINGLE_SAMPLES_MAX (1u << 16)
/* beyond this number, records become one struct sample each, and equal consecutive ones one */
#define FILE_SAMPLES_MAX (UINT64_C(3) << 20)

void named_fini(struct named *named)
{
	u64map_fini(&named->functions);
	u64map_fini(&named->processes);
	intern_fini(&named->threads);
	intern_fini(&named->places);
}

static struct model *model_of(const struct named *named)
{
	return named->import->model;
}

static uint32_t lost(const struct named *named, enum loss reason)
{
	loss_add(&model_of(named)->losses, reason, 1);
	return 0;
}

/* ---- names ---- */

uint32_t named_string(struct named *named, const char *text, size_t length)
{
	struct model *model = model_of(named);
	size_t before = model->strings.bytes.count;
	uint32_t string;

	if (length > STRPOOL_MAX) {
		(void)lost(named, LOSS_STRING_CUT);
		length = STRPOOL_MAX;
	}
	if (named->string_bytes > STRING_BYTES_MAX || model->strings.offset.count > STRINGS_MAX)
		return lost(named, LOSS_STRING_BUDGET);
	if (strpool_intern(&model->strings, text, strnlen(text, length), &string) < 0)
		return lost(named, LOSS_MEMORY);
	named->string_bytes += model->strings.bytes.count - before;
	return string;
}

uint32_t named_text(struct named *named, const char *text, size_t length)
{
	_cleanup_free_ char *name = NULL;

	if (!memchr(text, '\\', length))
		return named_string(named, text, length);
	name = malloc(length);
	if (!name)
		return lost(named, LOSS_MEMORY);
	return named_string(named, name, name_text_read(text, length, name));
}

uint32_t named_image(struct named *named, uint32_t path, enum image_kind kind)
{
	return model_image_id(model_of(named), &(struct image){ .kind = kind, .path = path });
}

static struct function function_at(const struct model *model, uint32_t image,
				   const struct named_line *line, uint64_t vaddr)
{
	bool is_known = strcmp(model_string(model, line->name), "[unknown]") != 0;

	return (struct function){
		.name = line->name,
		.linkage_name = line->linkage_name != line->name ? line->linkage_name : 0,
		.image = image,
		.quality = is_known ? QUALITY_SYMTAB : QUALITY_NONE,
		.vaddr = vaddr,
	};
}

/*
 * Returns the id of a function and adds the function if it is new. The recording stores the names
 * of each function separately. So the names of each function count toward the limit, even if other
 * functions have the same names.
 */
static uint32_t function_id(struct named *named, const struct function *function)
{
	struct model *model = model_of(named);
	uint32_t known = model_function_find(model, function);

	if (known)
		return known;
	if (model->functions.count >= FUNCTIONS_MAX || named->function_bytes > FUNCTION_BYTES_MAX)
		return lost(named, LOSS_STRING_BUDGET);
	named->function_bytes += strlen(model_string(model, function->name)) +
				 strlen(model_string(model, function->linkage_name));
	return model_function_id(model, function);
}

static uint32_t line_id(struct named *named, const struct source_line *line)
{
	struct model *model = model_of(named);
	uint32_t known = model_line_find(model, line);

	if (known)
		return known;
	if (model->lines.count >= LINES_MAX)
		return lost(named, LOSS_LINE_BUDGET);
	return model_line_id(model, line);
}

/*
 * Returns the function that contains a place. If the place is given as an offset in its function,
 * the function needs an address: it gets the address at which the function was first seen.
 */
static uint32_t function_of_place(struct named *named, const struct named_place *place)
{
	struct model *model = model_of(named);
	const struct named_line *outermost = &place->lines[place->line_count - 1];
	uint64_t key = (uint64_t)place->image << 32 | outermost->name;
	struct function function = function_at(model, place->image, outermost, 0);
	uint32_t known;

	if (!place->has_offset)
		return function_id(named, &function);
	if (u64map_get(&named->functions, key, &known))
		return known;
	function.vaddr = place->addr - place->offset;
	known = function_id(named, &function);
	if (known && u64map_put(&named->functions, key, known) < 0)
		return lost(named, LOSS_MEMORY);
	return known;
}

/*
 * Adds the lines of a place to the model, from the line in the function that contains the code to
 * the line in the innermost inlined function. Returns the id of the line in the innermost function.
 * Returns 0 if neither lines nor inlined functions are known.
 */
static uint32_t line_of_place(struct named *named, const struct named_place *place,
			      uint32_t function)
{
	const struct model *model = model_of(named);
	const struct named_line *at = place->lines;
	size_t count = place->line_count < NAMED_LINES_MAX ? place->line_count : NAMED_LINES_MAX;
	uint32_t id = 0;

	if (count == 0 || (count == 1 && !at->file && !at->line))
		return 0;
	for (size_t i = count; i-- > 0;) {
		const struct function inlined = function_at(model, place->image, &at[i], 0);
		const struct source_line line = {
			.caller = id,
			.file = at[i].file,
			.line = at[i].line,
			.function = id ? function_id(named, &inlined) : function,
		};

		id = line_id(named, &line);
		if (!id)
			return line.caller;
	}
	return id;
}

/* ---- locations ---- */

struct place_search {
	const struct model *model;
	struct location row;
	bool has_addr;
};

static bool same_place(uint32_t id, const void *arg)
{
	const struct place_search *search = arg;
	const struct location *have = &search->model->locations.at[id], *want = &search->row;

	return have->image == want->image && have->function == want->function &&
	       have->line == want->line && (!search->has_addr || have->vaddr == want->vaddr);
}

static uint64_t hash_place(const struct place_search *search)
{
	const struct location *row = &search->row;
	uint64_t code = hash_pair(row->image, search->has_addr ? row->vaddr : UINT64_MAX);

	return hash_pair(code, (uint64_t)row->function << 32 | row->line);
}

/*
 * Adds a location, even if the model already has a location at the same address. Names and
 * addresses in a file can be arbitrary, so several places can have the same address.
 */
static uint32_t new_location(struct named *named, const struct place_search *search)
{
	struct model *model = model_of(named);
	const struct location *row = &search->row;
	uint64_t vaddr = search->has_addr ? row->vaddr : model->locations.count;
	uint32_t location = model_location_find(model, row->image, vaddr);

	if (model->locations.count > LOCATIONS_MAX)
		return lost(named, LOSS_LOCATION_BUDGET);
	location = location ? model_location_add(model, location)
			    : model_location_id(model, row->image, vaddr);
	if (!location)
		return 0;
	model->locations.at[location].function = row->function;
	model->locations.at[location].line = row->line;
	if (intern_add(&named->places, hash_place(search), location) < 0)
		return lost(named, LOSS_MEMORY);
	return location;
}

uint32_t named_location(struct named *named, const struct named_place *place)
{
	struct model *model = model_of(named);
	struct place_search search = {
		.model = model,
		.row = { .image = place->image, .vaddr = place->addr },
		.has_addr = place->has_addr,
	};
	uint32_t known;

	if (place->line_count) {
		search.row.function = function_of_place(named, place);
		search.row.line = line_of_place(named, place, search.row.function);
	}
	if (place->has_offset && search.row.function)
		search.row.vaddr = model->functions.at[search.row.function].vaddr + place->offset;
	known = intern_find(&named->places, hash_place(&search), same_place, &search);
	return known ? known : new_location(named, &search);
}

/* ---- stacks ---- */

static uint32_t call(struct named *named, uint32_t caller, uint32_t location, bool *is_cut)
{
	struct model *model = model_of(named);
	uint32_t stack;

	if (model->stacks.count < NODES_MAX)
		return model_stack_id(model, caller, location);
	stack = model_stack_find(model, caller, location);
	if (stack)
		return stack;
	*is_cut = true;
	return model_stack_id(model, STACK_ROOT_TRUNCATED, location);
}

uint32_t named_call(struct named *named, uint32_t caller, uint32_t location)
{
	bool is_cut = false;
	uint32_t stack = STACK_ROOT_TRUNCATED;

	if (location)
		stack = call(named, caller, location, &is_cut);
	if (is_cut)
		(void)lost(named, LOSS_STACK_BUDGET);
	return stack;
}

uint32_t named_stack(struct named *named, const uint32_t *locations, size_t count,
		     enum stack_root root)
{
	const struct named_place nowhere = { .line_count = 0 };
	uint32_t stack, unknown;
	bool is_cut = false;
	size_t known = 0;

	while (known < count && known < NAMED_FRAMES_MAX && locations[known])
		known++;
	if (known < count)
		root = STACK_ROOT_TRUNCATED;
	if (known == NAMED_FRAMES_MAX && known < count)
		(void)lost(named, LOSS_STACK_TRUNCATED);
	if (known == 0) {
		unknown = named_location(named, &nowhere);
		locations = &unknown;
		known = unknown != 0;
	}
	stack = root;
	for (size_t i = known; i-- > 0 && !is_cut;)
		stack = call(named, stack, locations[i], &is_cut);
	if (is_cut) {
		(void)lost(named, LOSS_STACK_BUDGET);
		stack = model_stack_id(model_of(named), STACK_ROOT_TRUNCATED, locations[0]);
	}
	return stack;
}

/* ---- threads and events ---- */

static uint32_t process_of(struct named *named, uint32_t comm, uint32_t tgid)
{
	struct model *model = model_of(named);
	uint64_t key = tgid ? tgid : (uint64_t)comm << 32;
	struct process process = { .tgid = tgid, .uid = UINT32_MAX };
	uint32_t known;

	if (u64map_get(&named->processes, key, &known))
		return known;
	process.application = model_application_id(model, comm);
	if (!process.application)
		return 0;
	process.instance = ++model->applications.at[process.application].instance_count;
	known = model_process_add(model, &process);
	if (u64map_put(&named->processes, key, known) < 0)
		return lost(named, LOSS_MEMORY);
	return known;
}

struct thread_search {
	const struct model *model;
	uint32_t tgid, tid, comm;
};

static bool same_thread(uint32_t id, const void *arg)
{
	const struct thread_search *search = arg;
	const struct thread *have = &search->model->threads.at[id];

	return have->tid == search->tid && have->comm == search->comm &&
	       search->model->processes.at[have->process].tgid == search->tgid;
}

uint32_t named_thread(struct named *named, uint32_t comm, uint32_t tgid, uint32_t tid)
{
	struct model *model = model_of(named);
	const struct thread_search search = { model, tgid, tid, comm };
	uint64_t hash = hash_pair((uint64_t)tgid << 32 | tid, comm);
	struct thread thread = { .tid = tid, .comm = comm };
	uint32_t known = intern_find(&named->threads, hash, same_thread, &search);

	if (known)
		return known;
	if (model->threads.count > THREADS_MAX)
		return lost(named, LOSS_PROCESS_UNKNOWN);
	thread.process = process_of(named, comm, tgid);
	known = model_thread_add(model, &thread);
	if (known && intern_add(&named->threads, hash, known) < 0)
		return lost(named, LOSS_MEMORY);
	return known;
}

int named_event(struct named *named, uint32_t name, bool is_time)
{
	struct model *model = model_of(named);
	struct event *event;

	for (size_t i = 0; i < model->events.count; i++)
		if (model->events.at[i].name == name)
			return (int)i;
	if (model->events.count >= NAMED_EVENTS_MAX)
		return -ENOSPC;
	event = vec_push(&model->events);
	if (!event)
		return -ENOMEM;
	*event = (struct event){ .name = name, .is_time = is_time };
	return (int)model->events.count - 1;
}

void named_clock(struct event *event, uint64_t period_ns)
{
	event->period = period_ns;
	event->frequency_hz = period_ns < NS_PER_SEC ? NS_PER_SEC / period_ns : 1;
}

void named_counted(struct event *event, uint64_t period)
{
	event->type = EVENT_TYPE_COUNTED;
	event->period = period;
}

/* ---- samples ---- */

/*
 * Sets the period of a clock to the weight of its first sample. The weights of other samples may be
 * larger, so shares (percentages) are computed from weights and not from the period.
 */
static void set_period(struct event *event, uint64_t weight)
{
	if (event->is_time && !event->period && weight)
		named_clock(event, weight);
}

/*
 * After FILE_SAMPLES_MAX samples: if @sample equals the previous sample except for the weight, only
 * adds its weight to the previous sample and returns true.
 */
static bool join(struct named *named, const struct sample *sample)
{
	struct sample_batch *batch = &named->import->batch;
	struct sample *last;

	if (named->sample_count <= FILE_SAMPLES_MAX || batch->samples.count == 0)
		return false;
	last = &batch->samples.at[batch->samples.count - 1];
	if (last->time_ns != sample->time_ns || last->thread != sample->thread ||
	    last->stack != sample->stack || last->cpu != sample->cpu ||
	    last->event != sample->event || last->context != sample->context)
		return false;
	last->weight += sample->weight;
	return true;
}

/* Returns how many rows of the recording a record that counts @count samples becomes. */
static uint64_t rows_of(const struct named *named, const struct event *event, uint64_t count)
{
	if (named->sample_count > FILE_SAMPLES_MAX)
		return count ? 1 : 0;
	if (event_is_counted(event) && count > SINGLE_SAMPLES_MAX)
		return 1;
	return count;
}

/* Keeps each sum of weights, and so each sum of samples, within what a recording can hold. */
static bool fits(struct named *named, const struct sample *sample, uint64_t count)
{
	uint64_t *total = &named->event_weight[sample->event];

	if (sample->weight > INT64_MAX - *total) {
		loss_add(&model_of(named)->losses, LOSS_WEIGHT_OVERFLOW, count);
		return false;
	}
	*total += sample->weight;
	return true;
}

int named_add(struct named *named, const struct sample *sample, uint64_t count, struct err *err)
{
	struct import *import = named->import;
	struct event *event = &import->model->events.at[sample->event];
	uint64_t kept = rows_of(named, event, count);

	if (kept == 0 || !fits(named, sample, count) || join(named, sample))
		return 0;
	if (named->event_samples[sample->event]++ == 0)
		set_period(event, sample->weight / kept);
	for (uint64_t i = 0; i < kept; i++) {
		struct sample *slot = vec_push(&import->batch.samples);
		int rc;

		if (!slot)
			return -ENOMEM;
		*slot = *sample;
		slot->weight = sample->weight / kept + (i < sample->weight % kept);
		rc = import_maybe_flush(import, err);
		if (rc != 0)
			return rc;
	}
	named->sample_count += kept;
	return 0;
}
