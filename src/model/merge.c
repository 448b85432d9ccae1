/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/merge.h"

#include <errno.h>
#include <inttypes.h>

#include "base/hash.h"
#include "model/merge-private.h"

#define EVENTS_MAX 255u		/* struct sample has 8 bits for the event */
#define COUNTERS_MAX 32u	/* of a sample; store/sample_block.h has the same limit */

void model_merge_init(struct model_merge *merge, struct model *into, uint64_t base_ns)
{
	*merge = (struct model_merge){ .into = into, .base_ns = base_ns, .next_ns = base_ns };
}

void model_merge_fini(struct model_merge *merge)
{
	intern_fini(&merge->places);
	u64map_fini(&merge->named);
}

void model_map_fini(struct model_map *map)
{
	free(map->images);
	free(map->applications);
	free(map->processes);
	free(map->threads);
	free(map->functions);
	free(map->lines);
	free(map->locations);
	free(map->stacks);
	free(map->moved);
	vec_free(&map->counters);
	*map = (struct model_map){ 0 };
}

static int map_init(struct model_map *map, const struct model *from)
{
	*map = (struct model_map){
		.images = calloc(from->images.count, sizeof(uint32_t)),
		.applications = calloc(from->applications.count, sizeof(uint32_t)),
		.processes = calloc(from->processes.count, sizeof(uint32_t)),
		.threads = calloc(from->threads.count, sizeof(uint32_t)),
		.functions = calloc(from->functions.count, sizeof(uint32_t)),
		.lines = calloc(from->lines.count, sizeof(uint32_t)),
		.locations = calloc(from->locations.count, sizeof(uint32_t)),
		.stacks = calloc(from->stacks.count, sizeof(uint32_t)),
		.moved = calloc(from->images.count, sizeof(uint64_t)),
		.stack_count = from->stacks.count,
		.thread_count = from->threads.count,
	};
	return map->images && map->applications && map->processes && map->threads &&
			       map->functions && map->lines && map->locations && map->stacks &&
			       map->moved
		       ? 0
		       : -ENOMEM;
}

uint64_t merge_time(const struct model_map *map, uint64_t ns)
{
	int64_t shifted = (int64_t)(ns + map->shift_ns);

	if (!ns)
		return 0;
	return shifted > 0 ? (uint64_t)shifted : 1;
}

static uint32_t string_to(struct model *into, const struct model *from, uint32_t string)
{
	return string ? model_intern(into, model_string(from, string)) : 0;
}

/* ---- events ---- */

static const char *unit_of(const struct event *event)
{
	return event->is_time ? "ns" : "events";
}

static int check_event(const struct event *have, const struct event *want, const char *name,
		       struct err *err)
{
	if (have->is_time != want->is_time)
		return err_set(err, -EINVAL,
			       "event %s counts %s, but %s in an earlier recording; samples of "
			       "different units cannot be added",
			       name, unit_of(want), unit_of(have));
	if (have->is_counter != want->is_counter)
		return err_set(err, -EINVAL,
			       "event %s is sampled in one recording and counted in another", name);
	if (event_is_counted(have) != event_is_counted(want))
		return err_set(
			err, -EINVAL,
			"event %s has counted samples in one recording and single samples in "
			"another; such samples cannot be added",
			name);
	if (have->period != want->period)
		return err_set(err, -EINVAL,
			       "event %s has a period of %" PRIu64 " %s, but of %" PRIu64
			       " in an earlier recording; such samples cannot be added",
			       name, want->period, unit_of(want), have->period);
	if (have->frequency_hz != want->frequency_hz)
		return err_set(err, -EINVAL,
			       "event %s has a frequency of %" PRIu64 " Hz, but of %" PRIu64
			       " Hz in an earlier recording; such samples cannot be added",
			       name, want->frequency_hz, have->frequency_hz);
	return 0;
}

/* Returns the event with the name of @event, or the number of events if there is none. */
static size_t event_find(const struct model *into, const char *name)
{
	size_t i = 0;

	while (i < into->events.count &&
	       strcmp(model_string(into, into->events.at[i].name), name) != 0)
		i++;
	return i;
}

static int add_event(struct model *into, const struct event *event, const char *name,
		     struct err *err)
{
	size_t at = event_find(into, name);
	struct event *copy;

	if (at < into->events.count) {
		into->events.at[at].has_ticks |= event->has_ticks;
		return check_event(&into->events.at[at], event, name, err);
	}
	if (at >= EVENTS_MAX)
		return err_set(err, -E2BIG, "the recordings have too many different events");
	copy = vec_push(&into->events);
	if (!copy)
		return err_sys(err, -ENOMEM, "event %s", name);
	*copy = *event;
	copy->name = model_intern(into, name);
	return 0;
}

static uint32_t count_counters(const struct model *model)
{
	uint32_t count = 0;

	for (size_t i = 0; i < model->events.count; i++)
		count += model->events.at[i].is_counter;
	return count;
}

int model_merge_check(struct model_merge *merge, const struct model *from, struct err *err)
{
	const char *arch = model_fact(from, FACT_ARCH);
	const char *have = model_fact(merge->into, FACT_ARCH);

	if (arch && have && strcmp(arch, have) != 0)
		return err_set(err, -EINVAL,
			       "was recorded on %s, but an earlier recording on %s; recordings of "
			       "different architectures cannot be merged",
			       arch, have);
	if (arch)
		model_fact_set(merge->into, FACT_ARCH, "%s", arch);
	for (size_t i = 0; i < from->events.count; i++) {
		const struct event *event = &from->events.at[i];
		int rc = add_event(merge->into, event, model_string(from, event->name), err);

		if (rc < 0)
			return rc;
	}
	if (count_counters(merge->into) > COUNTERS_MAX)
		return err_set(err, -E2BIG, "the recordings have too many different counters");
	return 0;
}

/* Counters are columns of the samples, in the order of their events. */
static int map_events(const struct model *into, const struct model *from, struct model_map *map)
{
	map->counter_count = count_counters(into);
	for (size_t i = 0; i < from->events.count && i < EVENTS_MAX; i++) {
		size_t to = event_find(into, model_string(from, from->events.at[i].name));
		uint8_t *column;

		map->events[i] = (uint8_t)to;
		if (!from->events.at[i].is_counter)
			continue;
		column = vec_push(&map->counters);
		if (!column)
			return -ENOMEM;
		for (size_t k = 0; k < to; k++)
			*column = (uint8_t)(*column + into->events.at[k].is_counter);
	}
	return 0;
}

/* ---- processes ---- */

static int add_applications(struct model *into, const struct model *from, struct model_map *map)
{
	for (size_t i = 1; i < from->applications.count; i++) {
		map->applications[i] = model_application_id(
			into, string_to(into, from, from->applications.at[i].name));
		if (!map->applications[i])
			return -ENOMEM;
	}
	return 0;
}

/* Processes keep the order of their instance numbers: those of this run follow the earlier ones. */
static int add_processes(struct model *into, const struct model *from, struct model_map *map)
{
	for (size_t i = 1; i < from->processes.count; i++) {
		struct process process = from->processes.at[i];

		process.parent = map->processes[process.parent];
		process.application = map->applications[process.application];
		process.instance += into->applications.at[process.application].instance_count;
		process.exe = string_to(into, from, process.exe);
		process.cgroup = string_to(into, from, process.cgroup);
		process.command_line = string_to(into, from, process.command_line);
		process.start_ns = merge_time(map, process.start_ns);
		process.exec_ns = merge_time(map, process.exec_ns);
		map->processes[i] = model_process_add(into, &process);
		if (!map->processes[i])
			return -ENOMEM;
	}
	for (size_t i = 1; i < from->applications.count; i++)
		into->applications.at[map->applications[i]].instance_count +=
			from->applications.at[i].instance_count;
	return 0;
}

/* @begin_ns: no thread of a later run starts before its run; 0: this is the first run. */
static int add_threads(struct model *into, const struct model *from, struct model_map *map,
		       uint64_t begin_ns)
{
	for (size_t i = 1; i < from->threads.count; i++) {
		struct thread thread = from->threads.at[i];

		thread.process = map->processes[thread.process];
		thread.comm = string_to(into, from, thread.comm);
		thread.start_ns = merge_time(map, thread.start_ns);
		if (thread.start_ns < begin_ns)
			thread.start_ns = begin_ns;
		map->threads[i] = model_thread_add(into, &thread);
		if (!map->threads[i])
			return -ENOMEM;
	}
	return 0;
}

/* ---- images ---- */

static bool has_load_address(const struct image *image)
{
	return image->kind == IMAGE_KERNEL || image->kind == IMAGE_MODULE ||
	       image->kind == IMAGE_BPF;
}

/* Other profilers may give nothing but the path of an image. */
static bool has_identity(const struct image *image)
{
	return image->build_id_size || image->dev || image->inode || image->process ||
	       image->base_addr;
}

static int add_images(struct model *into, const struct model *from, struct model_map *map)
{
	for (size_t i = 1; i < from->images.count; i++) {
		struct image image = from->images.at[i];
		uint32_t id;

		image.path = string_to(into, from, image.path);
		image.process = map->processes[image.process];
		id = model_image_id(into, &image);
		if (!id)
			return -ENOMEM;
		map->images[i] = id;
		if (has_load_address(&image) && image.base_addr && into->images.at[id].base_addr)
			map->moved[i] = into->images.at[id].base_addr - image.base_addr;
	}
	return 0;
}

static int add_mappings(struct model *into, const struct model *from, struct model_map *map)
{
	for (size_t i = 1; i < from->mappings.count; i++) {
		struct mapping mapping = from->mappings.at[i];

		mapping.bias -= map->moved[mapping.image];
		mapping.process = map->processes[mapping.process];
		mapping.image = map->images[mapping.image];
		mapping.time_ns = merge_time(map, mapping.time_ns);
		if (!model_mapping_add(into, &mapping))
			return -ENOMEM;
	}
	return 0;
}

/* ---- code ---- */

/* Returns the address of @function in the merged model. */
static uint64_t vaddr_to(const struct model_map *map, const struct function *function)
{
	return function->vaddr || function->size_bytes
		       ? function->vaddr + map->moved[function->image]
		       : 0;
}

static int add_function(struct model_merge *merge, const struct model *from,
			struct function function, const struct model_map *map, uint32_t *ret_id)
{
	struct model *into = merge->into;
	bool by_name = !has_identity(&from->images.at[function.image]);
	uint64_t key;

	function.vaddr = vaddr_to(map, &function);
	function.name = string_to(into, from, function.name);
	function.linkage_name = string_to(into, from, function.linkage_name);
	function.before = string_to(into, from, function.before);
	function.after = string_to(into, from, function.after);
	function.image = map->images[function.image];
	function.family = 0;
	*ret_id = model_function_find(into, &function);
	key = (uint64_t)function.image << 32 | function.name;
	if (*ret_id || (by_name && u64map_get(&merge->named, key, ret_id)))
		return 0;
	*ret_id = model_function_id(into, &function);
	return *ret_id ? 0 : -ENOMEM;
}

static int add_functions(struct model_merge *merge, const struct model *from, struct model_map *map)
{
	for (size_t i = 1; i < from->functions.count; i++) {
		int rc = add_function(merge, from, from->functions.at[i], map, &map->functions[i]);

		if (rc < 0)
			return rc;
	}
	/*
	 * Names become keys only now, because one recording can have several functions with the
	 * same name, which stay apart.
	 */
	for (size_t i = 1; i < from->functions.count; i++) {
		const struct function *function = &merge->into->functions.at[map->functions[i]];
		uint64_t key = (uint64_t)function->image << 32 | function->name;
		uint32_t known;

		if (!has_identity(&merge->into->images.at[function->image]) &&
		    !u64map_get(&merge->named, key, &known) &&
		    u64map_put(&merge->named, key, map->functions[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_lines(struct model *into, const struct model *from, struct model_map *map)
{
	for (size_t i = 1; i < from->lines.count; i++) {
		struct source_line line = from->lines.at[i];

		line.caller = line.caller < i ? map->lines[line.caller] : 0;
		line.file = string_to(into, from, line.file);
		line.function = map->functions[line.function];
		map->lines[i] = model_line_id(into, &line);
		if (!map->lines[i])
			return -ENOMEM;
	}
	return 0;
}

struct place_search {
	const struct model *model;
	struct location row;
};

static bool same_place(uint32_t id, const void *arg)
{
	const struct place_search *search = arg;
	const struct location *have = &search->model->locations.at[id], *want = &search->row;

	return have->vaddr == want->vaddr && have->image == want->image &&
	       have->function == want->function && have->line == want->line;
}

static uint64_t hash_place(const struct location *row)
{
	return hash_pair(hash_pair(row->vaddr, row->image),
			 (uint64_t)row->function << 32 | row->line);
}

/*
 * Several locations can have one address, if the code there was replaced or if the recordings name
 * it differently.
 */
static uint32_t location_to(struct model_merge *merge, const struct location *row)
{
	struct model *into = merge->into;
	const struct place_search search = { .model = into, .row = *row };
	uint64_t hash = hash_place(row);
	uint32_t id = intern_find(&merge->places, hash, same_place, &search);

	if (id)
		return id;
	id = model_location_find(into, row->image, row->vaddr);
	id = id ? model_location_add(into, id) : model_location_id(into, row->image, row->vaddr);
	if (!id)
		return 0;
	into->locations.at[id].function = row->function;
	into->locations.at[id].line = row->line;
	return intern_add(&merge->places, hash, id) < 0 ? 0 : id;
}

/* An address keeps its distance from its function, whose address can be another one now. */
static uint64_t location_vaddr(const struct model_merge *merge, const struct model *from,
			       const struct model_map *map, const struct location *location)
{
	const struct function *was = &from->functions.at[location->function];
	const struct function *is = &merge->into->functions.at[map->functions[location->function]];

	if (location->function && !has_identity(&from->images.at[location->image]) &&
	    was->image == location->image)
		return location->vaddr - was->vaddr + is->vaddr;
	return location->vaddr + map->moved[location->image];
}

static int add_locations(struct model_merge *merge, const struct model *from, struct model_map *map)
{
	for (size_t i = 1; i < from->locations.count; i++) {
		const struct location *location = &from->locations.at[i];
		const struct location row = {
			.image = map->images[location->image],
			.vaddr = location_vaddr(merge, from, map, location),
			.function = map->functions[location->function],
			.line = map->lines[location->line],
		};

		map->locations[i] = location_to(merge, &row);
		if (!map->locations[i])
			return -ENOMEM;
	}
	return 0;
}

static int add_stacks(struct model *into, const struct model *from, struct model_map *map)
{
	for (uint32_t i = 0; i < STACK_ROOT_COUNT; i++)
		map->stacks[i] = i;
	for (size_t i = STACK_ROOT_COUNT; i < from->stacks.count; i++) {
		const struct stack_node *node = &from->stacks.at[i];
		uint32_t parent = node->parent < i ? map->stacks[node->parent] : STACK_ROOT_BROKEN;

		map->stacks[i] = model_stack_id(into, parent, map->locations[node->location]);
		if (map->stacks[i] < STACK_ROOT_COUNT)
			return -ENOMEM;
	}
	return 0;
}

static int add_code(struct model_merge *merge, const struct model *from, struct model_map *map)
{
	int rc = add_functions(merge, from, map);

	if (rc < 0)
		return rc;
	rc = add_lines(merge->into, from, map);
	if (rc < 0)
		return rc;
	rc = add_locations(merge, from, map);
	return rc < 0 ? rc : add_stacks(merge->into, from, map);
}

/* ---- everything ---- */

static int add_rows(struct model_merge *merge, const struct model *from, struct model_map *map)
{
	struct model *into = merge->into;
	int rc = map_events(into, from, map);

	if (rc == 0)
		rc = add_applications(into, from, map);
	if (rc == 0)
		rc = add_processes(into, from, map);
	if (rc == 0)
		rc = add_threads(into, from, map, merge->run_count ? merge->next_ns : 0);
	if (rc == 0)
		rc = add_images(into, from, map);
	if (rc == 0)
		rc = add_mappings(into, from, map);
	if (rc == 0)
		rc = add_code(merge, from, map);
	return rc == 0 ? merge_sums(into, from, map) : rc;
}

int model_merge_add(struct model_merge *merge, const struct model *from,
		    const struct run_span *span, struct model_map *ret_map)
{
	uint32_t first_process = (uint32_t)merge->into->processes.count;
	int rc = map_init(ret_map, from);

	if (rc < 0)
		return rc;
	ret_map->shift_ns = merge->next_ns - span->start_ns;
	rc = add_rows(merge, from, ret_map);
	if (rc < 0)
		return rc;
	if (span->end_ns > span->start_ns)
		merge->next_ns += span->end_ns - span->start_ns;
	merge_facts(merge, from, ret_map, first_process);
	merge->run_count++;
	return 0;
}

void model_merge_end(struct model_merge *merge)
{
	if (!merge->base_ns)
		return;
	model_fact_set_u64(merge->into, FACT_START_NS, merge->base_ns);
	model_fact_set_u64(merge->into, FACT_END_NS, merge->next_ns);
}

/* ---- samples ---- */

static int add_counters(const struct model_map *map, const struct sample_batch *from, size_t index,
			struct sample_batch *to)
{
	const uint64_t *values = from->counters.at + index * from->counter_count;
	size_t first = to->counters.count;

	if (vec_reserve(&to->counters, first + map->counter_count) < 0)
		return -ENOMEM;
	memset(to->counters.at + first, 0, map->counter_count * sizeof(*to->counters.at));
	to->counters.count += map->counter_count;
	for (size_t i = 0; i < from->counter_count && i < map->counters.count; i++)
		to->counters.at[first + map->counters.at[i]] = values[i];
	return 0;
}

/* Samples without times are at the beginning of their run. */
static uint64_t sample_time(const struct model_map *map, uint64_t ns)
{
	int64_t shifted = (int64_t)(ns + map->shift_ns);

	return shifted > 0 ? (uint64_t)shifted : 0;
}

int model_map_samples(const struct model_map *map, const struct sample_batch *from,
		      struct sample_batch *to)
{
	size_t first = to->samples.count;

	if (vec_reserve(&to->samples, first + from->samples.count) < 0)
		return -ENOMEM;
	to->counter_count = from->counter_count ? map->counter_count : 0;
	for (size_t i = 0; i < from->samples.count; i++) {
		struct sample sample = from->samples.at[i];

		sample.time_ns = sample_time(map, sample.time_ns);
		sample.thread = sample.thread < map->thread_count ? map->threads[sample.thread] : 0;
		sample.stack = sample.stack < map->stack_count ? map->stacks[sample.stack]
							       : STACK_ROOT_BROKEN;
		sample.event = map->events[sample.event];
		to->samples.at[to->samples.count++] = sample;
		if (to->counter_count && add_counters(map, from, i, to) < 0)
			return -ENOMEM;
	}
	return 0;
}
