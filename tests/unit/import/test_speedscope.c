/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's files: what samples and events become, in all units, complete and damaged. */
#include "support/test.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/imported.h"
#include "import/json_source.h"
#include "model/loss.h"

#define HEAD "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
#define FRAMES                                                                          \
	"\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"m.py\",\"line\":7},"     \
	"{\"name\":\"run\",\"file\":\"m.py\",\"line\":9,\"col\":2},{\"name\":\"leaf\"},"\
	"{\"name\":\"sys_read\",\"file\":\"[kernel]\"}]}"
#define SAMPLED(unit, start, samples, weights)                                          \
	"{\"type\":\"sampled\",\"name\":\"T\",\"unit\":\"" unit "\",\"startValue\":" start \
	",\"endValue\":100,\"samples\":[" samples "],\"weights\":[" weights "]}"
#define EVENTED(unit, events)                                                           \
	"{\"type\":\"evented\",\"name\":\"E\",\"unit\":\"" unit "\",\"startValue\":0,"  \
	"\"endValue\":100,\"events\":[" events "]}"
#define O(frame, at) "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define C(frame, at) "{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #at "}"

#define ROOM 80		/* bytes for one event */

static uint64_t lost(const struct imported *result, enum loss reason)
{
	return result->model.losses.count[reason];
}

static const char *name_of(const struct model *model, uint32_t node)
{
	const struct location *location = &model->locations.at[model->stacks.at[node].location];

	return model_string(model, model->functions.at[location->function].name);
}

/* Returns "thread event time+weight outermost;...;leaf" for each sample, one per line. */
static char *shown(const struct imported *result)
{
	const struct model *model = &result->model;
	size_t size_bytes;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size_bytes);

	assert_non_null(out);
	for (size_t i = 0; i < result->samples.samples.count; i++) {
		const struct sample *sample = &result->samples.samples.at[i];
		const struct thread *thread = &model->threads.at[sample->thread];
		char stack[512] = "";

		for (uint32_t node = sample->stack; node >= STACK_ROOT_COUNT;
		     node = model->stacks.at[node].parent) {
			char inner[512];

			(void)snprintf(inner, sizeof(inner), "%s", stack);
			(void)snprintf(stack, sizeof(stack), "%s%s%.*s", name_of(model, node),
				       *inner ? ";" : "", 400, inner);
		}
		(void)fprintf(out, "%s %s %ju+%ju %s%s\n", model_string(model, thread->comm),
			      model_string(model, model->events.at[sample->event].name),
			      (uintmax_t)sample->time_ns, (uintmax_t)sample->weight, stack,
			      sample->context == CONTEXT_KERNEL ? " k" : "");
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect(const char *text, const char *wanted, uint64_t malformed)
{
	struct imported result;
	char *found;

	imported_from_text(&result, text);
	assert_int_equal(result.rc, 0);
	found = shown(&result);
	assert_string_equal(found, wanted);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), malformed);
	free(found);
	imported_fini(&result);
}

/* ---- valid files ---- */

static void test_sampled(void **state)
{
	static const char wanted[] = "T time 1500000+1000000 main;run\n"
				     "T time 2500000+250000 main;sys_read k\n"
				     "T time 2750000+0 main\n"
				     "T time 12750000+1000000 main\n";
	/* While there was no frame, no code ran. */
	const char *text = HEAD FRAMES ",\"profiles\":[" SAMPLED(
		"milliseconds", "1.5", "[0,1],[0,3],[0],[],[0]", "1,0.25,0,1e1,1") "]}";

	expect(text, wanted, 0);
}

/* The frames and the unit come after the samples. */
static void test_any_order(void **state)
{
	expect("{\"profiles\":[{\"weights\":[3],\"samples\":[[0,2.0]],\"unit\":\"bytes\","
	       "\"name\":\"T\",\"type\":\"sampled\"}]," FRAMES
	       ",\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
	       "T bytes 0+3 main;leaf\n", 0);
}

static void test_units(void **state)
{
	expect(HEAD FRAMES ",\"profiles\":[" SAMPLED("nanoseconds", "0", "[0]", "3") "," SAMPLED(
		       "microseconds", "0", "[0]",
		       "3.0005") "," SAMPLED("seconds", "0", "[0]",
					     "3.000000001") "," SAMPLED("bytes", "0", "[0]",
									"7") "," SAMPLED("none",
											 "0", "[0]",
											 "8") "]}",
	       "T time 0+3 main\nT time 0+3001 main\nT time 0+3000000001 main\n"
	       "T bytes 0+7 main\nT weight 0+8 main\n",
	       0);
}

/* Fractions of a unit add up: three thirds are one. */
static void test_parts(void **state)
{
	expect(HEAD FRAMES ",\"profiles\":[" SAMPLED("none", "0", "[0],[0],[0]",
						     "0.333333333,0.333333333,0.333333334") "]}",
	       "T weight 0+0 main\nT weight 0+1 main\nT weight 0+0 main\n", 0);
}

static void test_evented(void **state)
{
	expect(HEAD FRAMES ",\"profiles\":[" EVENTED(
		       "nanoseconds", O(0, 10) "," O(1, 12) "," O(2, 12) "," C(2, 15) "," C(
					      1, 15) "," C(0, 20) "," O(2, 30) "," C(2, 31)) "]}",
	       "E time 10+2 main\nE time 12+3 main;run;leaf\nE time 15+5 main\n"
	       "E time 30+1 leaf\n",
	       0);
}

#define NOT_FITTING                                                               \
	C(0, 1) \
	"," O(0, 1) "," O(1, 3) "," C(0, 4) "," O( \
		2, 2) "," \
		      "{\"type\":\"X\",\"frame\":0,\"at\":4},{\"type\":\"O\",\"at\":4},7," C(1, 5)

/*
 * An event that does not match is skipped. Time does not go back. Frames that stay open are
 * counted.
 */
static void test_events_that_do_not_fit(void **state)
{
	expect(HEAD FRAMES ",\"profiles\":[" EVENTED("nanoseconds", NOT_FITTING) "]}",
	       "E time 1+2 main\nE time 3+2 main;run\n", 7);
}

static void test_entries_that_make_no_sense(void **state)
{
	expect(HEAD FRAMES ",\"profiles\":[4,{\"name\":\"no type\"}," SAMPLED(
		       "nanoseconds", "0", "[0],[-1],3,[0.5],[0,[1]],[0]",
		       "1,2,3,4,5,null") "," SAMPLED("none", "0", "[0],[1]", "1") "]}",
	       "T time 0+1 main\nT weight 0+1 main\n", 8);
}

static void test_threads_by_time(void **state)
{
	struct imported result;
	char *found;

	imported_from_text(&result, HEAD FRAMES
			   ",\"profiles\":[" SAMPLED("nanoseconds", "5", "[0],[1]",
						     "10,10") "," SAMPLED("nanoseconds", "7",
									  "[2],[2]", "2,30") "]}");
	found = shown(&result);
	assert_string_equal(found, "T time 5+10 main\nT time 7+2 leaf\nT time 9+30 leaf\n"
				   "T time 15+10 run\n");
	assert_int_not_equal(result.samples.samples.at[0].thread,
			     result.samples.samples.at[1].thread);
	assert_string_equal(model_fact(&result.model, FACT_START_NS), "5");
	assert_string_equal(model_fact(&result.model, FACT_END_NS), "39");
	free(found);
	imported_fini(&result);
}

/* If weights differ, samples count by weight. Otherwise each sample counts the same. */
static void test_periods(void **state)
{
	struct imported result;
	const struct event *events;

	imported_from_text(&result, HEAD FRAMES
			   ",\"profiles\":[" SAMPLED("milliseconds", "0", "[0],[1]",
						     "10,10") "," SAMPLED("bytes", "0", "[0],[0]",
									  "2,30") "]}");
	events = result.model.events.at;
	assert_int_equal(events[0].period, 10000000);
	assert_int_equal(events[0].frequency_hz, 0);
	assert_true(events[0].is_time);
	assert_int_equal(events[1].period, 0);
	assert_int_equal(events[1].frequency_hz, 0);
	imported_fini(&result);
	imported_from_text(&result, HEAD FRAMES
			   ",\"profiles\":[" SAMPLED("milliseconds", "0", "[0],[1]", "10,30") "]}");
	assert_int_equal(result.model.events.at[0].period, 20000000);
	assert_int_equal(result.model.events.at[0].frequency_hz, 50);
	imported_fini(&result);
}

static void test_places(void **state)
{
	struct imported result;
	const struct model *model = &result.model;
	const struct source_line *line;
	const struct location *location;
	uint32_t stack;

	imported_from_text(&result, HEAD FRAMES
			   ",\"profiles\":[" SAMPLED("seconds", "0", "[1],[9]", "1,1") "]}");
	stack = result.samples.samples.at[0].stack;
	location = &model->locations.at[model->stacks.at[stack].location];
	line = &model->lines.at[location->line];
	assert_string_equal(model_string(model, line->file), "m.py");
	assert_int_equal(line->line, 9);
	assert_string_equal(model_string(model, model->images.at[location->image].path), "m.py");
	assert_int_equal(lost(&result, LOSS_REFERENCE_MISSING), 1);
	imported_fini(&result);
}

/* ---- files that assay exported ---- */

#define OURS                                                                            \
	HEAD "\"exporter\":\"assay 9.9\",\"name\":\"sh (x) (5 samples lost: memory)"    \
	     " (1 ticks lost: tick-overrun)\",\"profiles\":[{\"type\":\"sampled\",\"name\":" \
	     "\"cpu-clock\",\"unit\":\"nanoseconds\",\"samples\":[[0,2,3],[1,4,3],[1,5]]," \
	     "\"weights\":[10,10,10],\"startValue\":0,\"endValue\":30}],\"shared\":{\"frames\":[" \
	     "{\"name\":\"sh\"},{\"name\":\"make\"},{\"name\":\"main\",\"file\":\"a.c\"," \
	     "\"image\":\"/bin/sh\"},{\"name\":\"f\",\"file\":\"/lib/x\"}," \
	     "{\"name\":\"<truncated stack>\"},{\"name\":\"<stack not recorded>\"}]}}"

static void test_ours(void **state)
{
	struct imported result;
	const struct model *model = &result.model;
	const struct stack_node *f;
	const struct sample *samples;
	char *found;

	imported_from_text(&result, OURS);
	found = shown(&result);
	assert_string_equal(found, "sh cpu-clock 0+10 main;f\nmake cpu-clock 0+10 f\n"
				   "make cpu-clock 0+10 \n");
	free(found);
	samples = result.samples.samples.at;
	f = &model->stacks.at[samples[0].stack];
	assert_int_equal(model->lines.count, 2);	/* main has a file, f has none */
	assert_int_equal(model->locations.at[f->location].line, 0);
	assert_int_equal(model->stacks.at[samples[1].stack].parent, STACK_ROOT_TRUNCATED);
	assert_int_equal(samples[2].stack, STACK_ROOT_NONE);
	assert_string_equal(model_fact(model, FACT_COMMAND), "sh (x)");
	assert_int_equal(lost(&result, LOSS_MEMORY), 5);
	assert_int_equal(lost(&result, LOSS_TICK_OVERRUN), 1);
	assert_non_null(strstr(model_fact(model, FACT_NOT_IN_FILE), "times of samples"));
	imported_fini(&result);
}

/* ---- damage ---- */

/* Wherever the file is cut, the samples that were complete before are there, and no others. */
static void test_cut(void **state)
{
	static const char text[] = HEAD FRAMES ",\"profiles\":[" EVENTED(
		"none", O(0, 0) "," C(0, 1) "," O(0, 1) "," C(0, 2) "," O(1, 2) "," C(1, 3)) "]}";
	const size_t length = strlen(text), begin = (size_t)(strstr(text, "[" O(0, 0)) - text);
	const size_t all_read = (size_t)(strstr(text, "]}]}") - text);
	size_t before = 0;
	struct imported result;

	for (size_t cut = begin; cut < length; cut++) {
		imported_from_bytes(&result, text, cut);
		assert_int_equal(result.rc, 0);
		assert_int_equal(lost(&result, LOSS_FILE_CUT), 1);
		assert_true(result.samples.samples.count >= before);
		before = result.samples.samples.count;
		if (cut == all_read)
			assert_int_equal(before, 3);
		imported_fini(&result);
	}
	assert_int_equal(before, 3);
}

static void test_damage(void **state)
{
	struct imported result;

	imported_from_text(&result, HEAD FRAMES
			   ",\"profiles\":[" SAMPLED("none", "0", "[0]", "1") ",}]] and more");
	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples.samples.count, 1);
	assert_int_equal(lost(&result, LOSS_FILE_CUT), strlen("]] and more"));
	imported_fini(&result);
}

static void test_depth(void **state)
{
	const size_t frames = 10000;
	char *text = malloc(frames * 5 + 4096);
	struct imported result;
	uint32_t outermost;
	size_t length;

	assert_non_null(text);
	length = (size_t)snprintf(text, 4096, "%s",
				  HEAD FRAMES
				  ",\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\","
				  "\"name\":\"T\",\"weights\":[1],\"samples\":[[1");
	for (size_t i = 0; i < frames; i++)
		length += (size_t)snprintf(text + length, ROOM, ",0");
	(void)snprintf(text + length, ROOM, ",2]]}]}");
	imported_from_text(&result, text);
	assert_int_equal(result.samples.samples.count, 1);
	assert_int_equal(lost(&result, LOSS_STACK_TRUNCATED), 1);
	assert_int_equal(result.model.stacks.count, 4096 + STACK_ROOT_COUNT);
	assert_string_equal(name_of(&result.model, result.samples.samples.at[0].stack), "leaf");
	assert_int_equal(model_stack_root(&result.model, result.samples.samples.at[0].stack,
					  &outermost),
			 STACK_ROOT_TRUNCATED);
	imported_fini(&result);

	length = (size_t)snprintf(text, 4096, "%s", HEAD "\"profiles\":[");
	memset(text + length, '[', frames);
	imported_from_bytes(&result, text, length + frames);
	assert_int_equal(lost(&result, LOSS_FILE_CUT), frames - JSON_DEPTH_LIMIT + 1);
	imported_fini(&result);
	free(text);
}

/* More frames are opened than are kept, and closed again in the same order. */
static void test_open_depth(void **state)
{
	const size_t frames = 5000;
	char *text = malloc(frames * 80 + 4096);
	struct imported result;
	size_t length;

	assert_non_null(text);
	length = (size_t)snprintf(text, 4096, "%s",
				  HEAD FRAMES
				  ",\"profiles\":[{\"type\":\"evented\",\"unit\":\"none\","
				  "\"name\":\"T\",\"events\":[");
	for (size_t i = 0; i < 2 * frames; i++)
		length += (size_t)snprintf(text + length, ROOM,
					   "%s{\"type\":\"%c\",\"frame\":0,\"at\":%d}",
					   i ? "," : "", i < frames ? 'O' : 'C',
					   i < frames ? 1 : 3);
	(void)snprintf(text + length, ROOM, "]}]}");
	imported_from_text(&result, text);
	assert_int_equal(result.samples.samples.count, 1);
	assert_int_equal(result.samples.samples.at[0].weight, 2);
	assert_int_equal(lost(&result, LOSS_STACK_TRUNCATED), 1);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), 0);
	assert_int_equal(result.model.stacks.count, 4096 + STACK_ROOT_COUNT);
	imported_fini(&result);
	free(text);
}

/* No sum exceeds the range of its integer type. */
static void test_large_weights(void **state)
{
	static const char text[] = HEAD FRAMES
		",\"profiles\":[" SAMPLED("none", "0", "[0],[0],[0]", "9e18,9e18,2") "," SAMPLED(
			"seconds", "9e18", "[0]", "1") "," SAMPLED("none", "0", "[0]", "9e18") "]}";
	struct imported result;

	expect(text, "T weight 0+9000000000000000000 main\nT weight 0+2 main\n", 1);
	imported_from_text(&result, text);
	assert_int_equal(lost(&result, LOSS_WEIGHT_OVERFLOW), 2);
	imported_fini(&result);
}

static void test_long_token(void **state)
{
	const size_t size = 2 * JSON_TOKEN_MAX + (2u << 20);
	char *text = malloc(size);
	struct imported result;

	assert_non_null(text);
	memset(text, 'x', size);
	memcpy(text, HEAD "\"profiles\":[],\"name\":\"",
	       strlen(HEAD "\"profiles\":[],\"name\":\""));
	imported_from_bytes(&result, text, size);
	assert_int_equal(result.rc, 0);
	assert_true(lost(&result, LOSS_FILE_CUT) > JSON_TOKEN_MAX / 2);
	imported_fini(&result);
	free(text);
}

static void test_other_files(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[1]",
		HEAD "\"shared\":{}}",
		"{\"$schema\":\"x\",\"profiles\":[]}",
		"\"$schema\" speedscope.app",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct imported result;

		imported_from_text(&result, texts[i]);
		assert_int_equal(result.rc, -EINVAL);
		imported_fini(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_evented),
		cmocka_unit_test(test_events_that_do_not_fit),
		cmocka_unit_test(test_entries_that_make_no_sense),
		cmocka_unit_test(test_threads_by_time),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_open_depth),
		cmocka_unit_test(test_large_weights),
		cmocka_unit_test(test_long_token),
		cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
