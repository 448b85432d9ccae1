/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes pprof's profile.proto, compressed with gzip. A sample has several values: the first is the
 * number of samples, and each of the others is the weight of one event. If an event is itself named
 * "samples", the number of samples is left out. A sample is labeled with its thread and its
 * context. Addresses in ELF files are the virtual addresses that nm prints, not run-time addresses.
 * So each image is written as one mapping that starts at 0.
 */
#include <string.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "export/export-private.h"
#include "export/gzip.h"
#include "export/message.h"
#include "pprof.pb-c.h"

#define LABELS 4
#define COMM_MAX 15u	/* maximum length of a thread's name in the kernel */

struct pprof {
	struct export *export;
	struct message_writer writer;
	/* for each event that has samples, the index of its weight among a sample's values */
	int value_of[256];
	size_t value_count;
	bool has_count;			/* the first value is the number of samples */
	/*
	 * one flag for each location, then one for each value of enum stack_root: true if it is
	 * used
	 */
	bool *used;
	uint64_t *limits;		/* for each image: 1 + its highest used address */
	int64_t *comms;			/* string number of each thread's name; 0: not known yet */
	uint64_t *samples;		/* number of samples of each process */
	VEC(uint64_t) locations;	/* location numbers of the current sample */
	int64_t comm_key, context_key, pid_key, tid_key;
	int64_t contexts[CONTEXT_COUNT];
};

static void pprof_fini(struct pprof *pprof)
{
	message_writer_fini(&pprof->writer);
	vec_free(&pprof->locations);
	free(pprof->used);
	free(pprof->limits);
	free(pprof->comms);
	free(pprof->samples);
}

static int string(struct pprof *pprof, const char *text, int64_t *ret_number)
{
	return message_string(&pprof->writer, text, ret_number);
}

static int write_part(struct pprof *pprof, const Assay__Pprof__Profile *part)
{
	return message_write(&pprof->writer, &part->base);
}

/* ---- types of values ---- */

static int write_type(struct pprof *pprof, const char *name, const char *unit)
{
	Assay__Pprof__ValueType type = ASSAY__PPROF__VALUE_TYPE__INIT, *types[] = { &type };
	Assay__Pprof__Profile part = ASSAY__PPROF__PROFILE__INIT;
	int rc = string(pprof, name, &type.type);

	if (rc < 0)
		return rc;
	rc = string(pprof, unit, &type.unit);
	if (rc < 0)
		return rc;
	part.n_sample_type = 1;
	part.sample_type = types;
	pprof->value_count++;
	return write_part(pprof, &part);
}

/*
 * Returns true if an event has the name of the number of samples, as in imported files that count
 * samples. pprof shows the first of two types with the same name, so the weight of the event must
 * be the only one: it is the number that the file contained.
 */
static bool has_event_named_samples(const struct export *export, const struct profile *profile)
{
	for (unsigned int event = 0; event < 256; event++)
		if (profile->total_samples[event] &&
		    strcmp(export_event_name(export, (uint8_t)event), "samples") == 0)
			return true;
	return false;
}

static int write_types(struct pprof *pprof, const struct profile *profile)
{
	struct export *export = pprof->export;
	int rc;

	pprof->has_count = !has_event_named_samples(export, profile);
	rc = pprof->has_count ? write_type(pprof, "samples", "count") : 0;
	if (rc < 0)
		return rc;
	for (unsigned int event = 0; event < 256; event++) {
		if (!profile->total_samples[event])
			continue;
		pprof->value_of[event] = (int)pprof->value_count;
		rc = write_type(pprof, export_event_name(export, (uint8_t)event),
				export_event_unit(export, (uint8_t)event, "nanoseconds", "count"));
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Writes the period and the timestamps. The format can store only one period, so the period of the
 * first event is written. Readers also show the first event first.
 */
static int write_period(struct pprof *pprof, const struct profile *profile)
{
	struct export *export = pprof->export;
	const struct model *model = export->model;
	uint8_t event = profile_first_event(profile);
	uint64_t start_ns = model_fact_u64(model, FACT_START_NS);
	uint64_t end_ns = model_fact_u64(model, FACT_END_NS);
	Assay__Pprof__ValueType type = ASSAY__PPROF__VALUE_TYPE__INIT;
	Assay__Pprof__Profile part = ASSAY__PPROF__PROFILE__INIT;
	int rc = string(pprof, export_event_name(export, event), &type.type);

	if (rc < 0)
		return rc;
	rc = string(pprof, export_event_unit(export, event, "nanoseconds", "count"), &type.unit);
	if (rc < 0)
		return rc;
	part.period_type = &type;
	part.default_sample_type = type.type;
	part.period = event < model->events.count ? message_int64(model->events.at[event].period)
						  : 0;
	part.time_nanos = message_int64(model_fact_u64(model, FACT_START_REALTIME_NS));
	part.duration_nanos = end_ns > start_ns ? message_int64(end_ns - start_ns) : 0;
	return write_part(pprof, &part);
}

static int write_comment(struct pprof *pprof, const char *text)
{
	Assay__Pprof__Profile part = ASSAY__PPROF__PROFILE__INIT;
	int64_t comment;
	int rc = string(pprof, text, &comment);

	if (rc < 0)
		return rc;
	part.n_comment = 1;
	part.comment = &comment;
	return write_part(pprof, &part);
}

static int write_comments(struct pprof *pprof)
{
	char text[EXPORT_LOSS_MAX];
	int rc = write_comment(pprof, export_title(pprof->export));

	if (rc < 0)
		return rc;
	for (int i = 0; i < LOSS_COUNT; i++) {
		if (!export_loss_text(pprof->export->model, (enum loss)i, text, sizeof(text)))
			continue;
		rc = write_comment(pprof, text);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- samples ---- */

/* Location numbers start at 1. */
static int use_location(struct pprof *pprof, size_t location)
{
	uint64_t *entry = vec_push(&pprof->locations);

	if (!entry)
		return -ENOMEM;
	*entry = location + 1;
	pprof->used[location] = true;
	return 0;
}

static int find_locations(struct pprof *pprof, uint32_t stack)
{
	const struct model *model = pprof->export->model;
	uint32_t id = stack;

	vec_clear(&pprof->locations);
	while (id >= STACK_ROOT_COUNT) {
		const struct stack_node *node = &model->stacks.at[id];
		int rc = use_location(pprof,
				      node->location < model->locations.count ? node->location : 0);

		if (rc < 0)
			return rc;
		id = node->parent < id ? node->parent : (uint32_t)STACK_ROOT_BROKEN;
	}
	if (id == STACK_ROOT_END && pprof->locations.count)
		return 0;
	return use_location(pprof, model->locations.count + id);
}

static int write_sample(struct pprof *pprof, const struct hit *hit)
{
	const struct export *export = pprof->export;
	Assay__Pprof__Sample sample = ASSAY__PPROF__SAMPLE__INIT, *samples[] = { &sample };
	Assay__Pprof__Profile part = ASSAY__PPROF__PROFILE__INIT;
	Assay__Pprof__Label labels[LABELS], *label[LABELS];
	int64_t values[257] = { pprof->has_count ? message_int64(hit->count.samples) : 0 };
	int rc = find_locations(pprof, hit->stack_class);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < LABELS; i++) {
		assay__pprof__label__init(&labels[i]);
		label[i] = &labels[i];
	}
	values[pprof->value_of[hit->event]] = message_int64(hit->count.weight);
	pprof->samples[thread_of(export->model, hit->thread)->process] += hit->count.samples;
	if (!pprof->comms[hit->thread]) {
		rc = string(pprof, export_comm(export, hit->thread), &pprof->comms[hit->thread]);
		if (rc < 0)
			return rc;
	}
	labels[0].key = pprof->comm_key;
	labels[0].str = pprof->comms[hit->thread];
	labels[1].key = pprof->context_key;
	labels[1].str = pprof->contexts[hit->context];
	labels[2].key = pprof->pid_key;
	labels[2].num = export_tgid(export, hit->thread);
	labels[3].key = pprof->tid_key;
	labels[3].num = thread_of(export->model, hit->thread)->tid;
	sample.location_id = pprof->locations.at;
	sample.n_location_id = pprof->locations.count;
	sample.value = values;
	sample.n_value = pprof->value_count;
	sample.label = label;
	sample.n_label = LABELS;
	part.sample = samples;
	part.n_sample = 1;
	return write_part(pprof, &part);
}

/* ---- tables that samples refer to ---- */

struct location_lines {
	struct pprof *pprof;
	VEC(Assay__Pprof__Line) at;
	VEC(Assay__Pprof__Line *) pointers;
};

static int add_line(void *context, uint64_t key, uint32_t line)
{
	struct location_lines *lines = context;
	struct export *export = lines->pprof->export;
	Assay__Pprof__Line *entry = vec_push(&lines->at);
	uint32_t function;

	if (!entry || !vec_push(&lines->pointers) ||
	    paths_number_frame(&export->paths, key, line, &function) < 0)
		return -ENOMEM;
	assay__pprof__line__init(entry);
	entry->function_id = (uint64_t)function + 1;
	entry->line = line_of(export->model, line)->line;
	return 0;
}

static int write_location(struct location_lines *lines, size_t id)
{
	const struct export *export = lines->pprof->export;
	const struct model *model = export->model;
	Assay__Pprof__Location location = ASSAY__PPROF__LOCATION__INIT,
			       *locations[] = { &location };
	Assay__Pprof__Profile part = ASSAY__PPROF__PROFILE__INIT;
	int rc;

	vec_clear(&lines->at);
	vec_clear(&lines->pointers);
	location.id = id + 1;
	if (id < model->locations.count) {
		uint32_t image = model->locations.at[id].image;

		image = image < model->images.count ? image : 0;
		rc = paths_each_frame(model, (uint32_t)id, export->options->inlined, add_line,
				      lines);
		location.address = model->locations.at[id].vaddr;
		location.mapping_id = (uint64_t)image + 1;
		if (location.address >= lines->pprof->limits[image])
			lines->pprof->limits[image] = location.address + 1;
	} else {
		rc = add_line(lines,
			      call_frame_of_root((enum stack_root)(id - model->locations.count)),
			      0);
	}
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < lines->at.count; i++)
		lines->pointers.at[i] = &lines->at.at[i];
	location.line = lines->pointers.at;
	location.n_line = lines->at.count;
	part.location = locations;
	part.n_location = 1;
	return write_part(lines->pprof, &part);
}

static void location_lines_fini(struct location_lines *lines)
{
	vec_free(&lines->at);
	vec_free(&lines->pointers);
}

static int write_locations(struct pprof *pprof)
{
	_cleanup_(location_lines_fini) struct location_lines lines = { .pprof = pprof };
	size_t count = pprof->export->model->locations.count + STACK_ROOT_COUNT;

	for (size_t id = 0; id < count; id++) {
		int rc = pprof->used[id] ? write_location(&lines, id) : 0;

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int build_id_string(struct pprof *pprof, const struct image *image, int64_t *ret_number)
{
	char hex[2 * BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < image->build_id_size && i < BUILD_ID_MAX; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", image->build_id[i]);
	return string(pprof, hex, ret_number);
}

static int write_mapping(struct pprof *pprof, uint32_t id)
{
	const struct model *model = pprof->export->model;
	const struct image *image = &model->images.at[id];
	bool inlined = pprof->export->options->inlined;
	Assay__Pprof__Mapping mapping = ASSAY__PPROF__MAPPING__INIT, *mappings[] = { &mapping };
	Assay__Pprof__Profile part = ASSAY__PPROF__PROFILE__INIT;
	int rc = string(pprof, string_of(model, image->path), &mapping.filename);

	if (rc < 0)
		return rc;
	rc = build_id_string(pprof, image, &mapping.build_id);
	if (rc < 0)
		return rc;
	mapping.id = (uint64_t)id + 1;
	mapping.memory_limit = pprof->limits[id];
	mapping.has_functions = true;
	mapping.has_filenames = inlined;
	mapping.has_line_numbers = inlined;
	mapping.has_inline_frames = inlined;
	part.mapping = mappings;
	part.n_mapping = 1;
	return write_part(pprof, &part);
}

static int write_function(struct pprof *pprof, uint32_t frame)
{
	struct export *export = pprof->export;
	char scratch[GROUP_IMAGE_NAME_MAX];
	Assay__Pprof__Function function = ASSAY__PPROF__FUNCTION__INIT,
			       *functions[] = { &function };
	Assay__Pprof__Profile part = ASSAY__PPROF__PROFILE__INIT;
	int rc = string(pprof, paths_name(&export->paths, &export->profile, frame, scratch),
			&function.name);

	if (rc < 0)
		return rc;
	rc = string(pprof, paths_linkage_name(&export->paths, &export->profile, frame, scratch),
		    &function.system_name);
	if (rc < 0)
		return rc;
	rc = string(pprof, paths_file(&export->paths, frame), &function.filename);
	if (rc < 0)
		return rc;
	function.id = (uint64_t)frame + 1;
	part.function = functions;
	part.n_function = 1;
	return write_part(pprof, &part);
}

static int write_strings(struct pprof *pprof)
{
	const struct strpool *strings = &pprof->writer.strings;

	for (uint32_t id = 0; id < strings->offset.count; id++) {
		char *text = strings->bytes.at + strings->offset.at[id];
		Assay__Pprof__Profile part = ASSAY__PPROF__PROFILE__INIT;
		int rc;

		part.string_table = &text;
		part.n_string_table = 1;
		rc = write_part(pprof, &part);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Returns true if @image is the program that @process runs. If the path of the program is not
 * known, compares the file name of the image with the process's name. The kernel cuts the name of a
 * process to COMM_MAX characters.
 */
static bool is_program(const struct model *model, const struct process *process, uint32_t image)
{
	const char *path = string_of(model, model->images.at[image].path);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *comm = string_of(model, application_of(model, process->application)->name);
	size_t length = strlen(comm);

	if (process->exe)
		return model->images.at[image].path == process->exe;
	return length > 0 && strncmp(name, comm, length) == 0 &&
	       (!name[length] || length == COMM_MAX);
}

/*
 * Returns the image of the main program, which is the program of the process with the most samples.
 * Returns 0 if that image is not known. The image is written first, because readers take the first
 * mapping for the profiled program.
 */
static uint32_t main_image(const struct pprof *pprof)
{
	const struct model *model = pprof->export->model;
	size_t most = 0;

	for (size_t i = 1; i < model->processes.count; i++)
		if (pprof->samples[i] > pprof->samples[most])
			most = i;
	for (uint32_t id = 1; id < model->images.count; id++)
		if (pprof->limits[id] && is_program(model, &model->processes.at[most], id))
			return id;
	return 0;
}

static int write_mappings(struct pprof *pprof)
{
	uint32_t first = main_image(pprof);
	int rc = first ? write_mapping(pprof, first) : 0;

	if (rc < 0)
		return rc;
	for (uint32_t id = 0; id < pprof->export->model->images.count; id++) {
		if (!pprof->limits[id] || id == first)
			continue;
		rc = write_mapping(pprof, id);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * The order of the tables matters: writing locations adds functions, and all of them add strings.
 */
static int write_tables(struct pprof *pprof)
{
	const struct export *export = pprof->export;
	int rc = write_locations(pprof);

	if (rc < 0)
		return rc;
	rc = write_mappings(pprof);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < export->paths.frames.count; i++) {
		rc = write_function(pprof, i);
		if (rc < 0)
			return rc;
	}
	return write_strings(pprof);
}

/* ---- the whole profile ---- */

static int pprof_init(struct pprof *pprof, FILE *out)
{
	const struct model *model = pprof->export->model;
	int rc = message_writer_init(&pprof->writer, out);

	pprof->used = calloc(model->locations.count + STACK_ROOT_COUNT, sizeof(bool));
	pprof->limits = calloc(model->images.count, sizeof(uint64_t));
	pprof->comms = calloc(model->threads.count, sizeof(int64_t));
	pprof->samples = calloc(model->processes.count, sizeof(uint64_t));
	if (rc < 0 || !pprof->used || !pprof->limits || !pprof->comms || !pprof->samples)
		return -ENOMEM;
	for (int i = 0; i < CONTEXT_COUNT; i++)
		if (string(pprof, context_name((enum context)i), &pprof->contexts[i]) < 0)
			return -ENOMEM;
	if (string(pprof, "comm", &pprof->comm_key) < 0 ||
	    string(pprof, "context", &pprof->context_key) < 0 ||
	    string(pprof, "pid", &pprof->pid_key) < 0 || string(pprof, "tid", &pprof->tid_key) < 0)
		return -ENOMEM;
	return 0;
}

static int write_all(struct pprof *pprof, const struct profile *profile)
{
	int rc = write_types(pprof, profile);

	if (rc < 0)
		return rc;
	rc = write_period(pprof, profile);
	if (rc < 0)
		return rc;
	rc = write_comments(pprof);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < profile->hits.count; i++) {
		rc = write_sample(pprof, &profile->hits.at[i]);
		if (rc < 0)
			return rc;
	}
	return write_tables(pprof);
}

static int pprof_write(struct export *export)
{
	_cleanup_(profile_fini) struct profile profile;
	_cleanup_(pprof_fini) struct pprof pprof = { .export = export };
	_cleanup_fclose_ FILE *out = NULL;
	int rc = export_read_stacks(export, &profile);

	if (rc < 0)
		return rc;
	rc = gzip_open(export->out, &out);
	if (rc < 0)
		return rc;
	rc = pprof_init(&pprof, out);
	if (rc < 0)
		return rc;
	return write_all(&pprof, &profile);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.description = "profile.proto, compressed, for go tool pprof and similar tools",
	.is_binary = true,
	.has_losses = true,
	.write = pprof_write,
};
