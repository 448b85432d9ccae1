/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/merge.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "model/merge.h"
#include "store/code_table.h"
#include "store/source_table.h"

/* Batches of at least this many samples are written in one transaction. */
#define BATCH_SAMPLES 65536u

struct input {
	const char *path;
	struct recording *recording;
	struct model model;
	struct model_map map;
	bool has_model;
};

struct work {
	const struct merge_options *options;
	struct input *inputs;
	struct model *model;		/* of the output; borrowed */
	bool is_temporary;
	struct model_merge merge;
	struct recording *output;
	struct sample_batch batch;
	const struct input *input;	/* the one whose samples are being copied */
	uint64_t sample_count;
	bool written;
	struct err *err;
};

/* ---- opening ---- */

/* A recording that is given twice would count twice; one that is also the output would be lost. */
static int check_paths(const struct merge_options *options, bool is_temporary, struct err *err)
{
	struct stat output, first, second;
	bool exists = !is_temporary && stat(options->output, &output) == 0;

	for (size_t i = 0; i < options->count; i++) {
		if (stat(options->paths[i], &first) < 0)
			return err_sys(err, -errno, "%s", options->paths[i]);
		if (exists && first.st_dev == output.st_dev && first.st_ino == output.st_ino)
			return err_set(err, -EINVAL,
				       "%s: this recording is an input, so it cannot "
				       "also be the output",
				       options->output);
		for (size_t k = 0; k < i; k++)
			if (stat(options->paths[k], &second) == 0 &&
			    first.st_dev == second.st_dev && first.st_ino == second.st_ino)
				return err_set(err, -EINVAL, "%s: the recording is given twice",
					       options->paths[i]);
	}
	return 0;
}

static int load_inputs(struct work *work)
{
	for (size_t i = 0; i < work->options->count; i++) {
		struct input *input = &work->inputs[i];
		int rc;

		input->path = work->options->paths[i];
		input->has_model = true;
		rc = work->options->load(input->path, &input->recording, &input->model, work->err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- times ---- */

static int widen(void *context, const struct sample_batch *batch)
{
	struct run_span *span = context;

	for (size_t i = 0; i < batch->samples.count; i++)
		if (batch->samples.at[i].time_ns > span->end_ns)
			span->end_ns = batch->samples.at[i].time_ns;
	return 0;
}

/* The end of a run that was cut short is its last sample or reading of the ledger. */
static int find_span(struct input *input, struct run_span *ret_span, struct err *err)
{
	struct losses losses = input->model.losses;
	int rc;

	*ret_span = (struct run_span){
		.start_ns = model_fact_u64(&input->model, FACT_START_NS),
		.end_ns = model_fact_u64(&input->model, FACT_END_NS),
	};
	if (!ret_span->start_ns || ret_span->end_ns)
		return 0;
	for (size_t i = 0; i < input->model.ledger.cpus.count; i++)
		if (input->model.ledger.cpus.at[i].end_ns > ret_span->end_ns)
			ret_span->end_ns = input->model.ledger.cpus.at[i].end_ns;
	rc = recording_each_block(input->recording, &input->model, NULL, widen, ret_span, err);
	input->model.losses = losses;	/* the next pass counts the same damaged blocks again */
	return rc;
}

static uint64_t base_of(const struct work *work)
{
	for (size_t i = 0; i < work->options->count; i++) {
		uint64_t start_ns = model_fact_u64(&work->inputs[i].model, FACT_START_NS);

		if (start_ns)
			return start_ns;
	}
	return 0;
}

/* ---- dictionaries ---- */

static int merge_models(struct work *work)
{
	model_merge_init(&work->merge, work->model, base_of(work));
	for (size_t i = 0; i < work->options->count; i++) {
		struct input *input = &work->inputs[i];
		int rc = model_merge_check(&work->merge, &input->model, work->err);

		if (rc < 0)
			return err_prefix(work->err, "%s", input->path);
	}
	for (size_t i = 0; i < work->options->count; i++) {
		struct input *input = &work->inputs[i];
		struct run_span span;
		int rc = find_span(input, &span, work->err);

		if (rc < 0)
			return rc;
		rc = model_merge_add(&work->merge, &input->model, &span, &input->map);
		if (rc < 0)
			return err_sys(work->err, rc, "%s", input->path);
	}
	model_merge_end(&work->merge);
	return 0;
}

/* ---- samples ---- */

static int flush(struct work *work)
{
	int rc = recording_append(work->output, work->model, &work->batch, work->err);

	work->written = true;
	sample_batch_clear(&work->batch);
	return rc;
}

static bool follows(const struct sample_batch *batch, const struct sample_batch *next,
		    const struct model_map *map)
{
	uint64_t first_ns = next->samples.at[0].time_ns + map->shift_ns;

	return first_ns >= batch->samples.at[batch->samples.count - 1].time_ns &&
	       (batch->counter_count != 0) == (next->counter_count != 0);
}

/*
 * Joins blocks into larger ones, because those compress better and need fewer transactions. A block
 * must be in time order, so a block that overlaps the one before it begins a new batch.
 */
static int copy_samples(void *context, const struct sample_batch *batch)
{
	struct work *work = context;
	int rc = 0;

	if (!batch->samples.count)
		return 0;
	if (work->batch.samples.count && (work->batch.samples.count >= BATCH_SAMPLES ||
					  !follows(&work->batch, batch, &work->input->map)))
		rc = flush(work);
	if (rc < 0)
		return rc;
	work->sample_count += batch->samples.count;
	rc = model_map_samples(&work->input->map, batch, &work->batch);
	return rc < 0 ? err_sys(work->err, rc, "%s", work->input->path) : 0;
}

static void add_new_losses(struct losses *into, const struct losses *before,
			   const struct losses *after)
{
	for (enum loss reason = 0; reason < LOSS_COUNT; reason++)
		loss_add(into, reason, after->count[reason] - before->count[reason]);
}

static int copy_all_samples(struct work *work)
{
	for (size_t i = 0; i < work->options->count; i++) {
		struct input *input = &work->inputs[i];
		const struct losses before = input->model.losses;
		int rc;

		work->input = input;
		rc = recording_each_block(input->recording, &input->model, NULL, copy_samples, work,
					  work->err);
		if (rc < 0)
			return rc;
		add_new_losses(&work->model->losses, &before, &input->model.losses);
	}
	return flush(work);
}

/* ---- code and sources ---- */

/* Adds the code of those functions of @input that are hot in the merged recording. */
static int copy_code(const struct work *work, struct input *input, uint8_t *wanted,
		     struct code_list *codes, size_t *size_bytes)
{
	for (size_t i = 1; i < input->model.functions.count; i++) {
		const struct function *function = &input->model.functions.at[i];
		uint32_t id = input->map.functions[i];
		struct code *code;

		if (!wanted[id] || *size_bytes + function->size_bytes > CODE_KEPT_BYTES_MAX)
			continue;
		code = vec_push(&codes->list);
		if (!code)
			return -ENOMEM;
		if (recording_read_code(input->recording, function, code, NULL) != 1) {
			codes->list.count--;
			continue;
		}
		code->image = work->model->functions.at[id].image;
		code->vaddr = work->model->functions.at[id].vaddr;
		*size_bytes += code->size_bytes;
		wanted[id] = 0;
	}
	return 0;
}

static int keep_code(struct work *work)
{
	_cleanup_free_ uint8_t *wanted = calloc(work->model->functions.count, 1);
	struct function_ids hot = { 0 };
	struct code_list codes = { 0 };
	size_t size_bytes = 0;
	int rc = wanted ? recording_hot_functions(work->output, &hot, NULL) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < hot.list.count; i++)
		if (hot.list.at[i] < work->model->functions.count)
			wanted[hot.list.at[i]] = 1;
	for (size_t i = 0; rc == 0 && i < work->options->count; i++)
		rc = copy_code(work, &work->inputs[i], wanted, &codes, &size_bytes);
	if (rc == 0 && codes.list.count)
		rc = recording_keep_code(work->output, &codes, NULL);
	code_list_fini(&codes);
	vec_free(&hot.list);
	return rc;
}

/* Moves the texts of @from that fit to @to. The first text of a path is kept. */
static int move_sources(struct work *work, const struct model *model, struct source_list *from,
			struct source_list *to)
{
	for (size_t i = 0; i < from->list.count; i++) {
		struct source_text *text = &from->list.at[i], *moved;

		text->file = model_intern(work->model, model_string(model, text->file));
		if (source_of(to, text->file))
			continue;
		if (to->list.count >= SOURCES_MAX ||
		    to->size_bytes + text->size_bytes > SOURCES_BYTES_MAX) {
			loss_add(&work->model->losses, LOSS_SOURCE_LEFT_OUT, 1);
			continue;
		}
		moved = vec_push(&to->list);
		if (!moved)
			return -ENOMEM;
		*moved = *text;
		*text = (struct source_text){ 0 };
		to->size_bytes += moved->size_bytes;
	}
	return 0;
}

static int keep_sources(struct work *work)
{
	struct source_list all = { 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < work->options->count; i++) {
		struct input *input = &work->inputs[i];
		struct source_list sources = { 0 };

		rc = recording_read_sources(input->recording, &input->model, &sources, work->err);
		if (rc == 0)
			rc = move_sources(work, &input->model, &sources, &all);
		source_list_fini(&sources);
	}
	if (rc == 0 && all.list.count)
		rc = recording_keep_sources(work->output, work->model, &all, work->err);
	source_list_fini(&all);
	return rc;
}

/* ---- everything ---- */

static int write_output(struct work *work)
{
	int rc = copy_all_samples(work);

	if (rc < 0)
		return rc;
	rc = recording_finish(work->output, work->model, work->err);
	if (rc < 0)
		return rc;
	(void)keep_code(work);		/* without the code, it is read from the files again */
	rc = keep_sources(work);
	return rc < 0 ? rc : recording_append(work->output, work->model, &work->batch, work->err);
}

static int create_output(struct work *work)
{
	const char *path = work->options->output;

	return work->is_temporary ? recording_create_temporary(path, &work->output, work->err)
				  : recording_create(path, &work->output, work->err);
}

static int merge(struct work *work)
{
	int rc = check_paths(work->options, work->is_temporary, work->err);

	if (rc == 0)
		rc = load_inputs(work);
	if (rc == 0)
		rc = merge_models(work);
	if (rc == 0)
		rc = create_output(work);
	if (rc == 0)
		rc = write_output(work);
	if (rc < 0 && !work->written)
		recording_discard(TAKE_PTR(work->output));
	return rc;
}

static void close_inputs(struct work *work)
{
	for (size_t i = 0; i < work->options->count; i++) {
		model_map_fini(&work->inputs[i].map);
		recording_close(work->inputs[i].recording);
		if (work->inputs[i].has_model)
			model_fini(&work->inputs[i].model);
	}
	model_merge_fini(&work->merge);
	sample_batch_fini(&work->batch);
	free(work->inputs);
}

/* After success, the caller closes work->output. */
static int merge_all(struct work *work)
{
	int rc;

	work->inputs = calloc(work->options->count, sizeof(*work->inputs));
	if (!work->inputs)
		return err_sys(work->err, -ENOMEM, "%s", work->options->output);
	rc = merge(work);
	close_inputs(work);
	if (rc < 0)
		recording_close(TAKE_PTR(work->output));
	return rc;
}

int merge_recordings(const struct merge_options *options, struct merge_result *ret_result,
		     struct err *err)
{
	struct model model;
	struct work work = { .options = options, .model = &model, .err = err };
	int rc = model_init(&model);

	rc = rc < 0 ? err_sys(err, rc, "%s", options->output) : merge_all(&work);
	if (rc == 0)
		*ret_result = (struct merge_result){
			.losses = model.losses,
			.sample_count = work.sample_count,
			.size_bytes = recording_size_bytes(work.output),
		};
	recording_close(work.output);
	model_fini(&model);
	return rc;
}

int merge_read(const struct merge_options *options, struct recording **ret_recording,
	       struct model *model, struct err *err)
{
	struct work work = {
		.options = options,
		.model = model,
		.is_temporary = true,
		.err = err,
	};
	int rc = merge_all(&work);

	if (rc == 0)
		*ret_recording = work.output;
	return rc;
}
