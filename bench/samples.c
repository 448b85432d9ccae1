/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples FILE COUNT: creates a synthetic recording of COUNT samples of eight threads. It has 3,000
 * functions in 30 images, and 20,000 stacks of 4 to 40 frames, regardless of COUNT.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/recording.h"

#define IMAGES 30
#define FUNCTIONS 3000
#define STACKS 20000
#define THREADS 8
#define DEPTH_MIN 4
#define DEPTH_MAX 40
#define BATCH 10000
#define PERIOD_NS 1000000

static uint64_t state = 88172645463325252;

/* Marsaglia's xorshift64, https://doi.org/10.18637/jss.v008.i14 */
static uint32_t pick(uint32_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 16) % limit);
}

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "samples: %s\n", what);
	exit(1);
}

static uint32_t name_of(struct model *model, const char *format, uint32_t number)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%s%" PRIu32, format, number);
	return model_intern(model, text);
}

static void make_functions(struct model *model, uint32_t *locations)
{
	uint32_t images[IMAGES];

	for (uint32_t i = 0; i < IMAGES; i++)
		images[i] = model_image_id(
			model, &(struct image){ .path = name_of(model, "/usr/lib/libsample.so.", i),
						.kind = IMAGE_FILE,
						.inode = i + 1 });
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct function function = { .name = name_of(model, "sample::work_on_something_",
							     i),
					     .image = images[i % IMAGES],
					     .vaddr = 0x1000 + (uint64_t)i * 64,
					     .size_bytes = 64 };

		locations[i] = model_location_id(model, function.image, function.vaddr + pick(64));
		model->locations.at[locations[i]].function = model_function_id(model, &function);
	}
}

static void make_stacks(struct model *model, const uint32_t *locations, uint32_t *stacks)
{
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t depth = DEPTH_MIN + pick(DEPTH_MAX - DEPTH_MIN + 1);

		stacks[i] = STACK_ROOT_END;
		while (depth--)
			stacks[i] = model_stack_id(model, stacks[i], locations[pick(FUNCTIONS)]);
	}
}

static void make_threads(struct model *model, uint32_t *threads)
{
	uint32_t name = model_intern(model, "samples");
	uint32_t process = model_process_add(
		model, &(struct process){ .tgid = 100,
					  .application = model_application_id(model, name),
					  .instance = 1 });

	for (uint32_t i = 0; i < THREADS; i++)
		threads[i] = model_thread_add(
			model, &(struct thread){ .process = process,
						 .tid = 100 + i,
						 .comm = name_of(model, "worker-", i) });
}

static void append(struct recording *recording, struct model *model, uint64_t count,
		   const uint32_t *stacks, const uint32_t *threads)
{
	struct sample_batch batch = { 0 };
	struct err err = { 0 };

	for (uint64_t i = 0; i < count; i++) {
		struct sample *sample = vec_push(&batch.samples);

		check(sample, "no memory");
		*sample = (struct sample){
			.time_ns = PERIOD_NS + i * (PERIOD_NS / THREADS),
			.weight = PERIOD_NS,
			.thread = threads[i % THREADS],
			.stack = stacks[pick(STACKS)],
			.late_ns = 2000,
			.cpu = (uint16_t)(i % THREADS),
			.context = CONTEXT_USER,
		};
		if (batch.samples.count < BATCH && i + 1 < count)
			continue;
		check(recording_append(recording, model, &batch, &err) == 0, err.text);
		sample_batch_clear(&batch);
	}
	sample_batch_fini(&batch);
}

int main(int argc, char **argv)
{
	uint32_t locations[FUNCTIONS], stacks[STACKS], threads[THREADS];
	struct recording *recording;
	struct model model;
	struct event *event = NULL;
	struct err err = { 0 };

	check(argc == 3, "usage: samples FILE COUNT");
	check(model_init(&model) == 0 && (event = vec_push(&model.events)) != NULL, "no memory");
	*event = (struct event){ .name = model_intern(&model, "cpu-clock"),
				 .period = PERIOD_NS,
				 .is_time = true,
				 .has_ticks = true };
	model_fact_set(&model, FACT_COMMAND, "samples");
	model_fact_set(&model, FACT_START_NS, "%d", PERIOD_NS);
	make_functions(&model, locations);
	make_stacks(&model, locations, stacks);
	make_threads(&model, threads);
	check(recording_create(argv[1], &recording, &err) == 0, err.text);
	append(recording, &model, strtoull(argv[2], NULL, 10), stacks, threads);
	check(recording_finish(recording, &model, &err) == 0, err.text);
	recording_close(recording);
	model_fini(&model);
	return 0;
}
