/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/hash.h"

/*
 * A cache in front of the index of locations. Most lookups find the location in the cache, with a
 * single memory access.
 */
struct recent_location {
	uint64_t vaddr;
	uint32_t image, id;	/* if id is 0, the entry is free */
};

#define RECENT_LOCATIONS 4096	/* a power of two */

/*
 * What a row takes together with its key in an index that is half full at worst, and with the
 * arrays that others keep for each image (such as struct image_health) and each location.
 */
#define STACK_BYTES 32
#define LOCATION_BYTES 64
#define IMAGE_BYTES 400
#define STRING_BYTES 32

int model_init(struct model *model)
{
	*model = (struct model){ 0 };
	model->recent_locations = calloc(RECENT_LOCATIONS, sizeof(*model->recent_locations));
	if (!model->recent_locations || strpool_init(&model->strings) < 0 ||
	    !vec_push(&model->images) || !vec_push(&model->mappings) ||
	    !vec_push(&model->applications) || !vec_push(&model->processes) ||
	    !vec_push(&model->threads) || !vec_push(&model->locations) ||
	    !vec_push(&model->functions) || !vec_push(&model->lines))
		return -ENOMEM;
	for (int root = 0; root < STACK_ROOT_COUNT; root++)
		if (!vec_push(&model->stacks))
			return -ENOMEM;
	return 0;
}

void model_fini(struct model *model)
{
	strpool_fini(&model->strings);
	vec_free(&model->images);
	vec_free(&model->mappings);
	vec_free(&model->applications);
	vec_free(&model->processes);
	vec_free(&model->threads);
	vec_free(&model->locations);
	vec_free(&model->functions);
	vec_free(&model->lines);
	vec_free(&model->stacks);
	vec_free(&model->events);
	vec_free(&model->facts);
	ledger_fini(&model->ledger);
	walk_health_fini(&model->walk_health);
	interrupts_fini(&model->interrupts);
	tick_counts_fini(&model->ticks);
	span_totals_fini(&model->spans);
	intern_fini(&model->image_index);
	intern_fini(&model->application_index);
	intern_fini(&model->location_index);
	intern_fini(&model->function_index);
	intern_fini(&model->family_index);
	intern_fini(&model->line_index);
	intern_fini(&model->stack_index);
	free(model->recent_locations);
}

static uint32_t out_of_memory(struct model *model)
{
	loss_add(&model->losses, LOSS_MEMORY, 1);
	return 0;
}

/* Appends *@row to @array. Evaluates to the new id, or to 0 when out of memory. */
#define append(model, array, row)						\
	({									\
		__typeof__((array)->at) _new = vec_push(array);			\
		if (_new)							\
			*_new = *(row);						\
		_new ? (uint32_t)(_new - (array)->at) : out_of_memory(model);	\
	})

static uint32_t enter(struct model *model, struct intern *index, uint64_t hash, uint32_t id)
{
	if (id && intern_add(index, hash, id) < 0)
		return out_of_memory(model);
	return id;
}

uint32_t model_intern(struct model *model, const char *text)
{
	uint32_t id;

	if (strpool_intern(&model->strings, text, strlen(text), &id) < 0)
		return out_of_memory(model);
	return id;
}

/* ---- the limit ---- */

void model_limit_places(struct model *model, size_t bytes_max)
{
	model->place_bytes_max = bytes_max;
}

/* Returns true, and counts a loss, if images, locations and strings may take no more memory. */
static bool is_full(struct model *model)
{
	size_t bytes = model->images.count * IMAGE_BYTES + model->locations.count * LOCATION_BYTES +
		       model->strings.bytes.count + model->strings.offset.count * STRING_BYTES;

	if (!model->place_bytes_max || bytes <= model->place_bytes_max)
		return false;
	loss_add(&model->losses, LOSS_PLACE_BUDGET, 1);
	return true;
}

uint32_t model_keep_name(struct model *model, const char *text)
{
	uint32_t id = strpool_find(&model->strings, text);

	if (id || !*text || is_full(model))
		return id;
	return model_intern(model, text);
}

/* ---- images ---- */

struct image_search {
	const struct model *model;
	const struct image *image;
};

static bool same_image(uint32_t id, const void *arg)
{
	const struct image_search *search = arg;
	const struct image *have = &search->model->images.at[id], *want = search->image;

	if (have->kind != want->kind || have->path != want->path ||
	    have->process != want->process || have->unread != want->unread)
		return false;
	if (have->build_id_size || want->build_id_size)
		return have->build_id_size == want->build_id_size &&
		       memcmp(have->build_id, want->build_id, want->build_id_size) == 0;
	return have->dev == want->dev && have->inode == want->inode &&
	       have->mtime_ns == want->mtime_ns;
}

static uint64_t image_hash(const struct image *image)
{
	uint64_t hash = hash_pair(image->path, (uint64_t)image->kind << 32 | image->process);

	if (image->build_id_size)
		return hash ^ hash_bytes(image->build_id, image->build_id_size);
	return hash ^ hash_pair(image->dev ^ image->mtime_ns, image->inode);
}

static uint32_t find_image(const struct model *model, const struct image *image)
{
	struct image_search search = { .model = model, .image = image };

	return intern_find(&model->image_index, image_hash(image), same_image, &search);
}

static uint32_t add_image(struct model *model, const struct image *image)
{
	return enter(model, &model->image_index, image_hash(image),
		     append(model, &model->images, image));
}

uint32_t model_image_id(struct model *model, const struct image *image)
{
	struct image not_kept = { .kind = IMAGE_UNKNOWN };
	uint32_t id = find_image(model, image);

	if (id)
		return id;
	if (!is_full(model))
		return add_image(model, image);
	not_kept.path = model_intern(model, MODEL_NOT_KEPT);
	id = find_image(model, &not_kept);
	return id ? id : add_image(model, &not_kept);
}

/* ---- applications ---- */

struct application_search {
	const struct model *model;
	uint32_t name;
};

static bool same_application(uint32_t id, const void *arg)
{
	const struct application_search *search = arg;

	return search->model->applications.at[id].name == search->name;
}

uint32_t model_application_id(struct model *model, uint32_t name)
{
	struct application_search search = { .model = model, .name = name };
	struct application application = { .name = name };
	uint64_t hash = hash_pair(name, 0);
	uint32_t id = intern_find(&model->application_index, hash, same_application, &search);

	if (id)
		return id;
	return enter(model, &model->application_index, hash,
		     append(model, &model->applications, &application));
}

/* ---- locations and functions ---- */

struct location_search {
	const struct model *model;
	uint32_t image;
	uint64_t vaddr;
};

static bool same_location(uint32_t id, const void *arg)
{
	const struct location_search *search = arg;
	const struct location *have = &search->model->locations.at[id];

	return have->vaddr == search->vaddr && have->image == search->image;
}

static uint64_t location_hash(uint32_t image, uint64_t vaddr)
{
	return hash_pair(vaddr, image);
}

uint32_t model_location_find(const struct model *model, uint32_t image, uint64_t vaddr)
{
	struct location_search search = { .model = model, .image = image, .vaddr = vaddr };
	uint64_t slot = (vaddr ^ vaddr >> 12 ^ (uint64_t)image << 7) & (RECENT_LOCATIONS - 1);
	struct recent_location *recent = &model->recent_locations[slot];
	uint32_t id;

	if (recent->id && recent->vaddr == vaddr && recent->image == image)
		return recent->id;
	id = intern_find(&model->location_index, location_hash(image, vaddr), same_location,
			 &search);
	if (id)
		*recent = (struct recent_location){ vaddr, image, id };
	return id;
}

static uint32_t add_location(struct model *model, uint32_t image, uint64_t vaddr)
{
	struct location location = { .image = image, .vaddr = vaddr };

	return enter(model, &model->location_index, location_hash(image, vaddr),
		     append(model, &model->locations, &location));
}

/* Returns the location that stands for all code of the image that has no room. */
static uint32_t location_of_all(struct model *model, uint32_t image)
{
	uint32_t id = model_location_find(model, image, 0);

	return id ? id : add_location(model, image, 0);
}

/* The kernel's code is finite, and no program can make more of it. */
static bool is_of_kernel(const struct model *model, uint32_t image)
{
	enum image_kind kind = image < model->images.count ? model->images.at[image].kind
							   : IMAGE_UNKNOWN;

	return kind == IMAGE_KERNEL || kind == IMAGE_MODULE;
}

uint32_t model_location_id(struct model *model, uint32_t image, uint64_t vaddr)
{
	uint32_t id = model_location_find(model, image, vaddr);

	if (id)
		return id;
	return is_of_kernel(model, image) || !is_full(model) ? add_location(model, image, vaddr)
							     : location_of_all(model, image);
}

struct function_search {
	const struct model *model;
	const struct function *function;
};

static bool same_function(uint32_t id, const void *arg)
{
	const struct function_search *search = arg;
	const struct function *have = &search->model->functions.at[id], *want = search->function;

	return have->vaddr == want->vaddr && have->image == want->image && have->name == want->name;
}

static uint64_t function_hash(const struct function *function)
{
	return hash_pair(function->vaddr, (uint64_t)function->name << 32 | function->image);
}

uint32_t model_function_find(const struct model *model, const struct function *function)
{
	struct function_search search = { .model = model, .function = function };

	return intern_find(&model->function_index, function_hash(function), same_function, &search);
}

/* An image of generated code belongs to one process, so equal names in it are one function. */
static void join_family(struct model *model, uint32_t id)
{
	struct function *function = &model->functions.at[id];
	uint64_t key = (uint64_t)function->image << 32 | function->name;

	function->family = 0;
	if (function->image < model->images.count &&
	    model->images.at[function->image].kind == IMAGE_JIT)
		(void)intern_number(&model->family_index, key, id, &function->family);
}

uint32_t model_function_id(struct model *model, const struct function *function)
{
	uint32_t id = model_function_find(model, function);

	if (id)
		return id;
	id = enter(model, &model->function_index, function_hash(function),
		   append(model, &model->functions, function));
	if (id)
		join_family(model, id);
	return id;
}

/* ---- source lines ---- */

struct line_search {
	const struct model *model;
	const struct source_line *line;
};

static bool same_line(uint32_t id, const void *arg)
{
	const struct line_search *search = arg;
	const struct source_line *have = &search->model->lines.at[id], *want = search->line;

	return have->line == want->line && have->file == want->file &&
	       have->function == want->function && have->caller == want->caller;
}

static uint64_t line_hash(const struct source_line *line)
{
	return hash_pair((uint64_t)line->file << 32 | line->line,
			 (uint64_t)line->function << 32 | line->caller);
}

uint32_t model_line_find(const struct model *model, const struct source_line *line)
{
	struct line_search search = { .model = model, .line = line };

	return intern_find(&model->line_index, line_hash(line), same_line, &search);
}

uint32_t model_line_id(struct model *model, const struct source_line *line)
{
	uint32_t id = model_line_find(model, line);

	if (id)
		return id;
	return enter(model, &model->line_index, line_hash(line),
		     append(model, &model->lines, line));
}

/* ---- indexing rows loaded from a recording ---- */

/* Adds the loaded row @id to the index, unless the index already has an equal row. */
static int enter_again(struct intern *index, uint64_t hash, uint32_t id, intern_same_fn same,
		       const void *search)
{
	return intern_find(index, hash, same, search) ? 0 : intern_add(index, hash, id);
}

static int index_location(struct model *model, uint32_t id)
{
	const struct location *row = &model->locations.at[id];
	const struct location_search search = { model, row->image, row->vaddr };

	return enter_again(&model->location_index, location_hash(row->image, row->vaddr), id,
			   same_location, &search);
}

int model_index_loaded(struct model *model)
{
	int rc;

	for (uint32_t i = 1; i < model->locations.count; i++) {
		rc = index_location(model, i);
		if (rc < 0)
			return rc;
	}
	for (uint32_t i = 1; i < model->functions.count; i++) {
		const struct function_search search = { model, &model->functions.at[i] };

		rc = enter_again(&model->function_index, function_hash(search.function), i,
				 same_function, &search);
		if (rc < 0)
			return rc;
	}
	for (uint32_t i = 1; i < model->lines.count; i++) {
		const struct line_search search = { model, &model->lines.at[i] };

		rc = enter_again(&model->line_index, line_hash(search.line), i, same_line, &search);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- stacks ---- */

uint32_t model_stack_find(const struct model *model, uint32_t parent, uint32_t location)
{
	return intern_number_find(&model->stack_index, (uint64_t)parent << 32 | location);
}

uint32_t model_stack_id(struct model *model, uint32_t parent, uint32_t location)
{
	const struct stack_node node = { .parent = parent, .location = location };
	uint32_t next = (uint32_t)model->stacks.count, id;

	/*
	 * Reserve memory for the row before adding the key to the index, because every key in the
	 * index must have a row.
	 */
	if (vec_reserve(&model->stacks, model->stacks.count + 1) < 0 ||
	    intern_number(&model->stack_index, (uint64_t)parent << 32 | location, next, &id) < 0) {
		(void)out_of_memory(model);
		return STACK_ROOT_NONE;
	}
	if (id == next)
		(void)append(model, &model->stacks, &node);
	return id;
}

enum stack_root model_stack_root(const struct model *model, uint32_t stack, uint32_t *ret_outermost)
{
	uint32_t outermost = 0;

	while (stack >= STACK_ROOT_COUNT) {
		outermost = stack;
		stack = model->stacks.at[stack].parent;
	}
	if (ret_outermost)
		*ret_outermost = outermost;
	return (enum stack_root)stack;
}

/* ---- rows that are simply appended ---- */

uint32_t model_process_add(struct model *model, const struct process *process)
{
	return append(model, &model->processes, process);
}

uint32_t model_location_add(struct model *model, uint32_t like)
{
	const struct location location = {
		.image = model->locations.at[like].image,
		.vaddr = model->locations.at[like].vaddr,
	};

	if (is_full(model))
		return location_of_all(model, location.image);
	return append(model, &model->locations, &location);
}

uint32_t model_thread_add(struct model *model, const struct thread *thread)
{
	return append(model, &model->threads, thread);
}

uint32_t model_mapping_add(struct model *model, const struct mapping *mapping)
{
	return append(model, &model->mappings, mapping);
}

void model_release_rows(struct model *model)
{
	vec_release(&model->processes, model->processes.count);
	vec_release(&model->threads, model->threads.count);
	vec_release(&model->mappings, model->mappings.count);
	model->release_count++;
}

void model_forget_stacks(struct model *model)
{
	intern_fini(&model->stack_index);
	model->stack_index = (struct intern){ 0 };
	vec_release(&model->stacks, model->stacks.count);
	model->first_stack = (uint32_t)model->stacks.count;
}

size_t model_stack_bytes(const struct model *model)
{
	return (model->stacks.count - model->first_stack) * STACK_BYTES;
}
