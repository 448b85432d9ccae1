/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes speedscope's file format. Each event becomes a profile of type "sampled", whose samples
 * are in order of time. The outermost frame of each sample is the name of its thread. A profile has
 * one array of samples and another of their weights, and writing each array takes one pass over the
 * recording. Different lines of a function are different frames. If the source file of a function
 * is known, the member "file" contains it. In that case, the additional member "image" names the
 * program or library that contains the function, so that assay import can read both. Other readers
 * ignore "image".
 *
 * Source: src/lib/file-format-spec.ts of github.com/jlfwong/speedscope, version 1.25.
 */
#include "base/cleanup.h"
#include "export/export-private.h"
#include "present/json.h"

struct speedscope {
	struct export *export;
	struct json json;
	uint8_t event;
	uint64_t total_weight;
	uint64_t samples;		/* number of elements written to the current array */
	/*
	 * for each thread: 1 + the number of the frame that shows the thread's name; 0: not known
	 * yet
	 */
	uint32_t *comm_frames;
	struct path_frames frames;
};

static void speedscope_fini(struct speedscope *speedscope)
{
	free(speedscope->comm_frames);
	vec_free(&speedscope->frames.list);
}

static int comm_frame(struct speedscope *speedscope, uint32_t thread, uint32_t *ret_frame)
{
	struct export *export = speedscope->export;
	uint32_t *known = &speedscope->comm_frames[thread];
	int rc;

	if (!*known) {
		rc = paths_comm_frame(&export->paths, export->model->threads.at[thread].comm,
				      ret_frame);
		if (rc < 0)
			return rc;
		*known = *ret_frame + 1;
	}
	*ret_frame = *known - 1;
	return 0;
}

static void separate(struct speedscope *speedscope)
{
	(void)fputs(speedscope->samples++ ? ",\n" : "\n", speedscope->export->out);
}

static int write_sample(void *context, const struct sample *sample)
{
	struct speedscope *speedscope = context;
	struct export *export = speedscope->export;
	uint32_t path, frame;

	if (sample->event != speedscope->event)
		return 0;
	if (paths_of_stack(&export->paths, sample->stack, &path) < 0 ||
	    comm_frame(speedscope, sample->thread, &frame) < 0 ||
	    paths_frames(&export->paths, path, &speedscope->frames) < 0)
		return -ENOMEM;
	separate(speedscope);
	(void)fputc('[', export->out);
	put_u64(export->out, frame);
	for (size_t i = speedscope->frames.list.count; i-- > 0;) {
		(void)fputc(',', export->out);
		put_u64(export->out, speedscope->frames.list.at[i]);
	}
	(void)fputc(']', export->out);
	speedscope->total_weight += sample->weight;
	export->samples++;
	return 0;
}

static int write_weight(void *context, const struct sample *sample)
{
	struct speedscope *speedscope = context;

	if (sample->event != speedscope->event)
		return 0;
	separate(speedscope);
	put_u64(speedscope->export->out, sample->weight);
	return 0;
}

static int write_profile(struct speedscope *speedscope)
{
	struct export *export = speedscope->export;
	struct json *json = &speedscope->json;
	int rc;

	speedscope->total_weight = 0;
	speedscope->samples = 0;
	json_open(json, NULL, '{');
	json_string(json, "type", "sampled");
	json_string(json, "name", export_event_name(export, speedscope->event));
	json_string(json, "unit",
		    export_event_unit(export, speedscope->event, "nanoseconds", "none"));
	json_open(json, "samples", '[');
	rc = export_each_sample(export, write_sample, speedscope);
	json_close(json);
	speedscope->samples = 0;
	json_open(json, "weights", '[');
	if (rc == 0)
		rc = export_each_sample(export, write_weight, speedscope);
	json_close(json);
	json_u64(json, "startValue", 0);
	json_u64(json, "endValue", speedscope->total_weight);
	json_close(json);
	return rc;
}

static void write_frames(struct speedscope *speedscope)
{
	struct export *export = speedscope->export;
	struct json *json = &speedscope->json;
	char scratch[GROUP_IMAGE_NAME_MAX];

	json_open(json, "shared", '{');
	json_open(json, "frames", '[');
	for (uint32_t i = 0; i < export->paths.frames.count; i++) {
		const char *source = paths_file(&export->paths, i);
		const char *image = paths_image(&export->paths, &export->profile, i);
		uint32_t line = paths_line(&export->paths, i);

		json_open(json, NULL, '{');
		json_string(json, "name", paths_name(&export->paths, &export->profile, i, scratch));
		if (*source || *image)
			json_string(json, "file", *source ? source : image);
		if (*source)
			json_string(json, "image", image);
		if (line)
			json_u64(json, "line", line);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

/*
 * Returns the text for the file's top-level member "name", such as "make -j4 (5 samples lost:
 * sample-ring-full)". The text includes the losses, because speedscope shows no other text of the
 * file.
 */
static char *name_of(const struct export *export)
{
	char *name = NULL, text[EXPORT_LOSS_MAX];
	size_t size_bytes;
	FILE *out = open_memstream(&name, &size_bytes);

	if (!out)
		return NULL;
	(void)fputs(export_title(export), out);
	for (int i = 0; i < LOSS_COUNT; i++)
		if (export_loss_text(export->model, (enum loss)i, text, sizeof(text)))
			(void)fprintf(out, " (%s)", text);
	if (fclose(out) != 0) {
		free(name);
		return NULL;
	}
	return name;
}

static int write_profiles(struct speedscope *speedscope, const uint64_t *counted)
{
	bool any = false;
	int rc = 0;

	json_open(&speedscope->json, "profiles", '[');
	for (unsigned int event = 0; event < 256; event++) {
		if (!counted[event])
			continue;
		speedscope->event = (uint8_t)event;
		rc = write_profile(speedscope);
		any = true;
		if (rc != 0)
			break;
	}
	/* The format requires at least one profile, so write an empty one. */
	if (!any)
		rc = write_profile(speedscope);
	json_close(&speedscope->json);
	return rc;
}

static int speedscope_write(struct export *export)
{
	_cleanup_(speedscope_fini) struct speedscope speedscope = {
		.export = export,
		.json.out = export->out,
		.comm_frames = calloc(export->model->threads.count, sizeof(uint32_t)),
	};
	_cleanup_free_ char *name = name_of(export);
	uint64_t counted[256];
	int rc = export_count_events(export, counted);

	if (rc < 0 || !name || !speedscope.comm_frames)
		return rc < 0 ? rc : -ENOMEM;
	json_open(&speedscope.json, NULL, '{');
	json_string(&speedscope.json, "$schema",
		    "https://www.speedscope.app/file-format-schema.json");
	json_string(&speedscope.json, "exporter", "assay " ASSAY_VERSION);
	json_string(&speedscope.json, "name", name);
	json_u64(&speedscope.json, "activeProfileIndex", 0);
	rc = write_profiles(&speedscope, counted);
	write_frames(&speedscope);
	json_close(&speedscope.json);
	return rc;
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.description = "JSON for speedscope.app, in time order",
	.has_losses = true,
	.frames_have_lines = true,
	.write = speedscope_write,
};
