/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/group.h"

#include <inttypes.h>

#include "analyze/blocks.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/nearest_word.h"
#include "model/wait.h"

/*
 * Set in a function key if the address is in no known function. The rest of the key is then the id
 * of the image.
 */
#define KEY_OF_IMAGE (UINT64_C(1) << 32)

/*
 * Set in a block key if the address is in no known block. The rest of the key is then a function
 * key.
 */
#define KEY_WITHOUT_BLOCK (UINT64_C(1) << 33)

#define CACHE_LINE_MASK (~UINT64_C(63))
#define DATA_PAGE_MASK (~UINT64_C(4095))

struct label {
	char *text;
	size_t size_bytes;
};

static const struct process *hit_process(const struct model *model, const struct hit *hit)
{
	return process_of(model, thread_of(model, hit->thread)->process);
}

static const char *image_name(const struct model *model, uint64_t image)
{
	const char *path = string_of(model, image_of(model, image)->path);

	return *path ? path : "[unknown]";
}

/* ---- keys ---- */

static uint64_t key_process(const struct model *model, const struct hit *hit)
{
	return thread_of(model, hit->thread)->process;
}

static uint64_t key_application(const struct model *model, const struct hit *hit)
{
	return hit_process(model, hit)->application;
}

static uint64_t key_thread(const struct model *model, const struct hit *hit)
{
	return hit->thread;
}

static uint64_t key_tgid(const struct model *model, const struct hit *hit)
{
	return hit_process(model, hit)->tgid;
}

static uint64_t key_comm(const struct model *model, const struct hit *hit)
{
	return thread_of(model, hit->thread)->comm;
}

static uint64_t key_uid(const struct model *model, const struct hit *hit)
{
	return hit_process(model, hit)->uid;
}

static uint64_t key_image(const struct model *model, const struct hit *hit)
{
	return hit->image;
}

uint64_t group_function_key(uint32_t image, uint32_t function)
{
	return function ? function : KEY_OF_IMAGE | image;
}

static uint64_t key_function(const struct model *model, const struct hit *hit)
{
	return group_function_key(hit->image, hit->function);
}

static uint64_t key_address(const struct model *model, const struct hit *hit)
{
	return hit->location;
}

/*
 * Returns one key for all lines that have the same file and number, even if their inline chains
 * differ. If the address has no known line, returns the id of its image.
 */
static uint64_t key_line(const struct model *model, const struct hit *hit)
{
	const struct source_line *line = line_of(model, location_of(model, hit->location)->line);

	if (!line->file || !line->line)
		return hit->image;
	return (uint64_t)line->file << 32 | line->line;
}

/*
 * If the address is in no known block, returns the key of its function, marked with
 * KEY_WITHOUT_BLOCK.
 */
static uint64_t key_block(const struct profile *profile, const struct hit *hit)
{
	const struct location *location = location_of(profile->model, hit->location);
	const struct code_block *block = profile->blocks
						 ? code_block_at(profile->blocks, hit->location)
						 : NULL;

	if (!block)
		return KEY_WITHOUT_BLOCK | group_function_key(hit->image, location->function);
	return (uint64_t)(block - profile->blocks->list.at);
}

static uint64_t key_cpu(const struct model *model, const struct hit *hit)
{
	return hit->cpu;
}

static uint64_t key_cgroup(const struct model *model, const struct hit *hit)
{
	return hit_process(model, hit)->cgroup;
}

static uint64_t key_cmdline(const struct model *model, const struct hit *hit)
{
	return hit_process(model, hit)->command_line;
}

static uint64_t key_context(const struct model *model, const struct hit *hit)
{
	return hit->context;
}

static uint64_t key_state(const struct model *model, const struct hit *hit)
{
	return hit->state;
}

static uint64_t key_event(const struct model *model, const struct hit *hit)
{
	return hit->event;
}

static uint64_t key_time(const struct model *model, const struct hit *hit)
{
	return hit->time_slice;
}

static uint64_t key_data_address(const struct model *model, const struct hit *hit)
{
	return hit->fields[FIELD_DATA_ADDRESS];
}

static uint64_t key_cache_line(const struct model *model, const struct hit *hit)
{
	return hit->fields[FIELD_DATA_ADDRESS] & CACHE_LINE_MASK;
}

static uint64_t key_data_page(const struct model *model, const struct hit *hit)
{
	return hit->fields[FIELD_DATA_ADDRESS] & DATA_PAGE_MASK;
}

static uint64_t key_data_source(const struct model *model, const struct hit *hit)
{
	return data_source_shown(hit->fields[FIELD_DATA_SOURCE]);
}

/* Returns the number of binary digits. */
static uint64_t key_latency(const struct model *model, const struct hit *hit)
{
	uint64_t latency = hit->fields[FIELD_LATENCY];

	return latency ? 64 - (uint64_t)__builtin_clzll(latency) : 0;
}

/* ---- labels ---- */

static void put(struct label label, const char *text)
{
	(void)snprintf(label.text, label.size_bytes, "%s", text);
}

/* Cuts only the name. The suffix distinguishes rows of the same name and is kept whole. */
static void put_suffixed(struct label label, const char *name, const char *suffix)
{
	size_t room = label.size_bytes - 1 - strlen(suffix);

	(void)snprintf(label.text, label.size_bytes, "%.*s%s", (int)room, name, suffix);
}

static void put_number(struct label label, uint64_t number)
{
	(void)snprintf(label.text, label.size_bytes, "%" PRIu64, number);
}

static const char *process_name(const struct model *model, uint64_t id)
{
	const struct process *process = process_of(model, id);
	const char *name = string_of(model, application_of(model, process->application)->name);

	return *name ? name : "[unknown]";
}

static void label_process(const struct profile *profile, uint64_t key, struct label label)
{
	(void)snprintf(label.text, label.size_bytes, "%s %" PRIu32,
		       process_name(profile->model, key), process_of(profile->model, key)->tgid);
}

static void label_instance(const struct profile *profile, uint64_t key, struct label label)
{
	(void)snprintf(label.text, label.size_bytes, "%s#%" PRIu32,
		       process_name(profile->model, key),
		       process_of(profile->model, key)->instance);
}

static void label_application(const struct profile *profile, uint64_t key, struct label label)
{
	const char *name = string_of(profile->model, application_of(profile->model, key)->name);

	put(label, *name ? name : "[unknown]");
}

static void label_thread(const struct profile *profile, uint64_t key, struct label label)
{
	const struct thread *thread = thread_of(profile->model, key);

	(void)snprintf(label.text, label.size_bytes, "%s %" PRIu32,
		       string_of(profile->model, thread->comm), thread->tid);
}

static void label_string(const struct profile *profile, uint64_t key, struct label label)
{
	const char *text = string_of(profile->model, key);

	put(label, *text ? text : "[unknown]");
}

static void label_number(const struct profile *profile, uint64_t key, struct label label)
{
	put_number(label, key);
}

static void label_uid(const struct profile *profile, uint64_t key, struct label label)
{
	if (key == UINT32_MAX)
		put(label, "unknown");
	else
		put_number(label, key);
}

static void label_image(const struct profile *profile, uint64_t key, struct label label)
{
	put(label, image_name(profile->model, key));
}

const char *group_function_name(const struct profile *profile, uint64_t key,
				char scratch[static GROUP_IMAGE_NAME_MAX])
{
	const char *name = file_name(image_name(profile->model, (uint32_t)key));

	if (!(key & KEY_OF_IMAGE))
		return string_of(profile->model, function_of(profile->model, key)->name);
	(void)snprintf(scratch, GROUP_IMAGE_NAME_MAX, *name == '[' ? "%s" : "[%s]", name);
	return scratch;
}

uint32_t group_function_id(const struct profile *profile, uint64_t key)
{
	return key < profile->model->functions.count ? (uint32_t)key : 0;
}

static void label_function(const struct profile *profile, uint64_t key, struct label label)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	put(label, group_function_name(profile, key, scratch));
}

uint64_t group_function_image(const struct profile *profile, uint64_t key)
{
	return key & KEY_OF_IMAGE ? (uint32_t)key : function_of(profile->model, key)->image;
}

static void label_address(const struct profile *profile, uint64_t key, struct label label)
{
	const struct location *location = location_of(profile->model, key);

	(void)snprintf(label.text, label.size_bytes, "0x%" PRIx64 " %s", location->vaddr,
		       file_name(image_name(profile->model, location->image)));
}

static void label_line(const struct profile *profile, uint64_t key, struct label label)
{
	char number[16];

	if (key >> 32 == 0) {
		label_function(profile, KEY_OF_IMAGE | key, label);
		return;
	}
	(void)snprintf(number, sizeof(number), ":%" PRIu32, (uint32_t)key);
	put_suffixed(label, file_name(string_of(profile->model, key >> 32)), number);
}

static void label_block(const struct profile *profile, uint64_t key, struct label label)
{
	const struct code_block *block;
	const struct function *function;
	char text[GROUP_IMAGE_NAME_MAX];

	if (key & KEY_WITHOUT_BLOCK) {
		put_suffixed(label, group_function_name(profile, key & ~KEY_WITHOUT_BLOCK, text),
			     " (no code)");
		return;
	}
	block = &profile->blocks->list.at[key];
	function = function_of(profile->model, block->function);
	(void)snprintf(text, sizeof(text), "+0x%" PRIx64 "..0x%" PRIx64,
		       block->begin - function->vaddr, block->end - function->vaddr);
	put_suffixed(label, string_of(profile->model, function->name), text);
}

uint64_t group_block_image(const struct profile *profile, uint64_t key)
{
	if (key & KEY_WITHOUT_BLOCK)
		return group_function_image(profile, key & ~KEY_WITHOUT_BLOCK);
	return group_function_image(profile, profile->blocks->list.at[key].function);
}

static void label_context(const struct profile *profile, uint64_t key, struct label label)
{
	put(label, context_name((enum context)key));
}

static void label_state(const struct profile *profile, uint64_t key, struct label label)
{
	put(label, thread_state_name((enum thread_state)key));
}

static void label_event(const struct profile *profile, uint64_t key, struct label label)
{
	const struct model *model = profile->model;

	put(label, key < model->events.count ? string_of(model, model->events.at[key].name) : "?");
}

static void label_time(const struct profile *profile, uint64_t key, struct label label)
{
	double slice_s = (double)profile->slice_ns / (double)NS_PER_SEC;
	double from_s = (double)profile->slice_from_ns / (double)NS_PER_SEC;
	int digits = profile->slice_ns % NS_PER_MSEC ? 6 : 3;

	(void)snprintf(label.text, label.size_bytes, "%.*fs-%.*fs", digits,
		       from_s + (double)key * slice_s, digits,
		       from_s + (double)(key + 1) * slice_s);
}

static void label_data_address(const struct profile *profile, uint64_t key, struct label label)
{
	char text[FIELD_TEXT_MAX];

	put(label, sample_field_text(FIELD_DATA_ADDRESS, key, text));
}

static void label_data_source(const struct profile *profile, uint64_t key, struct label label)
{
	char text[FIELD_TEXT_MAX];

	put(label, sample_field_text(FIELD_DATA_SOURCE, key, text));
}

static void label_latency(const struct profile *profile, uint64_t key, struct label label)
{
	uint64_t first = key ? UINT64_C(1) << (key - 1) : 0;

	if (!key)
		put(label, "[none]");
	else
		(void)snprintf(label.text, label.size_bytes, "%" PRIu64 "-%" PRIu64, first,
			       first + (first - 1));
}

/* ---- the table ---- */

static const struct {
	const char *name;
	uint64_t (*key)(const struct model *model, const struct hit *hit);
	void (*label)(const struct profile *profile, uint64_t key, struct label label);
} dimensions[DIMENSION_COUNT] = {
	[BY_PROCESS] = { "process", key_process, label_process },
	[BY_INSTANCE] = { "instance", key_process, label_instance },
	[BY_APPLICATION] = { "application", key_application, label_application },
	[BY_THREAD] = { "thread", key_thread, label_thread },
	[BY_TGID] = { "tgid", key_tgid, label_number },
	[BY_COMM] = { "comm", key_comm, label_string },
	[BY_UID] = { "uid", key_uid, label_uid },
	[BY_IMAGE] = { "image", key_image, label_image },
	[BY_FUNCTION] = { "function", key_function, label_function },
	[BY_ADDRESS] = { "address", key_address, label_address },
	[BY_LINE] = { "line", key_line, label_line },
	[BY_BLOCK] = { "block", NULL, label_block },
	[BY_CPU] = { "cpu", key_cpu, label_number },
	[BY_CGROUP] = { "cgroup", key_cgroup, label_string },
	[BY_CMDLINE] = { "cmdline", key_cmdline, label_string },
	[BY_CONTEXT] = { "context", key_context, label_context },
	[BY_STATE] = { "state", key_state, label_state },
	[BY_EVENT] = { "event", key_event, label_event },
	[BY_TIME] = { "time", key_time, label_time },
	[BY_DATA_ADDRESS] = { "data-address", key_data_address, label_data_address },
	[BY_CACHE_LINE] = { "cache-line", key_cache_line, label_data_address },
	[BY_DATA_PAGE] = { "data-page", key_data_page, label_data_address },
	[BY_DATA_SOURCE] = { "data-source", key_data_source, label_data_source },
	[BY_LATENCY] = { "latency", key_latency, label_latency },
};

/* The field of samples that a key is made of, and which of its bits. No bits: no field. */
static const struct {
	enum sample_field field;
	uint64_t mask;
} needed_fields[DIMENSION_COUNT] = {
	[BY_DATA_ADDRESS] = { FIELD_DATA_ADDRESS, UINT64_MAX },
	[BY_CACHE_LINE] = { FIELD_DATA_ADDRESS, CACHE_LINE_MASK },
	[BY_DATA_PAGE] = { FIELD_DATA_ADDRESS, DATA_PAGE_MASK },
	[BY_DATA_SOURCE] = { FIELD_DATA_SOURCE, UINT64_MAX },
	[BY_LATENCY] = { FIELD_LATENCY, UINT64_MAX },
};

const char *dimension_name(enum dimension dimension)
{
	return (unsigned int)dimension < DIMENSION_COUNT ? dimensions[dimension].name : "?";
}

uint64_t dimension_key(const struct profile *profile, enum dimension dimension,
		       const struct hit *hit)
{
	if (dimension == BY_BLOCK)
		return key_block(profile, hit);
	if (dimension == BY_FUNCTION && !profile->ranges_apart)
		return group_function_key(hit->image,
					  function_family(profile->model, hit->function));
	return dimensions[dimension].key(profile->model, hit);
}

void group_label(const struct profile *profile, enum dimension dimension, uint64_t key, char *text,
		 size_t size_bytes)
{
	dimensions[dimension].label(profile, key,
				    (struct label){ .text = text, .size_bytes = size_bytes });
}

void dimensions_field_masks(const enum dimension *by, size_t by_count,
			    uint64_t ret_masks[static FIELD_COUNT])
{
	memset(ret_masks, 0, FIELD_COUNT * sizeof(*ret_masks));
	for (size_t i = 0; i < by_count; i++)
		ret_masks[needed_fields[by[i]].field] |= needed_fields[by[i]].mask;
}

bool dimensions_have(const enum dimension *by, size_t by_count, enum dimension dimension)
{
	for (size_t i = 0; i < by_count; i++)
		if (by[i] == dimension)
			return true;
	return false;
}

/* ---- parsing --by ---- */

static int refuse(const char *word, struct err *err)
{
	struct nearest_word nearest = { .wanted = word };
	char words[512] = "", meant[NEAREST_WORD_TEXT_MAX];
	size_t used = 0;

	for (int i = 0; i < DIMENSION_COUNT; i++)
		nearest_word_offer(&nearest, dimensions[i].name);
	if (nearest.found)
		return err_set(err, -EINVAL, "'%s' is not a dimension%s", word,
			       nearest_word_text(&nearest, meant));
	for (int i = 0; i < DIMENSION_COUNT && used < sizeof(words); i++)
		used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s", i ? ", " : "",
					 dimensions[i].name);
	return err_set(err, -EINVAL, "'%s' is not a dimension; the dimensions are %s", word, words);
}

static int dimension_of_name(const char *name)
{
	for (int i = 0; i < DIMENSION_COUNT; i++)
		if (strcmp(name, dimensions[i].name) == 0)
			return i;
	return -1;
}

int dimensions_parse(const char *text, enum dimension by[static GROUP_KEYS_MAX], size_t *ret_count,
		     struct err *err)
{
	_cleanup_free_ char *list = strdup(text);
	char *rest = list, *word;
	size_t count = 0;

	if (!list)
		return err_set(err, -ENOMEM, "no memory for the list of dimensions");
	while ((word = strsep(&rest, ","))) {
		int dimension = dimension_of_name(word);

		if (dimension < 0)
			return refuse(word, err);
		if (dimensions_have(by, count, (enum dimension)dimension))
			return err_set(err, -EINVAL, "dimension %s is named twice", word);
		if (count == GROUP_KEYS_MAX)
			return err_set(err, -EINVAL, "at most %d dimensions are possible",
				       GROUP_KEYS_MAX);
		by[count++] = (enum dimension)dimension;
	}
	*ret_count = count;
	return 0;
}
