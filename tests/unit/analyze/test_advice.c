/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Advice about hand-made recordings. */
#include "tests/unit/analyze/overview_fixture.h"

#include "analyze/advice.h"

static uint32_t thread_of_program(struct fixture *f, const char *path, uint32_t tgid)
{
	uint32_t thread = maker_thread(&f->maker, strrchr(path, '/') + 1, tgid, false);
	struct model *model = &f->maker.model;

	model->processes.at[model->threads.at[thread].process].exe = model_intern(model, path);
	return thread;
}

static const struct maker_frame plain = { "/bin/plain", IMAGE_FILE, "work", QUALITY_SYMTAB, true };
static const struct maker_frame stripped = { "/bin/stripped", IMAGE_FILE, "a->b:10",
					     QUALITY_BRACKET, true };
static const struct maker_frame nameless = { "//anon", IMAGE_JIT, NULL, QUALITY_NONE, true };
static const struct maker_frame named = { "//anon", IMAGE_JIT, "py::f", QUALITY_JIT, true };
static const struct maker_frame python = { "/usr/bin/python3.12", IMAGE_FILE, "eval",
					   QUALITY_SYMTAB, true };

/* All stacks begin in a function of /bin/plain, so they are whole. */
static void add(struct fixture *f, uint32_t thread, const struct maker_frame *frame,
		unsigned int count)
{
	uint32_t start = maker_stack(&f->maker, STACK_ROOT_END, &plain);
	const struct maker_run run = {
		.thread = thread,
		.stack = maker_stack(&f->maker, start, frame),
		.context = CONTEXT_USER,
		.count = count,
	};

	maker_samples(&f->maker, &run);
}

/* The image of the last frame is generated code of @thread's process. */
static void own_code(struct fixture *f, uint32_t thread)
{
	struct model *model = &f->maker.model;

	model->images.at[model->images.count - 1].process = model->threads.at[thread].process;
}

static void make(struct fixture *f, struct advices *advices)
{
	make_overview(f, NULL);
	assert_int_equal(advise(&f->profile, &f->overview.health, &f->overview.account, advices),
			 0);
}

static void begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	model_maker_init(&f->maker);
}

static void a_good_recording_gets_no_advice(void **state)
{
	struct fixture f;
	struct advices advices;

	begin(&f);
	add(&f, thread_of_program(&f, "/bin/plain", 10), &plain, 1000);
	make(&f, &advices);
	assert_int_equal(advices.count, 0);
	finish(&f);
}

static void a_stripped_file_is_named_with_its_share(void **state)
{
	struct fixture f;
	struct advices advices;
	uint32_t thread;

	begin(&f);
	thread = thread_of_program(&f, "/bin/stripped", 10);
	add(&f, thread, &plain, 750);
	add(&f, thread, &stripped, 250);
	make(&f, &advices);
	assert_int_equal(advices.count, 1);
	assert_int_equal(advices.at[0].kind, ADVICE_NO_SYMBOLS);
	assert_float_equal(advices.at[0].share, 0.25, 1e-9);
	assert_string_equal(model_string(&f.maker.model,
					 f.maker.model.images.at[advices.at[0].image].path),
			    "/bin/stripped");
	finish(&f);
}

static void a_file_with_few_samples_is_left_out(void **state)
{
	struct fixture f;
	struct advices advices;
	uint32_t thread;

	begin(&f);
	thread = thread_of_program(&f, "/bin/stripped", 10);
	add(&f, thread, &plain, 1000);
	add(&f, thread, &stripped, 5);
	make(&f, &advices);
	assert_int_equal(advices.count, 0);
	finish(&f);
}

static void runtimes_are_recognized_by_their_program(void **state)
{
	static const struct {
		const char *path;
		enum advice_kind kind;
	} programs[] = {
		{ "/usr/lib/jvm/bin/java", ADVICE_JAVA },
		{ "/usr/bin/node", ADVICE_NODE },
	};

	for (size_t i = 0; i < 2; i++) {
		struct fixture f;
		struct advices advices;
		uint32_t thread;

		begin(&f);
		thread = thread_of_program(&f, programs[i].path, 10);
		add(&f, thread, &plain, 500);
		add(&f, thread, &nameless, 500);
		own_code(&f, thread);
		make(&f, &advices);
		assert_int_equal(advices.count, 1);
		assert_int_equal(advices.at[0].kind, programs[i].kind);
		finish(&f);
	}
}

static void generated_code_with_names_needs_no_advice(void **state)
{
	struct fixture f;
	struct advices advices;
	uint32_t thread;

	begin(&f);
	thread = thread_of_program(&f, "/usr/bin/node", 10);
	add(&f, thread, &named, 500);
	own_code(&f, thread);
	make(&f, &advices);
	assert_int_equal(advices.count, 0);
	finish(&f);
}

static void python_is_advised_unless_it_names_its_functions(void **state)
{
	for (int names = 0; names < 2; names++) {
		struct fixture f;
		struct advices advices;
		uint32_t thread;

		begin(&f);
		thread = thread_of_program(&f, "/usr/bin/python3.12", 10);
		add(&f, thread, &python, 500);
		if (names) {
			add(&f, thread, &named, 1);
			own_code(&f, thread);
		}
		make(&f, &advices);
		assert_int_equal(advices.count, !names);
		assert_true(names || advices.at[0].kind == ADVICE_PYTHON);
		finish(&f);
	}
}

static void warnings_come_first_and_there_are_at_most_five(void **state)
{
	struct fixture f;
	struct advices advices;
	uint32_t thread;

	begin(&f);
	thread = thread_of_program(&f, "/bin/stripped", 10);
	for (int i = 0; i < 9; i++) {
		char path[32];
		struct maker_frame frame = stripped;

		(void)snprintf(path, sizeof(path), "/bin/stripped%d", i);
		frame.image = path;
		add(&f, thread, &frame, 5 + (unsigned int)i);
	}
	make(&f, &advices);
	assert_int_equal(advices.count, ADVICE_MAX);
	assert_int_equal(advices.at[0].kind, ADVICE_FEW_SAMPLES);
	assert_true(advice_warns(&advices.at[0]));
	for (size_t i = 2; i < advices.count; i++)
		assert_true(advices.at[i].share <= advices.at[i - 1].share);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_recording_gets_no_advice),
		cmocka_unit_test(a_stripped_file_is_named_with_its_share),
		cmocka_unit_test(a_file_with_few_samples_is_left_out),
		cmocka_unit_test(runtimes_are_recognized_by_their_program),
		cmocka_unit_test(generated_code_with_names_needs_no_advice),
		cmocka_unit_test(python_is_advised_unless_it_names_its_functions),
		cmocka_unit_test(warnings_come_first_and_there_are_at_most_five),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
