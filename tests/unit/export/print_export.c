/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exports the machine of tests/support/model_maker, after writing it to a recording and reading it
 * back.
 *
 *	print_export FORMAT [inline] [recursive] [many] [waits] [heaps] [heavy] [KEY=VALUE]...
 *
 * In addition to what the machine ran, the recording contains:
 * - 100 samples of another event, page-faults, with a weight of 3 each, at burn_hot
 * - source lines: burn.c:7 in burn_hot, which has "inlined" (inlined.h:12) inlined there
 * - for each NUL-terminated name read from standard input: a function, an image and a thread with
 *   ten samples of cpu-clock
 * - with "recursive": a thread "twice" in c, called by a, b, a, b and a, with ten samples in each
 *   of two contexts
 * - with "many": 100,000 more samples in burn_hot
 * - with "heaps": all of it 42 times
 * - with "waits": of burn, two samples of a wait of 30 ms asleep and 10 ms runnable, and one of 7
 *   short waits; of a thread "sleeper", which never ran, a wait of 5 ms
 * - with "heavy": a weight of 2^62 for each sample
 * KEY=VALUE is a condition of the filter.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/export.h"
#include "model/wait.h"
#include "tests/support/model_maker.h"

#define SAMPLES_OF_NAME 10
#define FAULTS 100
#define MANY 100000	/* more than fits in 16 bits */
#define HEAPS 42	/* times MANY: more than 64 times what fits in 16 bits */
#define HEAVY (UINT64_C(1) << 62)

struct extent {
	int times;	/* how often everything is recorded */
	bool heavy;
};

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "print_export: %s\n", what);
	exit(1);
}

static void add_names(struct model_maker *maker)
{
	char *name = NULL;
	size_t size = 0;

	while (getdelim(&name, &size, '\0', stdin) > 0) {
		const struct maker_frame frame = { name, IMAGE_FILE, name, QUALITY_SYMTAB, false };

		maker_samples(maker, &(struct maker_run){
					     .thread = maker_thread(maker, name, 9000, false),
					     .stack = maker_stack(maker, STACK_ROOT_END, &frame),
					     .context = CONTEXT_USER,
					     .count = SAMPLES_OF_NAME });
	}
	free(name);
}

static void add_recursion(struct model_maker *maker)
{
	static const char *const functions[] = { "a", "b", "a", "b", "a", "c" };
	uint32_t thread = maker_thread(maker, "twice", 400, false), stack = STACK_ROOT_END;

	for (size_t i = 0; i < 6; i++)
		stack = maker_stack(maker, stack,
				    &(struct maker_frame){ "/bin/twice", IMAGE_FILE, functions[i],
							   QUALITY_SYMTAB, false });
	for (int i = 0; i < 2; i++)
		maker_samples(maker,
			      &(struct maker_run){ .thread = thread,
						   .stack = stack,
						   .context = i ? CONTEXT_EXCEPTION : CONTEXT_USER,
						   .count = SAMPLES_OF_NAME });
}

static uint32_t stack_of(const struct model *model, const char *function)
{
	for (uint32_t id = STACK_ROOT_COUNT; id < model->stacks.count; id++) {
		const struct location *leaf = &model->locations.at[model->stacks.at[id].location];

		if (strcmp(model_string(model, model->functions.at[leaf->function].name),
			   function) == 0)
			return id;
	}
	check(false, function);
	return 0;
}

static void add_many(struct model_maker *maker)
{
	maker_samples(maker, &(struct maker_run){ .thread = 1,
						  .stack = stack_of(&maker->model, "burn_hot"),
						  .context = CONTEXT_USER,
						  .count = MANY });
}

static void add_faults(struct model_maker *maker)
{
	struct event *event = vec_push(&maker->model.events);

	check(event, "no memory");
	*event = (struct event){ .name = model_intern(&maker->model, "page-faults"), .period = 3 };
	maker_samples(maker, &(struct maker_run){ .thread = 1,
						  .stack = stack_of(&maker->model, "burn_hot"),
						  .event = 1,
						  .context = CONTEXT_USER,
						  .count = FAULTS });
	for (size_t i = 0; i < FAULTS; i++)
		maker->batch.samples.at[maker->batch.samples.count - 1 - i].weight = 3;
}

/* Adds one sample with this weight. All are at the time at which the machine stops. */
static void add_wait(struct model_maker *maker, uint32_t thread, uint32_t event, uint64_t weight)
{
	uint64_t now_ns = maker->now_ns;

	maker_samples(maker, &(struct maker_run){ .thread = thread,
						  .stack = stack_of(&maker->model, "burn_hot"),
						  .event = (uint8_t)event,
						  .context = CONTEXT_USER,
						  .count = 1 });
	maker->batch.samples.at[maker->batch.samples.count - 1].weight = weight;
	maker->batch.samples.at[maker->batch.samples.count - 1].time_ns = now_ns;
	maker->now_ns = now_ns;
}

static void add_waits(struct model_maker *maker)
{
	uint32_t sleeper = maker_thread(maker, "sleeper", 500, false), first;

	check(wait_events_add(&maker->model, 1000000, &first) == 0, "no memory");
	add_wait(maker, 1, first + WAIT_BLOCKED, 30000000);
	add_wait(maker, 1, first + WAIT_RUNNABLE, 10000000);
	add_wait(maker, 1, first + WAIT_SHORT_COUNT, 7);
	add_wait(maker, sleeper, first + WAIT_BLOCKED_IO, 5000000);
}

static void add_lines(struct model_maker *maker)
{
	struct model *model = &maker->model;
	uint32_t stack = stack_of(model, "burn_hot");
	struct location *location = &model->locations.at[model->stacks.at[stack].location];
	struct source_line outer = { .file = model_intern(model, "src/burn.c"),
				     .line = 7,
				     .function = location->function };
	struct function inlined = { .image = location->image,
				    .name = model_intern(model, "inlined") };
	struct source_line inner = { .caller = model_line_id(model, &outer),
				     .file = model_intern(model, "src/inlined.h"),
				     .line = 12,
				     .function = model_function_id(model, &inlined) };

	location->line = model_line_id(model, &inner);
}

static void record(struct model_maker *maker, const struct extent *extent, const char *path)
{
	struct recording *recording;
	struct err err = { 0 };

	for (size_t i = 0; extent->heavy && i < maker->batch.samples.count; i++)
		maker->batch.samples.at[i].weight = HEAVY;
	check(recording_create(path, &recording, &err) == 0, err.text);
	for (int i = 0; i < extent->times; i++)
		check(recording_append(recording, &maker->model, &maker->batch, &err) == 0,
		      err.text);
	check(recording_finish(recording, &maker->model, &err) == 0, err.text);
	recording_close(recording);
}

static void print(const char *path, const struct export_options *options)
{
	struct recording *recording;
	struct model model;
	struct err err = { 0 };
	struct export_count count;

	check(model_init(&model) == 0, "no memory");
	check(recording_open(path, &recording, &err) == 0 &&
		      recording_load(recording, &model, &err) == 0 &&
		      export_write(recording, &model, options, stdout, &count, &err) == 0,
	      err.text);
	fprintf(stderr, "%llu samples\n", (unsigned long long)count.written);
	model_fini(&model);
	recording_close(recording);
}

static void parse(int argc, char **argv, struct filter *filter, struct export_options *options)
{
	struct err err = { 0 };

	check(argc > 1 && (options->format = export_format_find(argv[1])), "no such format");
	for (int i = 2; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		options->inlined |= strcmp(argv[i], "inline") == 0;
		if (!value)
			continue;
		*value++ = '\0';
		check(filter_add(filter, argv[i], value, &err) == 0, err.text);
	}
}

int main(int argc, char **argv)
{
	struct filter filter = FILTER_INIT;
	char directory[] = "/tmp/print_export-XXXXXX", path[64];
	struct export_options options = { .filter = &filter, .path = "machine.assay" };
	struct extent extent = { .times = 1 };
	struct model_maker maker;

	parse(argc, argv, &filter, &options);
	check(mkdtemp(directory), "no directory");
	(void)snprintf(path, sizeof(path), "%s/machine.assay", directory);
	model_maker_machine(&maker);
	add_faults(&maker);
	add_lines(&maker);
	add_names(&maker);
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "recursive") == 0)
			add_recursion(&maker);
		if (strcmp(argv[i], "many") == 0)
			add_many(&maker);
		if (strcmp(argv[i], "waits") == 0)
			add_waits(&maker);
		if (strcmp(argv[i], "heaps") == 0)
			extent.times = HEAPS;
		extent.heavy |= strcmp(argv[i], "heavy") == 0;
	}
	record(&maker, &extent, path);
	model_maker_fini(&maker);
	print(path, &options);
	filter_fini(&filter);
	(void)unlink(path);
	(void)rmdir(directory);
	return fflush(stdout) != 0;
}
