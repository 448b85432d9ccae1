/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two models become one: what is the same in both, what stays apart, what adds up. */
#include "support/test.h"

#include <errno.h>

#include "model/merge.h"

static uint32_t add_image(struct model *model, enum image_kind kind, const char *path,
			  uint64_t base_addr, uint8_t build_id)
{
	struct image image = {
		.kind = kind,
		.path = model_intern(model, path),
		.base_addr = base_addr,
		.build_id_size = build_id ? 1 : 0,
		.build_id = { build_id },
	};

	return model_image_id(model, &image);
}

static uint32_t add_location(struct model *model, uint32_t image, const char *name, uint64_t start,
			     uint64_t vaddr)
{
	struct function function = {
		.name = model_intern(model, name),
		.image = image,
		.vaddr = start,
		.size_bytes = start ? 16 : 0,
	};
	uint32_t location = model_location_id(model, image, vaddr);

	model->locations.at[location].function = model_function_id(model, &function);
	return location;
}

static uint32_t add_thread(struct model *model, uint32_t tgid, const char *name)
{
	struct process process = {
		.tgid = tgid,
		.application = model_application_id(model, model_intern(model, name)),
		.start_ns = 5,
	};
	struct thread thread = { .tid = tgid, .comm = model_intern(model, name), .start_ns = 5 };

	process.instance = ++model->applications.at[process.application].instance_count;
	thread.process = model_process_add(model, &process);
	return model_thread_add(model, &thread);
}

static void add_event(struct model *model, const char *name, uint64_t period, bool is_counter)
{
	struct event *event = vec_push(&model->events);

	assert_non_null(event);
	*event = (struct event){
		.name = model_intern(model, name),
		.period = period,
		.is_time = !is_counter,
		.is_counter = is_counter,
	};
}

struct fixture {
	struct model parts[2], whole;
	struct model_merge merge;
	struct model_map maps[2];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return f && model_init(&f->parts[0]) == 0 && model_init(&f->parts[1]) == 0 &&
			       model_init(&f->whole) == 0
		       ? 0
		       : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		model_map_fini(&f->maps[i]);
		model_fini(&f->parts[i]);
	}
	model_merge_fini(&f->merge);
	model_fini(&f->whole);
	free(f);
	return 0;
}

static void merge_both(struct fixture *f)
{
	static const struct run_span spans[] = { { 1000, 1500 }, { 200, 900 } };
	struct err err;

	model_merge_init(&f->merge, &f->whole, spans[0].start_ns);
	for (int i = 0; i < 2; i++)
		assert_int_equal(model_merge_check(&f->merge, &f->parts[i], &err), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(model_merge_add(&f->merge, &f->parts[i], &spans[i], &f->maps[i]),
				 0);
	model_merge_end(&f->merge);
}

static void a_function_of_the_same_image_is_one_function(void **state)
{
	struct fixture *f = *state;
	uint32_t locations[2];

	for (int i = 0; i < 2; i++) {
		uint32_t image;

		if (i == 1)
			(void)add_image(&f->parts[i], IMAGE_FILE, "/other", 0, 9);
		image = add_image(&f->parts[i], IMAGE_FILE, "/program", 0, 7);
		locations[i] = add_location(&f->parts[i], image, "main", 0x100, 0x104);
	}
	merge_both(f);
	assert_int_equal(f->whole.functions.count, 2);
	assert_int_equal(f->whole.locations.count, 2);
	assert_int_equal(f->maps[0].locations[locations[0]], f->maps[1].locations[locations[1]]);
}

static void another_build_id_is_another_function(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++)
		(void)add_location(&f->parts[i],
				   add_image(&f->parts[i], IMAGE_FILE, "/program", 0,
					     (uint8_t)(7 + i)),
				   "main", 0x100, 0x104);
	merge_both(f);
	assert_int_equal(f->whole.functions.count, 3);
}

static void the_kernel_is_moved_to_its_first_load_address(void **state)
{
	struct fixture *f = *state;
	uint64_t bases[2] = { 0xffff0000, 0xffff8000 };

	for (int i = 0; i < 2; i++)
		(void)add_location(&f->parts[i],
				   add_image(&f->parts[i], IMAGE_KERNEL, "[kernel]", bases[i], 7),
				   "schedule", bases[i] + 0x40, bases[i] + 0x48);
	merge_both(f);
	assert_int_equal(f->whole.functions.count, 2);
	assert_int_equal(f->whole.functions.at[1].vaddr, bases[0] + 0x40);
	assert_int_equal(f->whole.locations.count, 2);
	assert_int_equal(f->whole.locations.at[1].vaddr, bases[0] + 0x48);
}

static void names_without_addresses_are_not_mixed_up(void **state)
{
	struct fixture *f = *state;
	uint32_t locations[2];

	/* The address is a serial number, so equal addresses mean nothing. */
	for (int i = 0; i < 2; i++)
		locations[i] = add_location(&f->parts[i],
					    add_image(&f->parts[i], IMAGE_FILE, "", 0, 0),
					    i == 0 ? "one" : "two", 0, 1);
	merge_both(f);
	assert_int_equal(f->whole.functions.count, 3);
	assert_int_not_equal(f->maps[0].locations[locations[0]],
			     f->maps[1].locations[locations[1]]);
}

static void a_name_is_enough_if_images_have_no_identity(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		uint64_t start = i == 0 ? 0x5000 : 0x7000;

		(void)add_location(&f->parts[i],
				   add_image(&f->parts[i], IMAGE_FILE, "/program", 0, 0), "main",
				   start, start + 8);
	}
	merge_both(f);
	assert_int_equal(f->whole.functions.count, 2);
	assert_int_equal(f->whole.locations.count, 2);
	assert_int_equal(f->whole.locations.at[1].vaddr, 0x5008);
}

static void processes_stay_apart(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++)
		(void)add_thread(&f->parts[i], 77, "server");
	merge_both(f);
	assert_int_equal(f->whole.applications.count, 2);
	assert_int_equal(f->whole.applications.at[1].instance_count, 2);
	assert_int_equal(f->whole.processes.count, 3);
	assert_int_equal(f->whole.processes.at[2].instance, 2);
	/* the second thread does not live before its run */
	assert_int_equal(f->whole.threads.at[2].start_ns, 1500);
}

static void runs_follow_each_other(void **state)
{
	struct fixture *f = *state;
	struct sample_batch from = { 0 }, to = { 0 };
	struct sample *sample = vec_push(&from.samples);
	uint32_t process;
	uint64_t value = 0;

	assert_non_null(sample);
	*sample = (struct sample){ .time_ns = 250, .late_ns = LATE_UNKNOWN };
	for (int i = 0; i < 2; i++) {
		sample->thread = add_thread(&f->parts[i], 77, "server");
		add_event(&f->parts[i], "cpu-clock", 1000, false);
	}
	merge_both(f);
	assert_int_equal(model_map_samples(&f->maps[1], &from, &to), 0);
	assert_int_equal(to.samples.at[0].time_ns, 1550);
	assert_int_equal(to.samples.at[0].thread, 2);
	assert_int_equal(model_fact_u64(&f->whole, FACT_START_NS), 1000);
	assert_int_equal(model_fact_u64(&f->whole, FACT_END_NS), 2200);
	assert_int_equal(model_fact_u64(&f->whole, FACT_MERGED), 2);
	for (size_t i = 0; i < f->whole.facts.count; i++)
		if (model_run_fact_at(&f->whole, i, FACT_RUN_END_NS, &process, &value) &&
		    process == 1)
			break;
	assert_int_equal(value, 1500);
	sample_batch_fini(&from);
	sample_batch_fini(&to);
}

static void counters_keep_their_columns(void **state)
{
	struct fixture *f = *state;
	struct sample_batch from = { .counter_count = 1 }, to = { 0 };
	uint64_t *value = vec_push(&from.counters);

	assert_non_null(value);
	*value = 42;
	assert_non_null(vec_push(&from.samples));
	add_event(&f->parts[0], "cpu-clock", 1000, false);
	add_event(&f->parts[0], "faults", 0, true);
	add_event(&f->parts[1], "cpu-clock", 1000, false);
	add_event(&f->parts[1], "switches", 0, true);
	merge_both(f);
	assert_int_equal(model_map_samples(&f->maps[1], &from, &to), 0);
	assert_int_equal(to.counter_count, 2);
	assert_int_equal(to.counters.at[0], 0);
	assert_int_equal(to.counters.at[1], 42);
	sample_batch_fini(&from);
	sample_batch_fini(&to);
}

static void events_that_cannot_be_added_are_refused(void **state)
{
	struct fixture *f = *state;
	struct err err = { 0 };

	add_event(&f->parts[0], "cpu-clock", 1000, false);
	add_event(&f->parts[1], "cpu-clock", 2000, false);
	model_merge_init(&f->merge, &f->whole, 0);
	assert_int_equal(model_merge_check(&f->merge, &f->parts[0], &err), 0);
	assert_int_equal(model_merge_check(&f->merge, &f->parts[1], &err), -EINVAL);
	assert_non_null(strstr(err.text, "event cpu-clock has a period of 2000 ns"));
}

static void differences_of_the_ledger_are_added(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		struct cpu_ledger *cpu = ledger_cpu(&f->parts[i].ledger, 3);

		*cpu = (struct cpu_ledger){
			.cpu = 3,
			.start_ns = i == 0 ? 1000 : 200,
			.end_ns = i == 0 ? 1400 : 800,
			.first_ns[CPU_TIME_IDLE] = i == 0 ? 7000 : 90,
			.last_ns[CPU_TIME_IDLE] = i == 0 ? 7100 : 290,
			.sample_count = 5,
		};
		loss_add(&f->parts[i].losses, LOSS_WAITS, 4);
	}
	merge_both(f);
	assert_int_equal(f->whole.ledger.cpus.count, 1);
	assert_int_equal(f->whole.ledger.cpus.at[0].end_ns, 2000);
	assert_int_equal(f->whole.ledger.cpus.at[0].last_ns[CPU_TIME_IDLE], 7300);
	assert_int_equal(f->whole.ledger.cpus.at[0].sample_count, 10);
	assert_int_equal(f->whole.losses.count[LOSS_WAITS], 8);
}

static void add_interrupt(struct model *model, uint32_t vector, const char *name)
{
	struct interrupt_time *time = vec_push(&model->interrupts.times);
	struct interrupt_victim *victim = vec_push(&model->interrupts.victims);

	assert_non_null(time);
	assert_non_null(victim);
	*time = (struct interrupt_time){
		.vector = vector,
		.name = model_intern(model, name),
		.count = 1,
		.ns = 10,
	};
	*victim = (struct interrupt_victim){
		.tgid = 50,
		.name = model_intern(model, name),
		.count = 1,
		.ns = 10,
	};
}

static void interrupts_are_added_by_name(void **state)
{
	struct fixture *f = *state;

	add_interrupt(&f->parts[0], 24, "disk");
	add_interrupt(&f->parts[1], 24, "network");
	add_interrupt(&f->parts[1], 30, "disk");
	f->parts[1].interrupts.victims.count = 1;
	merge_both(f);
	assert_int_equal(f->whole.interrupts.times.count, 2);
	assert_int_equal(f->whole.interrupts.times.at[0].count, 2);
	assert_int_not_equal(f->whole.interrupts.times.at[1].vector, 24);
	/* pid 50 is another process in the second run */
	assert_int_equal(f->whole.interrupts.victims.count, 2);
	assert_true(f->whole.interrupts.victims.at[1].tgid >= INTERRUPT_BRIEF);
}

static void facts_are_listed_added_or_dropped(void **state)
{
	struct fixture *f = *state;

	model_fact_set(&f->parts[0], FACT_COMMAND, "make");
	model_fact_set(&f->parts[1], FACT_COMMAND, "make test");
	model_fact_set(&f->parts[0], FACT_HOST, "here");
	model_fact_set(&f->parts[1], FACT_HOST, "here");
	model_fact_set(&f->parts[0], FACT_BOOT_ID, "a");
	model_fact_set(&f->parts[1], FACT_BOOT_ID, "b");
	model_fact_set(&f->parts[1], FACT_LINES, "made");
	model_fact_set_u64(&f->parts[0], FACT_SELF_CPU_NS, 3);
	model_fact_set_u64(&f->parts[1], FACT_SELF_CPU_NS, 4);
	model_fact_set(&f->parts[1], FACT_STATE, "was cut short");
	merge_both(f);
	assert_string_equal(model_fact(&f->whole, FACT_COMMAND), "make + make test");
	assert_string_equal(model_fact(&f->whole, FACT_HOST), "here");
	assert_null(model_fact(&f->whole, FACT_BOOT_ID));
	assert_null(model_fact(&f->whole, FACT_LINES));
	assert_int_equal(model_fact_u64(&f->whole, FACT_SELF_CPU_NS), 7);
	assert_int_equal(f->whole.losses.count[LOSS_MERGED_CUT], 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_function_of_the_same_image_is_one_function),
		TEST(another_build_id_is_another_function),
		TEST(the_kernel_is_moved_to_its_first_load_address),
		TEST(names_without_addresses_are_not_mixed_up),
		TEST(a_name_is_enough_if_images_have_no_identity),
		TEST(processes_stay_apart),
		TEST(runs_follow_each_other),
		TEST(counters_keep_their_columns),
		TEST(events_that_cannot_be_added_are_refused),
		TEST(differences_of_the_ledger_are_added),
		TEST(interrupts_are_added_by_name),
		TEST(facts_are_listed_added_or_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
