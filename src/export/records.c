/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes each sample with all of its data on one line, as JSON objects or CSV rows. The format is
 * the output format of `assay trace` with all fields except "waker" and --json or --csv, with two
 * differences.
 * First, each name is escaped once and not again for each sample, because this is faster for whole
 * recordings. Second, inlined functions are written as frames if the user asks for them; in JSON
 * these frames have their source lines.
 */
#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/name_text.h"
#include "export/export-private.h"
#include "present/escape.h"

#define JSON_SEPARATOR ", "
#define CSV_HEAD "time,cpu,comm,pid,tid,event,context,late,weight,function,image,quality,stack\r\n"

/* Escaped names of one frame. */
struct record_name {
	char *function, *image;	/* texts of the fields "function" and "image" */
	char *quality;
	/*
	 * text of the frame as an element of "stack"; in JSON, an object and the separator after it
	 */
	char *part;
	size_t part_bytes;
	bool quoted;		/* CSV: a field that contains this name needs quotes */
};

struct records {
	struct export *export;
	bool csv;
	void (*escape)(FILE *, const char *);
	VEC(struct record_name) names;	/* indexed by frame number; grows with new frames */
	char **comms;			/* escaped name of each thread; NULL: not computed yet */
	char **events;			/* escaped name of each event; NULL: not computed yet */
	char *contexts[CONTEXT_COUNT];
	struct path_frames frames;	/* frames of the current sample */
};

static void records_fini(struct records *records)
{
	for (size_t i = 0; i < records->names.count; i++) {
		free(records->names.at[i].function);
		free(records->names.at[i].image);
		free(records->names.at[i].quality);
		free(records->names.at[i].part);
	}
	for (size_t i = 0; records->comms && i < records->export->model->threads.count; i++)
		free(records->comms[i]);
	for (size_t i = 0; records->events && i < 256; i++)
		free(records->events[i]);
	for (size_t i = 0; i < CONTEXT_COUNT; i++)
		free(records->contexts[i]);
	vec_free(&records->names);
	vec_free(&records->frames.list);
	free(records->comms);
	free(records->events);
}

/* ---- names ---- */

static char *escaped(void (*escape)(FILE *, const char *), const char *text)
{
	char *made = NULL;
	size_t size_bytes;
	FILE *out = open_memstream(&made, &size_bytes);

	if (!out)
		return NULL;
	escape(out, text);
	if (fclose(out) != 0) {
		free(made);
		return NULL;
	}
	return made;
}

static const char *escaped_once(const struct records *records, char **known, const char *text)
{
	if (!*known)
		*known = escaped(records->escape, text);
	return *known;
}

static void escape_csv_part(FILE *out, const char *text)
{
	struct name_cursor cursor = { .name = text, .at = text };
	char shown[NAME_TEXT_CHARACTER_MAX];

	while (name_text_next(&cursor, shown))
		(void)fputs(*shown == '"' ? "\"\"" : shown, out);
}

static char *json_part(const struct paths *paths, uint32_t frame, const struct record_name *name)
{
	uint32_t line = paths_line(paths, frame);
	char *part = NULL;
	size_t size_bytes;
	FILE *out = open_memstream(&part, &size_bytes);

	if (!out)
		return NULL;
	(void)fprintf(out, "{\"image\": %s, \"function\": %s", name->image, name->function);
	if (line) {
		(void)fputs(", \"file\": ", out);
		escape_json(out, paths_file(paths, frame));
		(void)fprintf(out, ", \"line\": %" PRIu32, line);
	}
	(void)fputs("}" JSON_SEPARATOR, out);
	if (fclose(out) != 0) {
		free(part);
		return NULL;
	}
	return part;
}

static int make_names(struct records *records)
{
	const struct export *export = records->export;
	char scratch[GROUP_IMAGE_NAME_MAX];

	while (records->names.count < export->paths.frames.count) {
		uint32_t frame = (uint32_t)records->names.count;
		const char *name = paths_name(&export->paths, &export->profile, frame, scratch);
		const char *image = paths_image(&export->paths, &export->profile, frame);
		struct record_name *made = vec_push(&records->names);

		if (!made)
			return -ENOMEM;
		made->function = escaped(records->escape, name);
		made->image = escaped(records->escape, file_name(image));
		made->quality = escaped(records->escape,
					paths_quality(&export->paths, &export->profile, frame));
		if (!made->function || !made->image || !made->quality)
			return -ENOMEM;
		made->part = records->csv ? escaped(escape_csv_part, name)
					  : json_part(&export->paths, frame, made);
		made->quoted = strpbrk(name, ",\"\r\n") != NULL;
		if (!made->part)
			return -ENOMEM;
		made->part_bytes = strlen(made->part);
	}
	return 0;
}

/* ---- one line ---- */

static void put_json_stack(const struct records *records)
{
	FILE *out = records->export->out;

	(void)fputs_unlocked(", \"stack\": [", out);
	for (size_t i = records->frames.list.count; i-- > 0;) {
		const struct record_name *name = &records->names.at[records->frames.list.at[i]];

		(void)fwrite_unlocked(name->part, 1,
				      name->part_bytes - (i ? 0 : strlen(JSON_SEPARATOR)), out);
	}
	(void)fputs_unlocked("]}\n", out);
}

/*
 * Writes the stack by the rules of escape_csv(). A field that begins like a formula gets an
 * apostrophe in front, so that spreadsheets do not evaluate the field.
 */
static void put_csv_stack(const struct records *records)
{
	FILE *out = records->export->out;
	const struct record_name *names = records->names.at;
	const char *first = "";
	bool quoted = false;

	for (size_t i = 0; i < records->frames.list.count; i++) {
		quoted |= names[records->frames.list.at[i]].quoted;
		first = names[records->frames.list.at[i]].part;
	}
	quoted |= *first == ' ';
	(void)fputs_unlocked(quoted ? ",\"" : ",", out);
	if (*first && strchr("=+-@", *first))
		(void)fputc_unlocked('\'', out);
	for (size_t i = records->frames.list.count; i-- > 0;) {
		(void)fwrite_unlocked(names[records->frames.list.at[i]].part, 1,
				      names[records->frames.list.at[i]].part_bytes, out);
		if (i)
			(void)fputc_unlocked(';', out);
	}
	(void)fputs_unlocked(quoted ? "\"\r\n" : "\r\n", out);
}

static void put_field(const struct records *records, const char *key, const char *text)
{
	FILE *out = records->export->out;

	(void)fputs_unlocked(records->csv ? "," : key, out);
	(void)fputs_unlocked(text, out);
}

static void put_number(const struct records *records, const char *key, uint64_t number)
{
	put_field(records, key, "");
	put_u64(records->export->out, number);
}

static void put_time(const struct records *records, uint64_t time_ns)
{
	uint64_t start_ns = records->export->start_ns;
	uint64_t ns = time_ns < start_ns ? start_ns - time_ns : time_ns - start_ns;

	(void)fprintf(records->export->out, "%s%s%" PRIu64 ".%09" PRIu64,
		      records->csv ? "" : "{\"time\": ", time_ns < start_ns ? "-" : "",
		      ns / NS_PER_SEC, ns % NS_PER_SEC);
}

static void put_late(const struct records *records, int32_t late_ns)
{
	if (late_ns == LATE_UNKNOWN)
		put_field(records, ", \"late\": ", records->csv ? "" : "null");
	else
		put_number(records, ", \"late\": ", late_ns < 0 ? 0 : (uint64_t)late_ns);
}

static void put_sample(const struct records *records, const struct sample *sample, const char *comm,
		       const char *event)
{
	const struct export *export = records->export;
	const struct record_name *leaf = &records->names.at[records->frames.list.at[0]];

	put_time(records, sample->time_ns);
	put_number(records, ", \"cpu\": ", sample->cpu);
	put_field(records, ", \"comm\": ", comm);
	put_number(records, ", \"pid\": ", export_tgid(export, sample->thread));
	put_number(records, ", \"tid\": ", thread_of(export->model, sample->thread)->tid);
	put_field(records, ", \"event\": ", event);
	put_field(records, ", \"context\": ", records->contexts[sample->context]);
	put_late(records, sample_late_ns(export->model, sample));
	put_number(records, ", \"weight\": ", sample->weight);
	put_field(records, ", \"function\": ", leaf->function);
	put_field(records, ", \"image\": ", leaf->image);
	put_field(records, ", \"quality\": ", leaf->quality);
}

static int write_record(void *context, const struct sample *sample)
{
	struct records *records = context;
	struct export *export = records->export;
	const char *comm = escaped_once(records, &records->comms[sample->thread],
					export_comm(export, sample->thread));
	const char *event = escaped_once(records, &records->events[sample->event],
					 export_event_name(export, sample->event));
	uint32_t path;

	if (!comm || !event || paths_of_stack(&export->paths, sample->stack, &path) < 0 ||
	    paths_frames(&export->paths, path, &records->frames) < 0 || make_names(records) < 0)
		return -ENOMEM;
	put_sample(records, sample, comm, event);
	if (records->csv)
		put_csv_stack(records);
	else
		put_json_stack(records);
	export->samples++;
	return 0;
}

static int write_records(struct export *export, bool csv)
{
	_cleanup_(records_fini) struct records records = {
		.export = export,
		.csv = csv,
		.escape = csv ? escape_csv : escape_json,
		.comms = calloc(export->model->threads.count, sizeof(char *)),
		.events = calloc(256, sizeof(char *)),
	};

	if (!records.comms || !records.events)
		return -ENOMEM;
	for (int i = 0; i < CONTEXT_COUNT; i++)
		if (!escaped_once(&records, &records.contexts[i], context_name((enum context)i)))
			return -ENOMEM;
	if (csv)
		(void)fputs(CSV_HEAD, export->out);
	return export_each_sample(export, write_record, &records);
}

static int ndjson_write(struct export *export)
{
	return write_records(export, false);
}

static int csv_write(struct export *export)
{
	return write_records(export, true);
}

const struct export_format export_ndjson = {
	.name = "ndjson",
	.description = "a JSON object for each sample",
	.frames_have_lines = true,
	.has_spans = true,
	.write = ndjson_write,
};

const struct export_format export_csv = {
	.name = "csv",
	.description = "a row of CSV for each sample",
	.has_spans = true,
	.write = csv_write,
};
