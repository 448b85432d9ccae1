/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a recording of random samples and prints what this program reads back from it, one line for
 * each sample, stack, location and function, so that test_oracle.py can compare it with what SQLite
 * returns:
 *	sample TIME THREAD CPU EVENT CONTEXT STACK LATE WEIGHT COUNTER
 *	stack ID PARENT LOCATION		PARENT may be a root
 *	location ID IMAGE VADDR FUNCTION
 *	function ID NAME LINKAGE_NAME IMAGE QUALITY ROOT VADDR SIZE
 */
#include <inttypes.h>
#include <stdio.h>

#include "fixture.h"
#include "store/recording.h"

static const char *word(const struct model *model, uint32_t string)
{
	return string ? model_string(model, string) : "None";
}

static int record(const char *path, struct err *err)
{
	struct recording *recording = NULL;
	struct fixture fixture;
	int rc = recording_create(path, &recording, err);

	if (rc < 0)
		return rc;
	fixture_init(&fixture, 21, 1);
	for (int i = 0; rc == 0 && i < 5; i++) {
		fixture_grow(&fixture, 4000);
		rc = recording_append(recording, &fixture.model, &fixture.batch, err);
	}
	fixture_name(&fixture);
	if (rc == 0)
		rc = recording_finish(recording, &fixture.model, err);
	recording_close(recording);
	fixture_fini(&fixture);
	return rc;
}

static int print_samples(void *context, const struct sample_batch *batch)
{
	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *s = &batch->samples.at[i];

		(void)printf("sample %" PRIu64 " %u %u %u %u %u ", s->time_ns, s->thread, s->cpu,
			     s->event, s->context, s->stack);
		if (s->late_ns == LATE_UNKNOWN)
			(void)printf("None");
		else
			(void)printf("%d", s->late_ns);
		(void)printf(" %" PRIu64 " %" PRIu64 "\n", s->weight, batch->counters.at[i]);
	}
	return 0;
}

static int dump(const char *path, struct model *model, struct err *err)
{
	struct recording *recording = NULL;
	int rc = recording_open(path, &recording, err);

	if (rc == 0)
		rc = recording_load(recording, model, err);
	if (rc == 0)
		rc = recording_each_block(recording, model, NULL, print_samples, NULL, err);
	for (size_t i = STACK_ROOT_COUNT; i < model->stacks.count; i++)
		(void)printf("stack %zu %u %u\n", i, model->stacks.at[i].parent,
			     model->stacks.at[i].location);
	for (size_t i = 1; i < model->locations.count; i++)
		(void)printf("location %zu %u %" PRId64 " %u\n", i, model->locations.at[i].image,
			     (int64_t)model->locations.at[i].vaddr,
			     model->locations.at[i].function);
	for (size_t i = 1; i < model->functions.count; i++) {
		const struct function *f = &model->functions.at[i];

		(void)printf("function %zu %s %s %u %s %d %" PRId64 " %" PRIu64 " %s %s\n", i,
			     model_string(model, f->name), word(model, f->linkage_name), f->image,
			     quality_name(f->quality), f->root, (int64_t)f->vaddr, f->size_bytes,
			     word(model, f->before), word(model, f->after));
	}
	recording_close(recording);
	return rc;
}

int main(int argc, char **argv)
{
	struct model model = { 0 };
	struct err err = { 0 };

	if (argc != 2)
		return 2;
	if (record(argv[1], &err) < 0 || model_init(&model) < 0 ||
	    dump(argv[1], &model, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	model_fini(&model);
	return 0;
}
