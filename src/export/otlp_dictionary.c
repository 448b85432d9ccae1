/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "export/otlp.h"
#include "otlp.pb-c.h"

struct dictionary {
	struct otlp *otlp;
	/*
	 * the number of each location, followed by the number of each value of enum stack_root; 0:
	 * not used
	 */
	uint32_t *numbers;
	/* the used locations, sorted by their numbers, which start at 1 */
	VEC(size_t) locations;
	VEC(int32_t) indices;		/* location numbers of the current stack */
	uint64_t *limits;		/* for each image: 1 + its highest used address */
	VEC(Assay__Otlp__Line) lines;	/* source lines of the current location */
	VEC(Assay__Otlp__Line *) pointers;
};

static void dictionary_fini(struct dictionary *dictionary)
{
	free(dictionary->numbers);
	free(dictionary->limits);
	vec_free(&dictionary->locations);
	vec_free(&dictionary->indices);
	vec_free(&dictionary->lines);
	vec_free(&dictionary->pointers);
}

/* Writes a message that contains one element of a table; message.h explains why. */
static int write_part(struct otlp *otlp, Assay__Otlp__ProfilesDictionary *part)
{
	Assay__Otlp__ProfilesData data = ASSAY__OTLP__PROFILES_DATA__INIT;

	data.dictionary = part;
	return message_write(&otlp->writer, &data.base);
}

static int strindex(struct otlp *otlp, const char *text, int32_t *ret_index)
{
	int64_t number;
	int rc = message_string(&otlp->writer, text, &number);

	if (rc < 0)
		return rc;
	*ret_index = (int32_t)number;
	return 0;
}

/* ---- stacks and locations ---- */

static int use_location(struct dictionary *dictionary, size_t location)
{
	int32_t *index = vec_push(&dictionary->indices);
	size_t *entry;

	if (!index)
		return -ENOMEM;
	if (!dictionary->numbers[location]) {
		entry = vec_push(&dictionary->locations);
		if (!entry)
			return -ENOMEM;
		*entry = location;
		dictionary->numbers[location] = (uint32_t)dictionary->locations.count;
	}
	*index = (int32_t)dictionary->numbers[location];
	return 0;
}

static int write_stack(struct dictionary *dictionary, uint32_t stack)
{
	const struct model *model = dictionary->otlp->export->model;
	Assay__Otlp__Stack message = ASSAY__OTLP__STACK__INIT, *messages[] = { &message };
	Assay__Otlp__ProfilesDictionary part = ASSAY__OTLP__PROFILES_DICTIONARY__INIT;
	uint32_t id = stack;
	int rc;

	vec_clear(&dictionary->indices);
	while (id >= STACK_ROOT_COUNT) {
		const struct stack_node *node = &model->stacks.at[id];

		rc = use_location(dictionary,
				  node->location < model->locations.count ? node->location : 0);
		if (rc < 0)
			return rc;
		id = node->parent < id ? node->parent : (uint32_t)STACK_ROOT_BROKEN;
	}
	if (id != STACK_ROOT_END || stack < STACK_ROOT_COUNT) {
		rc = use_location(dictionary, model->locations.count + id);
		if (rc < 0)
			return rc;
	}
	message.location_indices = dictionary->indices.at;
	message.n_location_indices = dictionary->indices.count;
	part.stack_table = messages;
	part.n_stack_table = 1;
	return write_part(dictionary->otlp, &part);
}

static int add_line(void *context, uint64_t key, uint32_t line)
{
	struct dictionary *dictionary = context;
	struct export *export = dictionary->otlp->export;
	Assay__Otlp__Line *entry = vec_push(&dictionary->lines);
	uint32_t function;

	if (!entry || !vec_push(&dictionary->pointers) ||
	    paths_number_frame(&export->paths, key, line, &function) < 0)
		return -ENOMEM;
	assay__otlp__line__init(entry);
	entry->function_index = (int32_t)(function + 1);
	entry->line = line_of(export->model, line)->line;
	return 0;
}

static int write_location(struct dictionary *dictionary, size_t id)
{
	const struct export *export = dictionary->otlp->export;
	const struct model *model = export->model;
	Assay__Otlp__Location location = ASSAY__OTLP__LOCATION__INIT, *locations[] = { &location };
	Assay__Otlp__ProfilesDictionary part = ASSAY__OTLP__PROFILES_DICTIONARY__INIT;
	int rc;

	vec_clear(&dictionary->lines);
	vec_clear(&dictionary->pointers);
	if (id < model->locations.count) {
		uint32_t image = model->locations.at[id].image;

		image = image < model->images.count ? image : 0;
		rc = paths_each_frame(model, (uint32_t)id, export->options->inlined, add_line,
				      dictionary);
		location.address = model->locations.at[id].vaddr;
		location.mapping_index = (int32_t)image;
		if (location.address >= dictionary->limits[image])
			dictionary->limits[image] = location.address + 1;
	} else {
		rc = add_line(dictionary,
			      call_frame_of_root((enum stack_root)(id - model->locations.count)),
			      0);
	}
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < dictionary->lines.count; i++)
		dictionary->pointers.at[i] = &dictionary->lines.at[i];
	location.lines = dictionary->pointers.at;
	location.n_lines = dictionary->lines.count;
	part.location_table = locations;
	part.n_location_table = 1;
	return write_part(dictionary->otlp, &part);
}

/* ---- images and functions ---- */

static int write_mapping(struct dictionary *dictionary, uint32_t id)
{
	const struct model *model = dictionary->otlp->export->model;
	Assay__Otlp__Mapping mapping = ASSAY__OTLP__MAPPING__INIT, *mappings[] = { &mapping };
	Assay__Otlp__ProfilesDictionary part = ASSAY__OTLP__PROFILES_DICTIONARY__INIT;
	int rc = strindex(dictionary->otlp, string_of(model, model->images.at[id].path),
			  &mapping.filename_strindex);

	if (rc < 0)
		return rc;
	mapping.memory_limit = dictionary->limits[id];
	part.mapping_table = mappings;
	part.n_mapping_table = 1;
	return write_part(dictionary->otlp, &part);
}

static int write_function(struct otlp *otlp, uint32_t frame)
{
	const struct export *export = otlp->export;
	char scratch[GROUP_IMAGE_NAME_MAX];
	Assay__Otlp__Function function = ASSAY__OTLP__FUNCTION__INIT, *functions[] = { &function };
	Assay__Otlp__ProfilesDictionary part = ASSAY__OTLP__PROFILES_DICTIONARY__INIT;

	if (strindex(otlp, paths_name(&export->paths, &export->profile, frame, scratch),
		     &function.name_strindex) < 0 ||
	    strindex(otlp, paths_linkage_name(&export->paths, &export->profile, frame, scratch),
		     &function.system_name_strindex) < 0 ||
	    strindex(otlp, paths_file(&export->paths, frame), &function.filename_strindex) < 0)
		return -ENOMEM;
	part.function_table = functions;
	part.n_function_table = 1;
	return write_part(otlp, &part);
}

/* ---- attributes ---- */

/* Writes one attribute. The attribute's value is @text or, if @text is NULL, @number. */
static int write_attribute(struct otlp *otlp, const char *key, const char *text, uint64_t number,
			   const char *unit)
{
	_cleanup_free_ char *escaped = text ? export_escaped(text, NULL) : NULL;
	Assay__Otlp__AnyValue value = ASSAY__OTLP__ANY_VALUE__INIT;
	Assay__Otlp__KeyValueAndUnit pair = ASSAY__OTLP__KEY_VALUE_AND_UNIT__INIT,
				     *pairs[] = { &pair };
	Assay__Otlp__ProfilesDictionary part = ASSAY__OTLP__PROFILES_DICTIONARY__INIT;

	if ((text && !escaped) || strindex(otlp, key, &pair.key_strindex) < 0 ||
	    strindex(otlp, unit, &pair.unit_strindex) < 0)
		return -ENOMEM;
	if (text) {
		value.value_case = ASSAY__OTLP__ANY_VALUE__VALUE_STRING_VALUE;
		value.string_value = escaped;
	} else {
		value.value_case = ASSAY__OTLP__ANY_VALUE__VALUE_INT_VALUE;
		value.int_value = (int64_t)number;
	}
	pair.value = &value;
	part.attribute_table = pairs;
	part.n_attribute_table = 1;
	return write_part(otlp, &part);
}

static int write_thread_attributes(struct otlp *otlp, uint32_t thread)
{
	const struct export *export = otlp->export;
	int rc = write_attribute(otlp, "process.pid", NULL, export_tgid(export, thread), "");

	if (rc < 0)
		return rc;
	rc = write_attribute(otlp, "thread.id", NULL, export->model->threads.at[thread].tid, "");
	if (rc < 0)
		return rc;
	return write_attribute(otlp, "thread.name", export_comm(export, thread), 0, "");
}

/* Writes all attributes, in the order described in otlp.h. */
static int write_attributes(struct otlp *otlp)
{
	const struct model *model = otlp->export->model;
	char key[64];
	int rc;

	for (int i = 0; i < CONTEXT_COUNT; i++) {
		rc = write_attribute(otlp, "context", context_name((enum context)i), 0, "");
		if (rc < 0)
			return rc;
	}
	for (uint32_t id = 0; id < model->threads.count; id++) {
		rc = write_thread_attributes(otlp, id);
		if (rc < 0)
			return rc;
	}
	for (int i = 0; i < LOSS_COUNT; i++) {
		if (!model->losses.count[i])
			continue;
		(void)snprintf(key, sizeof(key), "lost.%s", loss_name((enum loss)i));
		rc = write_attribute(otlp, key, NULL, model->losses.count[i],
				     loss_unit((enum loss)i));
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int write_strings(struct otlp *otlp)
{
	const struct strpool *strings = &otlp->writer.strings;

	for (uint32_t id = 0; id < strings->offset.count; id++) {
		char *text = strings->bytes.at + strings->offset.at[id];
		Assay__Otlp__ProfilesDictionary part = ASSAY__OTLP__PROFILES_DICTIONARY__INIT;
		int rc;

		part.string_table = &text;
		part.n_string_table = 1;
		rc = write_part(otlp, &part);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- the whole dictionary ---- */

/*
 * Writes the first element of each table, which the format requires to be empty. The string table
 * needs no such element, because the first string is always the empty string.
 */
static int write_empty(struct otlp *otlp)
{
	Assay__Otlp__Mapping mapping = ASSAY__OTLP__MAPPING__INIT, *mappings[] = { &mapping };
	Assay__Otlp__Location location = ASSAY__OTLP__LOCATION__INIT, *locations[] = { &location };
	Assay__Otlp__Function function = ASSAY__OTLP__FUNCTION__INIT, *functions[] = { &function };
	Assay__Otlp__Link link = ASSAY__OTLP__LINK__INIT, *links[] = { &link };
	Assay__Otlp__Stack stack = ASSAY__OTLP__STACK__INIT, *stacks[] = { &stack };
	Assay__Otlp__KeyValueAndUnit pair = ASSAY__OTLP__KEY_VALUE_AND_UNIT__INIT,
				     *pairs[] = { &pair };
	Assay__Otlp__ProfilesDictionary part = ASSAY__OTLP__PROFILES_DICTIONARY__INIT;

	part.mapping_table = mappings;
	part.location_table = locations;
	part.function_table = functions;
	part.link_table = links;
	part.stack_table = stacks;
	part.attribute_table = pairs;
	part.n_mapping_table = part.n_location_table = part.n_function_table = 1;
	part.n_link_table = part.n_stack_table = part.n_attribute_table = 1;
	return write_part(otlp, &part);
}

/*
 * The order of the tables matters: writing stacks adds locations, writing locations adds functions,
 * and all of them add strings.
 */
static int write_tables(struct dictionary *dictionary)
{
	struct otlp *otlp = dictionary->otlp;
	const struct export *export = otlp->export;
	int rc = write_empty(otlp);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < otlp->stacks.count; i++) {
		rc = write_stack(dictionary, otlp->stacks.at[i]);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < dictionary->locations.count; i++) {
		rc = write_location(dictionary, dictionary->locations.at[i]);
		if (rc < 0)
			return rc;
	}
	for (uint32_t id = 1; id < export->model->images.count; id++) {
		rc = write_mapping(dictionary, id);
		if (rc < 0)
			return rc;
	}
	for (uint32_t i = 0; i < export->paths.frames.count; i++) {
		rc = write_function(otlp, i);
		if (rc < 0)
			return rc;
	}
	rc = write_attributes(otlp);
	if (rc < 0)
		return rc;
	return write_strings(otlp);
}

int otlp_write_dictionary(struct otlp *otlp)
{
	const struct model *model = otlp->export->model;
	_cleanup_(dictionary_fini) struct dictionary dictionary = {
		.otlp = otlp,
		.numbers = calloc(model->locations.count + STACK_ROOT_COUNT, sizeof(uint32_t)),
		.limits = calloc(model->images.count, sizeof(uint64_t)),
	};

	return dictionary.numbers && dictionary.limits ? write_tables(&dictionary) : -ENOMEM;
}
