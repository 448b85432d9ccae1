/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of perf script: every field of -F, all forms of frames, and other texts. */
#include "support/test.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/perf_text.h"
#include "support/imported.h"

static const struct thread *thread_of_sample(const struct imported *result, size_t i)
{
	return &result->model.threads.at[result->samples.samples.at[i].thread];
}

static const char *event_of(const struct imported *result, size_t i)
{
	const struct event *event = &result->model.events.at[result->samples.samples.at[i].event];

	return model_string(&result->model, event->name);
}

/* @wanted is "leaf<caller<...", with the image after the leaf. */
static void assert_stack(const struct imported *result, size_t i, const char *wanted)
{
	const struct model *model = &result->model;
	uint32_t id = result->samples.samples.at[i].stack;
	char text[256] = "";

	for (; id >= STACK_ROOT_COUNT; id = model->stacks.at[id].parent) {
		const struct location *location =
			&model->locations.at[model->stacks.at[id].location];
		uint32_t name = model->functions.at[location->function].name;

		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			       text[0] ? "<" : "", model_string(model, name));
	}
	assert_string_equal(text, wanted);
}

static void test_fields(void **state)
{
	static const char *const texts[] = {
		"sh  7/8 [003] 12.000345: 500 cpu-clock:u: \n\t 55d0 f+0x10 (/bin/sh)\n\n",
		"sh  7/8 [003] 12.000345: 500 cpu-clock:u:  55d0 f+0x10 (/bin/sh)\n",
		"   sh     7/8  [003]    12.000345000:   500 cpu-clock:u: \n\t55d0 f (/bin/sh)\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct imported result;
		const struct sample *sample;

		imported_from_text(&result, texts[i]);
		assert_int_equal(result.rc, 0);
		assert_int_equal(result.samples.samples.count, 1);
		sample = result.samples.samples.at;
		assert_int_equal(sample->time_ns, 12000345000);
		assert_int_equal(sample->weight, 500);
		assert_int_equal(sample->cpu, 3);
		assert_int_equal(sample->context, CONTEXT_USER);
		assert_int_equal(thread_of_sample(&result, 0)->tid, 8);
		assert_string_equal(event_of(&result, 0), "cpu-clock:u");
		assert_true(result.model.events.at[0].is_time);
		assert_stack(&result, 0, "f");
		assert_null(strstr(model_fact(&result.model, FACT_NOT_IN_FILE), "CPUs of"));
		imported_fini(&result);
	}
}

static void test_without_fields(void **state)
{
	struct imported result;

	imported_from_text(&result,
			   "my thread 3 [4]   91 2.5: cycles:  10 f (/x)\nsh 9 [001] faults:\n");
	assert_int_equal(result.samples.samples.count, 2);
	assert_string_equal(model_string(&result.model, thread_of_sample(&result, 0)->comm),
			    "my thread 3 [4]");
	assert_int_equal(thread_of_sample(&result, 0)->tid, 91);
	assert_int_equal(result.samples.samples.at[0].weight, 1);
	assert_string_equal(event_of(&result, 1), "faults");
	assert_non_null(strstr(model_fact(&result.model, FACT_NOT_IN_FILE), "CPUs of samples"));
	assert_non_null(
		strstr(model_fact(&result.model, FACT_NOT_IN_FILE), "the process of each thread"));
	assert_non_null(strstr(model_fact(&result.model, FACT_NOT_IN_FILE), "weights of samples"));
	imported_fini(&result);
}

static void test_frames(void **state)
{
	struct imported result;
	const struct model *model = &result.model;
	const struct location *location;
	const struct source_line *line;

	imported_from_text(&result,
			   "sh 7/8 [003] 12.5: 500 cycles: \n"
			   "\tffffffff81000010 do_it+0x10 ([kernel.kallsyms])\n"
			   "\tffffffffc0000010 [unknown] ([ext4])\n"
			   "\t    55d5 add (inlined)\n"
			   "\t    55d5 T::op(int, (char)2) const+0x5 (/tmp/a (b)/x (deleted))\n"
			   "  /src/t.c:12\n"
			   "\t       0 <broken stack> ([unknown])\n"
			   "\n"
			   "sh 7/8 [003] 12.6: 1 sched:sched_switch: prev_comm=a (b) ==> c\n"
			   "\t    99d6 T::op(int, (char)2) const+0x6 (/tmp/a (b)/x (deleted))\n"
			   "sh 7/8 [003] 12.7: 1 sched:sched_switch: prev_comm=a (b) ==> c\n");
	assert_int_equal(result.samples.samples.count, 3);
	assert_int_equal(model->losses.count[LOSS_LINE_MALFORMED], 0);
	assert_stack(&result, 0, "do_it<<T::op(int, (char)2) const");
	assert_stack(&result, 1, "T::op(int, (char)2) const");
	assert_stack(&result, 2, "");
	assert_true(result.samples.samples.at[2].stack >= STACK_ROOT_COUNT);
	assert_int_equal(result.samples.samples.at[0].context, CONTEXT_KERNEL);
	assert_int_equal(model_stack_root(model, result.samples.samples.at[0].stack,
					  &(uint32_t){ 0 }),
			 STACK_ROOT_BROKEN);
	/*
	 * The other program was loaded elsewhere. Its address is relative to where the first one
	 * was loaded.
	 */
	location =
		&model->locations.at[model->stacks.at[result.samples.samples.at[1].stack].location];
	assert_int_equal(location->vaddr, 0x55d6);
	assert_string_equal(model_string(model, model->images.at[location->image].path),
			    "/tmp/a (b)/x (deleted)");
	line = &model->lines.at[model->locations.at[3].line];
	assert_string_equal(model_string(model, model->functions.at[line->function].name), "add");
	line = &model->lines.at[line->caller];
	assert_int_equal(line->line, 12);
	assert_string_equal(model_string(model, line->file), "/src/t.c");
	imported_fini(&result);
}

/* @wanted is "main t.c:18 < step ", innermost first: the inlined functions and their lines. */
static void assert_lines(const struct imported *result, size_t location, const char *wanted)
{
	const struct model *model = &result->model;
	const struct location *at = &model->locations.at[location];
	const struct source_line *line;
	char text[256] = "";

	for (uint32_t id = at->line; id; id = line->caller) {
		size_t length = strlen(text);
		uint32_t function;

		line = &model->lines.at[id];
		function = line->caller ? line->function : at->function;
		(void)snprintf(text + length, sizeof(text) - length, "%s%s %s:%" PRIu32,
			       length ? " < " : "",
			       model_string(model, model->functions.at[function].name),
			       model_string(model, line->file), line->line);
	}
	assert_string_equal(text, wanted);
}

/*
 * In the format of perf 6.1, only the text after the line says that the frame above it is inlined.
 */
static void test_lines_of_inlined(void **state)
{
	struct imported result;
	const struct model *model = &result.model;

	imported_from_text(&result, "sh 7/8 [003] 12.5: 500 cycles: \n"
				    "\t    119f mix+0x2f\n"
				    "  il.c:7 (inlined)\n"
				    "\t    119f work+0x2f (inlined)\n"
				    "  il.c:13\n"
				    "\t    119f main+0x2f (/tmp/il)\n"
				    "  il.c:18\n"
				    "\t    7304 __libc_start_main+0x84\n"
				    "  libc-start.c:360 (inlined)\n"
				    "\t    10a0 _start+0x20 (/tmp/il)\n"
				    "  ??:0\n"
				    "\t    10a8 alone (inlined)\n"
				    "\n");
	assert_int_equal(model->losses.count[LOSS_LINE_MALFORMED], 0);
	assert_stack(&result, 0, "main<__libc_start_main<_start<alone");
	assert_int_equal(model->locations.count, 5);
	assert_lines(&result, 1, "mix il.c:7 < work il.c:13 < main il.c:18");
	assert_lines(&result, 2, "__libc_start_main libc-start.c:360");
	assert_lines(&result, 3, "");
	assert_string_equal(model_string(model,
					 model->images.at[model->locations.at[2].image].path),
			    "[unknown]");
	imported_fini(&result);
}

static enum image_kind kind_of_leaf(const struct imported *result, size_t i)
{
	const struct model *model = &result->model;
	uint32_t leaf = model->stacks.at[result->samples.samples.at[i].stack].location;

	return model->images.at[model->locations.at[leaf].image].kind;
}

/*
 * Which image an address belongs to. perf has no line for some frames, which does not count as an
 * invalid line.
 */
static void test_images(void **state)
{
	struct imported result;

	imported_from_text(
		&result,
		"sh 7/8 [003] 12.1: 5 cycles: \n\tffffffffc0000010 f (/lib/modules/6.1/ext4.ko)\n"
		"  [ext4][ffffffffc0000010]\n"
		"sh 7/8 [003] 12.2: 5 cycles: \n\tffffffff81000010 f (/boot/vmlinux-6.1)\n  :0\n"
		"sh 7/8 [003] 12.3: 5 cycles: \n\tffffffffff600000 f ([vsyscall])\n"
		"sh 7/8 [003] 12.4: 5 cycles: \n\tffffffff81000010 f ([guest.kernel.kallsyms])\n"
		"sh 7/8 [003] 12.5: 5 sched:sched_switch: a ==> b\n");
	assert_int_equal(result.model.losses.count[LOSS_LINE_MALFORMED], 0);
	assert_int_equal(kind_of_leaf(&result, 0), IMAGE_MODULE);
	assert_int_equal(kind_of_leaf(&result, 1), IMAGE_KERNEL);
	assert_int_equal(kind_of_leaf(&result, 2), IMAGE_UNKNOWN);
	assert_int_equal(result.samples.samples.at[2].context, CONTEXT_USER);
	assert_int_equal(kind_of_leaf(&result, 3), IMAGE_KERNEL);
	assert_int_not_equal(result.samples.samples.at[3].stack,
			     result.samples.samples.at[1].stack);
	assert_int_equal(result.samples.samples.at[4].context, CONTEXT_KERNEL);
	imported_fini(&result);
}

static void test_header(void **state)
{
	struct imported result;

	imported_from_text(&result, "# ========\n# hostname : there\n# cmdline : perf record -g\n"
				    "# 9 samples lost: sample-ring-full\n# ========\n#\n"
				    "sh 7/8 [003] 12.5: 500 cycles: \n\t 10 f (/x)\n");
	assert_int_equal(result.rc, 0);
	assert_string_equal(model_fact(&result.model, FACT_HOST), "there");
	assert_string_equal(model_fact(&result.model, FACT_COMMAND), "perf record -g");
	assert_int_equal(result.model.losses.count[LOSS_SAMPLE_RING_FULL], 9);
	imported_fini(&result);
}

/* The output of -F +addr. An address alone is a frame, and a stack has no further frames then. */
static void test_accessed_address(void **state)
{
	struct imported result;

	imported_from_text(
		&result,
		"sh 7/8 [003] 12.5: 5 cycles:   7ffe10 \n\t 55d0 f (/x)\n\t 55e0 g (/x)\n\n"
		"sh 7/8 [003] 12.6: 5 cycles:        0 \n\t 7f10 h (inlined)\n\t 7f10 i (/x)\n"
		"sh 7/8 [003] 12.7: 5 cycles:   7ffe10     55d0 f+0x10 (/x)\n"
		"sh 7/8 [003] 12.8: 5 cycles:   55d0 \n"
		"sh 7/8 [003] 12.9: 5 cycles: \n\t 55d0 f (/x)\n");
	assert_int_equal(result.samples.samples.count, 5);
	assert_stack(&result, 0, "f<g");
	assert_stack(&result, 1, "i");
	assert_stack(&result, 2, "f");
	assert_stack(&result, 3, "");
	assert_true(result.samples.samples.at[3].stack >= STACK_ROOT_COUNT);
	assert_stack(&result, 4, "f");
	imported_fini(&result);
}

/* Invalid lines are counted, and the samples around them are complete. */
static void test_other_lines(void **state)
{
	struct imported result;

	imported_from_text(&result,
			   "sh 7/8 [003] 12.5: 5 cycles: \n\t 10 f (/x)\nsome words\n\t 20 g (/x)\n"
			   "\n\t 30 h (/x)\nsh 7/8 [003] 12.4: 5 cycles: \n\t 10 f (/x)\n");
	assert_int_equal(result.samples.samples.count, 2);
	assert_int_equal(result.model.losses.count[LOSS_LINE_MALFORMED], 2);
	assert_int_equal(result.model.losses.count[LOSS_RECORD_LATE], 1);
	assert_stack(&result, 0, "f<g");
	assert_stack(&result, 1, "f");
	imported_fini(&result);
}

static void test_other_texts(void **state)
{
	static const char *const texts[] = {
		"main;a 12\n",
		"12/3 [001] 4.5: cycles:\n",
		"sh 7 4.5 cycles\n",
		"Samples: 12 of event 'cycles'\n",
		"sh 99999999999 [001] 4.5: cycles:\n",
		"sh 7 [001] 99999999999999.5: cycles:\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct perf_text_sample sample;

		assert_false(perf_text_sample(texts[i], strlen(texts[i]) - 1, &sample));
	}
}

/* perf prints a return address 0 of a user stack as -1. Garbage in it can be any address. */
static void test_unknown_callers(void **state)
{
	struct imported result;
	const struct model *model = &result.model;

	imported_from_text(
		&result, "sh 7/8 [003] 12.5: 5 cycles: \n\tffffffff81000010 k ([kernel.kallsyms])\n"
			 "\t 55d0 f (/x)\n\tffff888123456780 [unknown] ([unknown])\n"
			 "\tffffffffffffffff [unknown] ([unknown])\n\n"
			 "sh 7/8 [003] 12.6: 5 cycles: \n"
			 "\tffffffff81000020 [unknown] ([unknown])\n"
			 "\tffffffffffffffff [unknown] ([unknown])\n\n");
	assert_int_equal(result.samples.samples.count, 2);
	assert_int_equal(result.samples.samples.at[0].context, CONTEXT_KERNEL);
	assert_int_equal(result.samples.samples.at[1].context, CONTEXT_KERNEL);
	for (size_t i = 0; i < 2; i++) {
		uint32_t id = result.samples.samples.at[i].stack;
		char kinds[8] = "";

		for (; id >= STACK_ROOT_COUNT; id = model->stacks.at[id].parent) {
			uint32_t image = model->locations.at[model->stacks.at[id].location].image;

			kinds[strlen(kinds)] = model->images.at[image].kind == IMAGE_KERNEL ? 'k'
											    : 'u';
		}
		assert_string_equal(kinds, i ? "ku" : "kuuu");
	}
	imported_fini(&result);
}

/* Old texts have neither times nor CPUs. Their frames may begin at the start of the line. */
static void test_bare(void **state)
{
	static const char *const texts[] = {
		"my app 7 cycles:\nffffffff81000010 k+0x1 ([kernel.kallsyms])\n55d0 f (/x)\n\n"
		"my app 7 cycles:\n55d0 f (/x)\n\n",
		"my app 7/7 cycles: \n\t 55d0 f (/x)\n\nmy app 7/7 cycles: \n\n",
		"my app  7       1 cycles:  55d0 f (/x)\nmy app  7       1 cycles:  55d0 g (/x)\n",
		"my app  7 cycles:         7ffff55d0\nmy app  7 cycles:         7ffff55d0\n",
		"  my app  7  cycles:u: \nmy app 7 cycles:u: \n",
		"# ========\n# ========\n#\nmy app 7 cycles: \n\t 55d0 f (/x)\n\n"
		"my app 8 cycles: \n\t 55d0 f (/x)\n\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct imported result;
		const char *lacks;

		imported_from_text(&result, texts[i]);
		assert_int_equal(result.rc, 0);
		assert_int_equal(result.samples.samples.count, 2);
		assert_string_equal(model_string(&result.model, thread_of_sample(&result, 0)->comm),
				    "my app");
		lacks = model_fact(&result.model, FACT_NOT_IN_FILE);
		assert_non_null(strstr(lacks, "times of samples"));
		assert_non_null(strstr(lacks, "CPUs of samples"));
		assert_int_equal(result.model.losses.count[LOSS_LINE_MALFORMED], 0);
		assert_int_equal(result.model.losses.count[LOSS_FILE_CUT], 0);
		assert_null(model_fact(&result.model, FACT_START_NS));
		imported_fini(&result);
	}
}

/* A line such as "Total 12 events:" is not a sample if other texts or samples surround it. */
static void test_not_bare(void **state)
{
	static const char *const others[] = {
		"Total 12 events:\nnone\n",	    "Total 12 events:\n",
		"Total 12 events: see below\n",	    "Total 12 events: 5f\nTotal 12 faults: 6f\n",
		"a 12 (events):\n\t 55d0 f (/x)\n",
	};
	struct imported result;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		imported_from_text(&result, others[i]);
		assert_int_equal(result.rc, -EINVAL);
		imported_fini(&result);
	}
	imported_from_text(&result, "sh 7/8 [003] 12.5: 5 cycles: \n\t 10 f (/x)\n"
				    "Total 12 events:\n\t 20 g (/x)\n\n");
	assert_int_equal(result.samples.samples.count, 1);
	assert_stack(&result, 0, "f<g");
	assert_int_equal(result.model.losses.count[LOSS_LINE_MALFORMED], 1);
	imported_fini(&result);
}

#define HEADER "# ========\n# hostname : there\n# ========\n#\n"
#define FIRST_LINE "sh 7/8 [003] 12.5: 500 cycles: \n"
#define SAMPLE FIRST_LINE "\t 10 f (/x)\n\t 20 main (/x)\n\n"

/*
 * Wherever the text ends, the rest is missed, except between two samples. A text whose only sample
 * has no frame may be whole, too.
 */
static void test_cut(void **state)
{
	static const char text[] = HEADER SAMPLE SAMPLE SAMPLE;
	const size_t header = strlen(HEADER), sample = strlen(SAMPLE);

	for (size_t length = strlen("# ========"); length < sizeof(text); length++) {
		bool whole = (length >= header && (length - header) % sample == 0) ||
			     length == header - strlen("#\n") ||
			     length == header + strlen(FIRST_LINE);
		struct imported result;

		imported_from_bytes(&result, text, length);
		assert_int_equal(result.rc, 0);
		assert_int_equal(!result.model.losses.count[LOSS_FILE_CUT], whole);
		assert_int_equal(result.model.losses.count[LOSS_LINE_MALFORMED], 0);
		imported_fini(&result);
	}
}

/* What is there is used, and a stack whose callers are missing says so. */
static void test_cut_samples(void **state)
{
	static const struct {
		const char *end;	/* after a whole sample */
		size_t samples;
		const char *stack;	/* of the second sample */
		enum stack_root root;
		uint64_t lost_bytes;
	} cases[] = {
		{ "sh 7/8 [003] 12.6: 5 cycles: \n\t 10 f (/x)\n", 2, "f", STACK_ROOT_TRUNCATED,
		  1 },
		{ "sh 7/8 [003] 12.6: 5 cycles: \n\t 10 f (/x)", 2, "f", STACK_ROOT_TRUNCATED, 1 },
		{ "sh 7/8 [003] 12.6: 5 cycles: \n\t 10 f (/x)\n\t 20 ma", 2, "f",
		  STACK_ROOT_TRUNCATED, 7 },
		{ "sh 7/8 [003] 12.6: 5 cycles: \n", 2, "", STACK_ROOT_TRUNCATED, 1 },
		{ "sh 7/8 [003] 12.6: 5 cyc", 1, NULL, STACK_ROOT_END, 24 },
		/* one line is the whole sample */
		{ "sh 7/8 [003] 12.6: 5 faults:  10 f (/x)\n", 2, "f", STACK_ROOT_END, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct imported result;
		char text[256];

		(void)snprintf(text, sizeof(text), SAMPLE "%s", cases[i].end);
		imported_from_text(&result, text);
		assert_int_equal(result.rc, 0);
		assert_int_equal(result.samples.samples.count, cases[i].samples);
		assert_int_equal(result.model.losses.count[LOSS_FILE_CUT], cases[i].lost_bytes);
		if (cases[i].stack) {
			assert_stack(&result, 1, cases[i].stack);
			assert_int_equal(model_stack_root(&result.model,
							  result.samples.samples.at[1].stack,
							  &(uint32_t){ 0 }),
					 cases[i].root);
		}
		imported_fini(&result);
	}
}

/* Text that only looks like something else. */
static void test_look_alikes(void **state)
{
	struct imported result;

	imported_from_text(&result, "#x 5 [000] 1.5: 1 cpu-clock: \n\t10 f+0x20 (/bin/x)\n\n"
				    "# sh 6 and more: a comment\n"
				    "sh 6 [000] 1.6: 1 cpu-clock: \n\t10 g (/bin/x)\n"
				    "  sh what is (this)\n\n");
	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples.samples.count, 2);
	assert_string_equal(model_string(&result.model, thread_of_sample(&result, 0)->comm), "#x");
	assert_stack(&result, 0, "f");
	assert_stack(&result, 1, "g");
	assert_int_equal(result.model.losses.count[LOSS_LINE_MALFORMED], 1);
	imported_fini(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),		 cmocka_unit_test(test_without_fields),
		cmocka_unit_test(test_frames),		 cmocka_unit_test(test_lines_of_inlined),
		cmocka_unit_test(test_images),		 cmocka_unit_test(test_header),
		cmocka_unit_test(test_other_lines),	 cmocka_unit_test(test_other_texts),
		cmocka_unit_test(test_accessed_address), cmocka_unit_test(test_look_alikes),
		cmocka_unit_test(test_unknown_callers),	 cmocka_unit_test(test_bare),
		cmocka_unit_test(test_not_bare),	 cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
