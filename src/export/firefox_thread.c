/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "export/firefox.h"
#include "model/wait.h"

#define NO_NUMBER UINT32_MAX	/* written as null */
#define RESOURCE_LIBRARY 1	/* the Firefox Profiler's number for the resource type "library" */

struct node {
	uint32_t prefix;	/* may be NO_NUMBER */
	uint32_t frame;
	uint32_t category;
};

struct frame {
	uint32_t func;
	uint32_t line;		/* line number in the func's file; may be NO_NUMBER */
};

struct func {
	uint32_t name, file;	/* string numbers; file may be NO_NUMBER */
	uint32_t resource;	/* may be NO_NUMBER */
};

struct tables {
	struct firefox_writer *writer;
	/*
	 * Maps the number of a path to its node. A node that is the innermost node of samples has a
	 * separate entry for each context: the upper half of its key is context + 1. For other
	 * nodes, the upper half is 0.
	 */
	struct u64map node_index;
	/* maps a frame number of paths.h to the index of the frame in this thread */
	struct u64map frame_index;
	/* maps the number of a function's first frame (paths.h) to the index of the function */
	struct u64map func_index;
	struct u64map resource_index;	/* string number of a name -> index of the resource */
	VEC(struct node) nodes;
	VEC(struct frame) frames;
	VEC(struct func) funcs;
	VEC(uint32_t) resources;	/* string number of each resource's name */
	VEC(uint32_t) pending;		/* paths for which nodes must still be added */
	struct strpool strings;
	bool filled;			/* true if the current column already has a value */
};

static void tables_fini(struct tables *tables)
{
	u64map_fini(&tables->node_index);
	u64map_fini(&tables->frame_index);
	u64map_fini(&tables->func_index);
	u64map_fini(&tables->resource_index);
	vec_free(&tables->nodes);
	vec_free(&tables->frames);
	vec_free(&tables->funcs);
	vec_free(&tables->resources);
	vec_free(&tables->pending);
	strpool_fini(&tables->strings);
}

/* ---- numbering ---- */

static int number_string(struct tables *tables, const char *text, uint32_t *ret_string)
{
	return strpool_intern(&tables->strings, text, strlen(text), ret_string);
}

static int number_resource(struct tables *tables, const char *image, uint32_t *ret_resource)
{
	uint32_t string, *resource;

	*ret_resource = NO_NUMBER;
	if (!*image)
		return 0;
	if (number_string(tables, file_name(image), &string) < 0)
		return -ENOMEM;
	if (u64map_get(&tables->resource_index, string, ret_resource))
		return 0;
	resource = vec_push(&tables->resources);
	if (!resource)
		return -ENOMEM;
	*resource = string;
	*ret_resource = (uint32_t)(tables->resources.count - 1);
	return u64map_put(&tables->resource_index, string, *ret_resource);
}

static int number_func(struct tables *tables, uint32_t frame, uint32_t *ret_func)
{
	struct export *export = tables->writer->export;
	char scratch[GROUP_IMAGE_NAME_MAX];
	const char *file = paths_file(&export->paths, frame);
	struct func func = { .file = NO_NUMBER }, *entry;

	if (u64map_get(&tables->func_index, frame, ret_func))
		return 0;
	if (number_string(tables, paths_name(&export->paths, &export->profile, frame, scratch),
			  &func.name) < 0 ||
	    (*file && number_string(tables, file, &func.file) < 0) ||
	    number_resource(tables, paths_image(&export->paths, &export->profile, frame),
			    &func.resource) < 0)
		return -ENOMEM;
	entry = vec_push(&tables->funcs);
	if (!entry)
		return -ENOMEM;
	*entry = func;
	*ret_func = (uint32_t)(tables->funcs.count - 1);
	return u64map_put(&tables->func_index, frame, *ret_func);
}

/*
 * Stores the index of the frame in *ret_frame and adds the frame if it is new. The line number is
 * written as null if the line is in a different file than the function.
 */
static int number_frame(struct tables *tables, uint32_t frame, uint32_t *ret_frame)
{
	const struct paths *paths = &tables->writer->export->paths;
	uint32_t function = paths->frames.at[frame].function;
	uint32_t line = paths_line(paths, frame);
	struct frame *entry;

	if (u64map_get(&tables->frame_index, frame, ret_frame))
		return 0;
	entry = vec_push(&tables->frames);
	if (!entry || number_func(tables, function, &entry->func) < 0)
		return -ENOMEM;
	entry->line = line && strcmp(paths_file(paths, frame), paths_file(paths, function)) == 0
			      ? line
			      : NO_NUMBER;
	*ret_frame = (uint32_t)(tables->frames.count - 1);
	return u64map_put(&tables->frame_index, frame, *ret_frame);
}

/* Returns the category of a node, unless the node is the innermost node of a sample. */
static uint32_t category_of(const struct export *export, uint32_t frame)
{
	uint64_t key = export->paths.frames.at[frame].key;
	uint64_t image = call_frame_is_function(key) ? group_function_image(&export->profile, key)
						     : 0;
	enum image_kind kind = image_of(export->model, image)->kind;

	if (!call_frame_is_function(key))
		return CONTEXT_COUNT;
	return kind == IMAGE_KERNEL || kind == IMAGE_MODULE || kind == IMAGE_BPF ? CONTEXT_KERNEL
										 : CONTEXT_USER;
}

static int number_node(struct tables *tables, uint64_t key, const struct node *node,
		       uint32_t *ret_node)
{
	struct node *entry = vec_push(&tables->nodes);

	if (!entry)
		return -ENOMEM;
	*entry = *node;
	*ret_node = (uint32_t)(tables->nodes.count - 1);
	return u64map_put(&tables->node_index, key, *ret_node);
}

/*
 * Stores in *ret_node the node of a path. Other nodes can use this node as their caller. Stores
 * NO_NUMBER if the path is empty.
 */
static int number_path(struct tables *tables, uint32_t path, uint32_t *ret_node)
{
	struct export *export = tables->writer->export;
	uint32_t id = path;

	*ret_node = NO_NUMBER;
	vec_clear(&tables->pending);
	for (; id && !u64map_get(&tables->node_index, id, ret_node);
	     id = export->paths.nodes.at[id].parent) {
		uint32_t *pending = vec_push(&tables->pending);

		if (!pending)
			return -ENOMEM;
		*pending = id;
	}
	while (tables->pending.count) {
		uint32_t frame;
		struct node node = { .prefix = *ret_node };
		int rc;

		id = tables->pending.at[--tables->pending.count];
		frame = export->paths.nodes.at[id].frame;
		node.category = category_of(export, frame);
		rc = number_frame(tables, frame, &node.frame);
		if (rc < 0)
			return rc;
		rc = number_node(tables, id, &node, ret_node);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static uint64_t sample_key(const struct spool_record *record)
{
	return (uint64_t)(record->context + 1) << 32 | record->value;
}

static int number_sample(void *context, const struct spool_record *record)
{
	struct tables *tables = context;
	const struct path *path = &tables->writer->export->paths.nodes.at[record->value];
	struct node node = { .category = record->context };
	uint32_t number;

	if (u64map_get(&tables->node_index, sample_key(record), &number))
		return 0;
	if (number_path(tables, path->parent, &node.prefix) < 0 ||
	    number_frame(tables, path->frame, &node.frame) < 0)
		return -ENOMEM;
	return number_node(tables, sample_key(record), &node, &number);
}

/* ---- columns ---- */

static void column(struct tables *tables, const char *key)
{
	json_open(tables->writer->json, key, '[');
	tables->filled = false;
}

static void put_comma(struct tables *tables)
{
	if (tables->filled)
		(void)fputc(',', tables->writer->json->out);
	tables->filled = true;
}

static void put_number(struct tables *tables, uint32_t number)
{
	put_comma(tables);
	if (number == NO_NUMBER)
		(void)fputs("null", tables->writer->json->out);
	else
		put_u64(tables->writer->json->out, number);
}

static void put_ms(struct tables *tables, uint64_t ns)
{
	put_comma(tables);
	(void)fprintf(tables->writer->json->out, "%" PRIu64 ".%06" PRIu64, ns / NS_PER_MSEC,
		      ns % NS_PER_MSEC);
}

/* Writes a column whose rows all contain @word. */
static void constant_column(struct tables *tables, const char *key, size_t count, const char *word)
{
	column(tables, key);
	for (size_t i = 0; i < count; i++) {
		put_comma(tables);
		(void)fputs(word, tables->writer->json->out);
	}
	json_close(tables->writer->json);
}

#define NUMBER_COLUMN(tables, key, rows, field)                                    \
	do {                                                                       \
		column(tables, key);                                               \
		for (size_t row_ = 0; row_ < (tables)->rows.count; row_++)         \
			put_number(tables, (tables)->rows.at[row_].field);         \
		json_close((tables)->writer->json);                                \
	} while (0)

static void begin_table(struct tables *tables, const char *key, uint64_t length)
{
	json_open(tables->writer->json, key, '{');
	json_u64(tables->writer->json, "length", length);
}

/* ---- tables ---- */

static int put_stack(void *context, const struct spool_record *record)
{
	struct tables *tables = context;
	uint32_t node = NO_NUMBER;

	(void)u64map_get(&tables->node_index, sample_key(record), &node);
	put_number(tables, node);
	return 0;
}

static int put_time(void *context, const struct spool_record *record)
{
	put_ms(context, record->time_ns);
	return 0;
}

static int put_weight_ms(void *context, const struct spool_record *record)
{
	put_ms(context, record->weight);
	return 0;
}

static int put_weight(void *context, const struct spool_record *record)
{
	struct tables *tables = context;

	put_comma(tables);
	put_u64(tables->writer->json->out, record->weight);
	return 0;
}

static int sample_column(struct tables *tables, const char *key, uint32_t queue, spool_visit_fn put)
{
	int rc = 0;

	column(tables, key);
	if (queue != FIREFOX_NO_QUEUE)
		rc = spool_each(tables->writer->spool, queue, put, tables,
				tables->writer->export->err);
	json_close(tables->writer->json);
	return rc;
}

static uint64_t count_of(const struct tables *tables, uint32_t queue)
{
	return queue == FIREFOX_NO_QUEUE ? 0 : tables->writer->spool->queues.at[queue].count;
}

static int write_samples(struct tables *tables, uint8_t event, uint32_t queue)
{
	struct export *export = tables->writer->export;
	const char *kind = export_event_unit(export, event, "tracing-ms", "samples");
	int rc;

	begin_table(tables, "samples", count_of(tables, queue));
	rc = sample_column(tables, "stack", queue, put_stack);
	if (rc == 0)
		rc = sample_column(tables, "time", queue, put_time);
	if (rc == 0)
		rc = sample_column(tables, "weight", queue,
				   *kind == 't' ? put_weight_ms : put_weight);
	json_string(tables->writer->json, "weightType", kind);
	json_close(tables->writer->json);
	return rc;
}

static void write_stacks(struct tables *tables)
{
	begin_table(tables, "stackTable", tables->nodes.count);
	NUMBER_COLUMN(tables, "prefix", nodes, prefix);
	NUMBER_COLUMN(tables, "frame", nodes, frame);
	NUMBER_COLUMN(tables, "category", nodes, category);
	constant_column(tables, "subcategory", tables->nodes.count, "0");
	json_close(tables->writer->json);
}

/*
 * Writes one frame for each source line of a function. All addresses that belong to the same line
 * share one frame.
 */
static void write_frames(struct tables *tables)
{
	static const char *const unknown[] = { "category",	"subcategory",	  "nativeSymbol",
					       "innerWindowID", "implementation", "column" };
	size_t count = tables->frames.count;

	begin_table(tables, "frameTable", count);
	constant_column(tables, "address", count, "-1");
	constant_column(tables, "inlineDepth", count, "0");
	NUMBER_COLUMN(tables, "func", frames, func);
	NUMBER_COLUMN(tables, "line", frames, line);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		constant_column(tables, unknown[i], count, "null");
	json_close(tables->writer->json);
}

static void write_funcs(struct tables *tables)
{
	size_t count = tables->funcs.count;

	begin_table(tables, "funcTable", count);
	NUMBER_COLUMN(tables, "name", funcs, name);
	NUMBER_COLUMN(tables, "fileName", funcs, file);
	column(tables, "resource");
	for (size_t i = 0; i < count; i++) {
		put_comma(tables);
		(void)fprintf(tables->writer->json->out, "%" PRId32,
			      (int32_t)tables->funcs.at[i].resource);
	}
	json_close(tables->writer->json);
	constant_column(tables, "isJS", count, "false");
	constant_column(tables, "relevantForJS", count, "false");
	constant_column(tables, "lineNumber", count, "null");
	constant_column(tables, "columnNumber", count, "null");
	json_close(tables->writer->json);
}

static void write_resources(struct tables *tables)
{
	size_t count = tables->resources.count;
	char kind[4];

	(void)snprintf(kind, sizeof(kind), "%d", RESOURCE_LIBRARY);
	begin_table(tables, "resourceTable", count);
	column(tables, "name");
	for (size_t i = 0; i < count; i++)
		put_number(tables, tables->resources.at[i]);
	json_close(tables->writer->json);
	constant_column(tables, "lib", count, "null");
	constant_column(tables, "host", count, "null");
	constant_column(tables, "type", count, kind);
	json_close(tables->writer->json);
}

/* ---- markers ---- */

enum phase {			/* the Firefox Profiler's numbers */
	     PHASE_INSTANT,
	     PHASE_INTERVAL,
};

/*
 * A wait or span is an interval. The sums of short waits and the wakes of other threads are
 * moments.
 */
static enum phase phase_of(int kind)
{
	return kind < WAIT_SHORT_BLOCKED || kind == FIREFOX_SPAN ? PHASE_INTERVAL : PHASE_INSTANT;
}

static const char *type_of(int kind)
{
	if (kind == FIREFOX_SPAN)
		return "span";
	if (phase_of(kind) == PHASE_INTERVAL)
		return "wait";
	return kind == WAIT_SHORT_COUNT ? "count" : "time";
}

void firefox_write_schema(struct json *json)
{
	static const struct {
		const char *type, *label, *format;
	} types[] = {
		{ "wait", NULL, NULL },
		{ "span", NULL, NULL },
		{ "time", "time", "duration" },
		{ "count", "count", "integer" },
	};

	json_open(json, "markerSchema", '[');
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", types[i].type);
		json_string(json, "tooltipLabel", "{marker.name}");
		json_string(json, "tableLabel", "{marker.name}");
		json_string(json, "chartLabel", "{marker.name}");
		json_open(json, "display", '[');
		json_string(json, NULL, "marker-chart");
		json_string(json, NULL, "marker-table");
		json_close(json);
		json_open(json, "data", '[');
		if (types[i].label) {
			json_open(json, NULL, '{');
			json_string(json, "key", "amount");
			json_string(json, "label", types[i].label);
			json_string(json, "format", types[i].format);
			json_close(json);
		}
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

/*
 * The part of a wait in which the thread slept ends where the part begins in which it waited for a
 * CPU. The timestamp of both parts is the end of the wait, and the parts are adjacent.
 */
struct wait_ends {
	struct tables *tables;
	VEC(uint64_t) end_ns;		/* by record of the queue */
	struct spool_record last;
};

static void wait_ends_fini(struct wait_ends *ends)
{
	vec_free(&ends->end_ns);
}

static int find_end(void *context, const struct spool_record *record)
{
	struct wait_ends *ends = context;
	const int *kinds = ends->tables->writer->wait_kinds;
	uint64_t *end_ns = vec_push(&ends->end_ns);

	if (!end_ns)
		return -ENOMEM;
	*end_ns = record->time_ns;
	if (ends->end_ns.count > 1 && kinds[record->event] == WAIT_RUNNABLE &&
	    kinds[ends->last.event] < WAIT_RUNNABLE && ends->last.time_ns == record->time_ns)
		end_ns[-1] -= record->weight < end_ns[-1] ? record->weight : end_ns[-1];
	ends->last = *record;
	return 0;
}

struct markers {
	struct tables *tables;
	const struct wait_ends *ends;
	size_t row;			/* the next record */
};

static int put_data(void *context, const struct spool_record *record)
{
	struct markers *markers = context;
	const struct tables *tables = markers->tables;
	struct json *json = tables->writer->json;
	int kind = tables->writer->wait_kinds[record->event];
	uint32_t node = 0;

	(void)u64map_get(&tables->node_index, sample_key(record), &node);
	json_open(json, NULL, '{');
	json_string(json, "type", type_of(kind));
	json_open(json, "cause", '{');
	json_u64(json, "stack", node);
	json_close(json);
	if (kind == WAIT_SHORT_COUNT)
		json_u64(json, "amount", record->weight);
	else if (phase_of(kind) == PHASE_INSTANT)
		json_double(json, "amount", (double)record->weight / NS_PER_MSEC);
	json_close(json);
	return 0;
}

static int put_marker_name(void *context, const struct spool_record *record)
{
	struct markers *markers = context;
	struct tables *tables = markers->tables;
	uint32_t string;

	if (number_string(tables, export_event_name(tables->writer->export, (uint8_t)record->event),
			  &string) < 0)
		return -ENOMEM;
	put_number(tables, string);
	return 0;
}

static int put_start(void *context, const struct spool_record *record)
{
	struct markers *markers = context;
	uint64_t end_ns = markers->ends->end_ns.at[markers->row++];
	int kind = markers->tables->writer->wait_kinds[record->event];
	uint64_t ns = phase_of(kind) == PHASE_INTERVAL ? record->weight : 0;

	put_ms(markers->tables, ns < end_ns ? end_ns - ns : 0);
	return 0;
}

static int put_end(void *context, const struct spool_record *record)
{
	struct markers *markers = context;
	uint64_t end_ns = markers->ends->end_ns.at[markers->row++];

	if (phase_of(markers->tables->writer->wait_kinds[record->event]) == PHASE_INTERVAL)
		put_ms(markers->tables, end_ns);
	else
		put_number(markers->tables, NO_NUMBER);
	return 0;
}

static int put_phase(void *context, const struct spool_record *record)
{
	struct markers *markers = context;

	put_number(markers->tables, phase_of(markers->tables->writer->wait_kinds[record->event]));
	return 0;
}

static int put_category(void *context, const struct spool_record *record)
{
	struct markers *markers = context;

	put_number(markers->tables, record->context);
	return 0;
}

/* Writes the waits of the thread, with their stacks. */
static int write_markers(struct tables *tables, uint32_t queue)
{
	static const struct {
		const char *key;
		spool_visit_fn put;
	} columns[] = {
		{ "data", put_data },	{ "name", put_marker_name }, { "startTime", put_start },
		{ "endTime", put_end }, { "phase", put_phase },	     { "category", put_category },
	};
	const struct spool *spool = tables->writer->spool;
	struct err *err = tables->writer->export->err;
	_cleanup_(wait_ends_fini) struct wait_ends ends = { .tables = tables };
	struct markers markers = { .tables = tables, .ends = &ends };
	int rc = 0;

	begin_table(tables, "markers", count_of(tables, queue));
	if (queue != FIREFOX_NO_QUEUE)
		rc = spool_each(spool, queue, find_end, &ends, err);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		column(tables, columns[i].key);
		markers.row = 0;
		if (rc == 0 && queue != FIREFOX_NO_QUEUE)
			rc = spool_each(spool, queue, columns[i].put, &markers, err);
		json_close(tables->writer->json);
	}
	json_close(tables->writer->json);
	return rc;
}

/* Writes empty tables. The format has these tables, but a recording contains no data for them. */
static void write_empty(struct tables *tables)
{
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize" };

	begin_table(tables, "nativeSymbols", 0);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		constant_column(tables, symbols[i], 0, "");
	json_close(tables->writer->json);
	constant_column(tables, "pausedRanges", 0, "");
}

static void write_strings(struct tables *tables)
{
	json_open(tables->writer->json, "stringArray", '[');
	for (uint32_t i = 0; i < tables->strings.offset.count; i++)
		json_string(tables->writer->json, NULL, strpool_get(&tables->strings, i));
	json_close(tables->writer->json);
}

/* ---- the thread ---- */

static int write_name(const struct tables *tables, const struct firefox_thread *thread)
{
	const struct export *export = tables->writer->export;
	const char *comm = export_comm(export, thread->thread);
	_cleanup_free_ char *name = NULL;

	if (!tables->writer->name_events || thread->samples == FIREFOX_NO_QUEUE) {
		json_string(tables->writer->json, "name", comm);
		return 0;
	}
	if (asprintf(&name, "%s (%s)", comm, export_event_name(export, thread->event)) < 0)
		return -ENOMEM;
	json_string(tables->writer->json, "name", name);
	return 0;
}

static int write_who(const struct tables *tables, const struct firefox_thread *thread)
{
	const struct model *model = tables->writer->export->model;
	const struct thread *who = thread_of(model, thread->thread);
	const struct process *process = process_of(model, who->process);
	struct json *json = tables->writer->json;
	char pid[16];

	(void)snprintf(pid, sizeof(pid), "%" PRIu32, process->tgid);
	json_string(json, "pid", pid);
	json_u64(json, "tid", who->tid);
	json_bool(json, "isMainThread", who->tid == process->tgid);
	json_string(json, "processName",
		    string_of(model, application_of(model, process->application)->name));
	json_string(json, "processType", "default");
	json_u64(json, "processStartupTime", 0);
	json_double(json, "processShutdownTime", NAN);	/* written as null */
	json_u64(json, "registerTime", 0);
	json_double(json, "unregisterTime", NAN);
	return write_name(tables, thread);
}

int firefox_thread_write(struct firefox_writer *writer, const struct firefox_thread *thread)
{
	_cleanup_(tables_fini) struct tables tables = { .writer = writer };
	int rc = strpool_init(&tables.strings);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < 2 && rc == 0; i++) {
		uint32_t queue = i ? thread->waits : thread->samples;

		if (queue != FIREFOX_NO_QUEUE)
			rc = spool_each(writer->spool, queue, number_sample, &tables,
					writer->export->err);
	}
	if (rc != 0)
		return rc;
	json_open(writer->json, NULL, '{');
	rc = write_who(&tables, thread);
	if (rc == 0)
		rc = write_samples(&tables, thread->event, thread->samples);
	if (rc == 0)
		rc = write_markers(&tables, thread->waits);
	write_stacks(&tables);
	write_frames(&tables);
	write_funcs(&tables);
	write_resources(&tables);
	write_empty(&tables);
	write_strings(&tables);
	json_close(writer->json);
	return rc;
}
