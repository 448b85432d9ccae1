/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparison of the call trees of two recordings of known content, node by node. */
#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

#include "analyze/path_change.h"
#include "tests/support/model_maker.h"
#include "tests/support/temp.h"

#define ROUNDS 100
#define DEEP (PATH_CHANGES_TESTED_MAX + 1000)

struct fixture {
	struct temp_dir dir;
	char paths[DIFF_SIDES][128];
	struct model models[DIFF_SIDES];
	struct diff_side sides[DIFF_SIDES];
	struct profile profile;
	struct call_tree_options options;
	struct call_tree tree;
	struct path_change *changes;
};

static uint32_t call(struct model_maker *maker, const char *lib, const char *caller,
		     const char *function)
{
	const struct maker_frame outer = { "/bin/app", IMAGE_FILE, caller, QUALITY_SYMTAB, true };
	const struct maker_frame leaf = { lib, IMAGE_FILE, function, QUALITY_SYMTAB, false };

	return maker_stack(maker, maker_stack(maker, STACK_ROOT_END, &outer), &leaf);
}

static void sample(struct model_maker *maker, uint32_t thread, uint32_t stack, unsigned int count)
{
	maker_samples(maker,
		      &(struct maker_run){ .thread = thread, .stack = stack, .count = count });
}

static void save(const char *path, struct model_maker *maker)
{
	struct recording *recording;

	assert_int_equal(recording_create(path, &recording, NULL), 0);
	assert_int_equal(recording_append(recording, &maker->model, &maker->batch, NULL), 0);
	assert_int_equal(recording_finish(recording, &maker->model, NULL), 0);
	recording_close(recording);
	model_maker_fini(maker);
}

/*
 * 100 rounds of 100 samples: main calls hot @hot times, work calls it 10 times, five samples have
 * no frame, the rest are cold. The second recording has one sample in rare.
 */
static void make_side(struct fixture *f, enum diff_which which, unsigned int hot)
{
	const char *lib = which == DIFF_BEFORE ? "/old/lib.so" : "/new/lib.so";
	struct model_maker maker;
	uint32_t thread, stacks[5];

	model_maker_init(&maker);
	thread = maker_thread(&maker, "app", 100, false);
	if (which == DIFF_AFTER)
		(void)call(&maker, "/bin/other", "other", "first");
	stacks[0] = call(&maker, lib, "main", "hot");
	stacks[1] = call(&maker, lib, "work", "hot");
	stacks[2] = call(&maker, lib, "main", "cold");
	stacks[3] = call(&maker, lib, "main", "rare");
	stacks[4] = STACK_ROOT_END;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		bool rare = which == DIFF_AFTER && i == 0;
		const unsigned int counts[] = { hot, 10, 85 - hot - rare, rare, 5 };

		for (int j = 0; j < 5; j++)
			sample(&maker, thread, stacks[j], counts[j]);
	}
	save(f->paths[which], &maker);
}

/* In half of the samples, a function calls itself to a depth with more nodes than can be tested. */
static void make_deep_side(struct fixture *f, enum diff_which which)
{
	const struct maker_frame frame = { "/bin/app", IMAGE_FILE, "again", QUALITY_SYMTAB, false };
	uint32_t thread, other, stack = STACK_ROOT_END;
	struct model_maker maker;

	model_maker_init(&maker);
	thread = maker_thread(&maker, "app", 100, false);
	other = call(&maker, "/bin/app", "main", "other");
	for (unsigned int i = 0; i < DEEP; i++)
		stack = maker_stack(&maker, stack, &frame);
	for (unsigned int i = 0; i < ROUNDS * 10; i++)
		sample(&maker, thread, i % 7 < 3 ? stack : other, 1);
	save(f->paths[which], &maker);
}

/* Two programs with the same functions. Only the second calls hot more often in the second run. */
static void make_programs(struct fixture *f, enum diff_which which)
{
	struct model_maker maker;
	uint32_t first, second, hot, cold;

	model_maker_init(&maker);
	/* other ids in the second run */
	second = which == DIFF_AFTER ? maker_thread(&maker, "second", 200, false) : 0;
	first = maker_thread(&maker, "first", 100, false);
	if (which == DIFF_BEFORE)
		second = maker_thread(&maker, "second", 200, false);
	hot = call(&maker, "/lib.so", "main", "hot");
	cold = call(&maker, "/lib.so", "main", "cold");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		sample(&maker, first, hot, 20);
		sample(&maker, first, cold, 30);
		sample(&maker, second, hot, which == DIFF_AFTER ? 40 : 10);
		sample(&maker, second, cold, which == DIFF_AFTER ? 9 : 39);
		sample(&maker, second, STACK_ROOT_END, 1);
	}
	save(f->paths[which], &maker);
}

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .dir = temp_dir_make() };
	for (int i = 0; i < DIFF_SIDES; i++)
		(void)snprintf(f->paths[i], sizeof(f->paths[i]), "%s/%d.assay", f->dir.path, i);
}

static void load(struct fixture *f)
{
	for (int i = 0; i < DIFF_SIDES; i++) {
		assert_int_equal(model_init(&f->models[i]), 0);
		f->sides[i].model = &f->models[i];
		assert_int_equal(recording_open(f->paths[i], &f->sides[i].recording, NULL), 0);
		assert_int_equal(recording_load(f->sides[i].recording, &f->models[i], NULL), 0);
	}
	assert_int_equal(
		profile_read(f->sides[DIFF_AFTER].recording, &f->models[DIFF_AFTER],
			     &(struct profile_options){ .by_stack = true,
							.stacks_apart = f->options.grouped },
			     &f->profile, NULL),
		0);
	assert_int_equal(call_tree_make(&f->profile, &f->options, &f->tree), 0);
}

static void set_up(struct fixture *f, unsigned int hot_before, unsigned int hot_after)
{
	begin(f);
	make_side(f, DIFF_BEFORE, hot_before);
	make_side(f, DIFF_AFTER, hot_after);
	load(f);
}

static void tear_down(struct fixture *f)
{
	free(f->changes);
	call_tree_fini(&f->tree);
	profile_fini(&f->profile);
	for (int i = 0; i < DIFF_SIDES; i++) {
		model_fini(&f->models[i]);
		recording_close(f->sides[i].recording);
		(void)unlink(f->paths[i]);
	}
	temp_dir_remove(&f->dir);
}

static const struct path_change *change_of_path(const struct fixture *f, const char *caller,
						const char *function)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	for (uint32_t i = 1; i < f->tree.nodes.count; i++) {
		const struct call_node *node = &f->tree.nodes.at[i];
		uint64_t outer = f->tree.nodes.at[node->parent].frame;

		if (strcmp(call_frame_name(&f->profile, node->frame, scratch), function) == 0 &&
		    strcmp(call_frame_name(&f->profile, outer, scratch), caller) == 0)
			return &f->changes[i];
	}
	fail_msg("no %s called by %s", function, caller);
	return NULL;
}

static void assert_change(const struct fixture *f, const char *caller, const char *function,
			  double before, double after, bool significant)
{
	const struct path_change *change = change_of_path(f, caller, function);

	if (!(fabs(change->before - before) < 1e-9 && fabs(change->after - after) < 1e-9))
		fail_msg("%s: %g to %g", function, change->before, change->after);
	assert_int_equal(change->significant, significant);
	if (change->tested)
		assert_true(change->low <= after - before && change->high >= after - before);
}

/* Nodes are matched by the names on the path. The same function on another path did not change. */
static void test_by_path(void **state)
{
	struct fixture f;

	set_up(&f, 20, 40);
	assert_int_equal(path_changes_make(f.sides, &f.tree, 0.001, &f.changes, NULL), 0);
	assert_change(&f, "main", "hot", 0.2, 0.4, true);
	assert_change(&f, "work", "hot", 0.1, 0.1, false);
	assert_change(&f, "main", "cold", 0.65, 0.4499, true);
	assert_change(&f, "all", "main", 0.85, 0.85, false);
	assert_true(change_of_path(&f, "all", "main")->tested);
	assert_change(&f, "main", "rare", 0, 0.0001, false);
	assert_false(change_of_path(&f, "main", "rare")->tested);
	tear_down(&f);
}

/* Of two runs of a command, the seconds are compared. */
static void test_per_run(void **state)
{
	struct fixture f;

	set_up(&f, 20, 40);
	for (int i = 0; i < DIFF_SIDES; i++) {
		model_fact_set(&f.models[i], FACT_TARGET, "command");
		model_fact_set_u64(&f.models[i], FACT_COMMAND_CPU_NS, 10000000000);
	}
	assert_int_equal(path_changes_make(f.sides, &f.tree, 0.001, &f.changes, NULL), 0);
	assert_change(&f, "main", "hot", 2, 4, true);
	assert_change(&f, "work", "hot", 1, 1, false);
	assert_change(&f, "all", "main", 8.5, 8.5, false);
	assert_int_equal(change_of_path(&f, "main", "hot")->unit, DIFF_SECONDS);
	tear_down(&f);
}

/* Nodes are compared with those of the same group. */
static void test_groups(void **state)
{
	static const char *const expected[] = { "first 0.5 0.5 0", "second 0.5 0.5 0",
						"hot 0.2 0.2 0", "hot 0.1 0.4 1" };
	char scratch[GROUP_IMAGE_NAME_MAX], text[600];
	struct fixture f;
	size_t found = 0;

	begin(&f);
	make_programs(&f, DIFF_BEFORE);
	make_programs(&f, DIFF_AFTER);
	f.options = (struct call_tree_options){ .grouped = true, .group = BY_APPLICATION };
	load(&f);
	assert_int_equal(path_changes_make(f.sides, &f.tree, 0.001, &f.changes, NULL), 0);
	for (uint32_t i = 1; i < f.tree.nodes.count; i++) {
		const struct path_change *change = &f.changes[i];

		(void)snprintf(text, sizeof(text), "%s %g %g %d",
			       call_frame_name(&f.profile, f.tree.nodes.at[i].frame, scratch),
			       change->before, change->after, change->significant);
		for (size_t j = 0; j < sizeof(expected) / sizeof(expected[0]); j++)
			found += strcmp(text, expected[j]) == 0;
	}
	assert_int_equal(found, 4);
	assert_change(&f, "second", "<no frame>", 0.01, 0.01, false);
	tear_down(&f);
}

/* Stacks without a frame have a node of their own, on both sides. */
static void test_no_frame(void **state)
{
	struct fixture f;

	set_up(&f, 20, 40);
	assert_int_equal(path_changes_make(f.sides, &f.tree, 0.001, &f.changes, NULL), 0);
	assert_change(&f, "all", "<no frame>", 0.05, 0.05, false);
	assert_true(change_of_path(&f, "all", "<no frame>")->tested);
	assert_true(f.changes[CALL_TREE_ROOT].before == 1);
	tear_down(&f);
}

/* If there are too many nodes, only the maximum is tested; the others still have their shares. */
static void test_deep(void **state)
{
	struct fixture f;
	size_t tested = 0;
	double share;

	begin(&f);
	make_deep_side(&f, DIFF_BEFORE);
	make_deep_side(&f, DIFF_AFTER);
	load(&f);
	assert_int_equal(f.tree.nodes.count, DEEP + 3);
	assert_int_equal(path_changes_make(f.sides, &f.tree, 0, &f.changes, NULL), 0);
	for (uint32_t i = 0; i < f.tree.nodes.count; i++) {
		tested += f.changes[i].tested;
		share = count_share(&f.tree.nodes.at[i].total, call_tree_total(&f.tree), false);
		assert_true(share > 0 && f.changes[i].before == share);
		assert_true(f.changes[i].after == share);
	}
	assert_int_equal(tested, PATH_CHANGES_TESTED_MAX);
	tear_down(&f);
}

/* Nodes below the minimum share are not tested. */
static void test_min_share(void **state)
{
	struct fixture f;

	set_up(&f, 20, 40);
	assert_int_equal(path_changes_make(f.sides, &f.tree, 0.44, &f.changes, NULL), 0);
	assert_change(&f, "main", "hot", 0.2, 0.4, false);
	assert_false(change_of_path(&f, "main", "hot")->tested);
	assert_true(change_of_path(&f, "main", "cold")->significant);
	tear_down(&f);
}

/*
 * If the recording to compare with has no samples of the event, the result is an error, not a graph
 * of zeros.
 */
static void test_no_such_event(void **state)
{
	struct fixture f;
	struct err err;

	set_up(&f, 20, 40);
	f.models[DIFF_BEFORE].events.at[0].name = model_intern(&f.models[DIFF_BEFORE], "cycles");
	assert_int_equal(path_changes_make(f.sides, &f.tree, 0, &f.changes, &err), -ENODATA);
	assert_string_equal(err.text, "no samples of cpu-clock");
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_path),	      cmocka_unit_test(test_no_frame),
		cmocka_unit_test(test_deep),	      cmocka_unit_test(test_min_share),
		cmocka_unit_test(test_no_such_event), cmocka_unit_test(test_per_run),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
