/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who ended the waits of a recording in which this is known. */
#include "tests/support/test.h"

#include <errno.h>
#include <unistd.h>

#include "analyze/wait_chain.h"
#include "base/clock.h"
#include "model/wait.h"
#include "tests/support/model_maker.h"
#include "tests/support/temp.h"

#define MS NS_PER_MSEC

struct maker {
	struct model_maker model;
	uint32_t first_event;
	uint32_t reader, writer, other;
	uint32_t in_lock, in_unlock, in_flush, in_disk;
};

struct wait {
	uint32_t thread, stack, waker, waker_stack;
	uint64_t end_ms, blocked_ms, queued_ms;
	enum context waker_context;
};

static void add(struct maker *maker, const struct sample *like, enum wait_kind kind)
{
	struct sample *sample = vec_push(&maker->model.batch.samples);

	assert_non_null(sample);
	*sample = *like;
	sample->event = (uint8_t)(maker->first_event + kind);
	sample->late_ns = LATE_UNKNOWN;
}

/* Adds the samples of one wait as intake does: the sleep, the queue, the waker. */
static void add_wait(struct maker *maker, const struct wait *wait)
{
	struct sample sample = {
		.time_ns = MAKER_START_NS + wait->end_ms * MS,
		.weight = wait->blocked_ms * MS,
		.thread = wait->thread,
		.stack = wait->stack,
		.context = CONTEXT_SYSCALL,
	};

	add(maker, &sample, WAIT_BLOCKED);
	sample.weight = wait->queued_ms * MS;
	if (wait->queued_ms)
		add(maker, &sample, WAIT_RUNNABLE);
	sample.thread = wait->waker;
	sample.stack = wait->waker_stack;
	sample.weight = wait->blocked_ms * MS;
	sample.context = (uint8_t)wait->waker_context;
	if (wait->waker)
		add(maker, &sample, WAIT_WAKER);
}

static uint32_t stack_of(struct maker *maker, const char *user, const char *kernel)
{
	const struct maker_frame root = { "/bin/app", IMAGE_FILE, "main", QUALITY_SYMTAB, true };
	const struct maker_frame frame = { "/bin/app", IMAGE_FILE, user, QUALITY_SYMTAB, false };
	const struct maker_frame inner = { "[kernel]", IMAGE_KERNEL, kernel, QUALITY_SYMTAB,
					   false };
	const struct maker_frame schedule = { "[kernel]", IMAGE_KERNEL, "schedule", QUALITY_SYMTAB,
					      false };
	uint32_t stack = maker_stack(&maker->model, STACK_ROOT_END, &root);

	stack = maker_stack(&maker->model, stack, &frame);
	stack = maker_stack(&maker->model, stack, &inner);
	return maker_stack(&maker->model, stack, &schedule);
}

static void begin(struct maker *maker)
{
	*maker = (struct maker){ 0 };
	model_maker_init(&maker->model);
	assert_int_equal(wait_events_add(&maker->model.model, MS, &maker->first_event), 0);
	maker->reader = maker_thread(&maker->model, "reader", 100, false);
	maker->writer = maker_thread(&maker->model, "writer", 200, false);
	maker->other = maker_thread(&maker->model, "other", 300, false);
	maker->in_lock = stack_of(maker, "lock", "futex_wait");
	maker->in_unlock = stack_of(maker, "unlock", "futex_wake");
	maker->in_flush = stack_of(maker, "flush", "io_wait");
	maker->in_disk = stack_of(maker, "irrelevant", "disk_done");
}

static struct wait_chains read_back(struct maker *maker, const char *comm, struct model *model)
{
	struct temp_dir dir = temp_dir_make();
	struct filter filter = FILTER_INIT;
	struct recording *recording;
	struct wait_chains chains;
	struct err err;
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/profile.assay", dir.path);
	assert_int_equal(recording_create(path, &recording, NULL), 0);
	assert_int_equal(
		recording_append(recording, &maker->model.model, &maker->model.batch, NULL), 0);
	assert_int_equal(recording_finish(recording, &maker->model.model, NULL), 0);
	recording_close(recording);
	model_maker_fini(&maker->model);
	assert_int_equal(model_init(model), 0);
	assert_int_equal(recording_open(path, &recording, &err), 0);
	assert_int_equal(recording_load(recording, model, &err), 0);
	if (comm)
		assert_int_equal(filter_add(&filter, "comm", comm, &err), 0);
	assert_int_equal(wait_chains_read(recording, model, &filter, &chains, &err), 0);
	filter_fini(&filter);
	recording_close(recording);
	(void)unlink(path);
	temp_dir_remove(&dir);
	return chains;
}

static void assert_place(const struct wait_chains *chains, uint32_t id, const char *comm,
			 const char *innermost, const char *caller)
{
	const struct wait_place *place = &chains->places.at[id];
	const struct profile names = { .model = chains->model };
	char scratch[GROUP_IMAGE_NAME_MAX];

	assert_string_equal(model_string(chains->model, place->comm), comm);
	assert_true(place->frame_count >= 1);
	assert_string_equal(call_frame_name(&names, place->frames[0], scratch), innermost);
	if (!caller)
		return;
	assert_true(place->frame_count >= 2);
	assert_string_equal(call_frame_name(&names, place->frames[1], scratch), caller);
}

/*
 * The reader waits 60 and 40 ms for the lock of the writer. During the first wait the writer is
 * blocked for 50 ms, of which 45 overlap, until the disk's interrupt wakes it.
 */
static void a_waits_for_b_and_b_for_the_disk(void **state)
{
	struct wait_chains chains;
	const struct wait_row *row;
	const uint32_t *rows;
	struct maker maker;
	struct model model;
	size_t count;

	begin(&maker);
	add_wait(&maker, &(struct wait){ maker.writer, maker.in_flush, maker.other, maker.in_disk,
					 90, 50, 0, CONTEXT_HARDIRQ });
	add_wait(&maker, &(struct wait){ maker.reader, maker.in_lock, maker.writer, maker.in_unlock,
					 110, 60, 5, CONTEXT_SYSCALL });
	add_wait(&maker, &(struct wait){ maker.reader, maker.in_lock, maker.writer, maker.in_unlock,
					 200, 40, 0, CONTEXT_SYSCALL });
	chains = read_back(&maker, "reader", &model);
	assert_true(chains.has_wakers);
	assert_false(chains.cut);
	assert_int_equal(chains.threads, 1);
	assert_int_equal(chains.rows.at[0].ns, 100 * MS);
	rows = wait_chains_children(&chains, 0, &count);
	assert_int_equal(count, 1);
	row = &chains.rows.at[rows[0]];
	assert_int_equal(row->waits, 2);
	assert_int_equal(row->ns, 100 * MS);
	assert_int_equal(row->longest_ns, 60 * MS);
	assert_place(&chains, row->waiter, "reader", "futex_wait", "lock");
	assert_place(&chains, row->waker, "writer", "futex_wake", "unlock");
	rows = wait_chains_children(&chains, rows[0], &count);
	assert_int_equal(count, 1);
	row = &chains.rows.at[rows[0]];
	assert_int_equal(row->depth, 2);
	assert_int_equal(row->ns, 45 * MS);
	assert_place(&chains, row->waiter, "writer", "io_wait", "flush");
	assert_place(&chains, row->waker, "", "disk_done", NULL);
	assert_true(wait_place_is_interrupt(&chains.places.at[row->waker]));
	assert_int_equal(chains.places.at[row->waker].frame_count, 1);
	wait_chains_fini(&chains);
	model_fini(&model);
}

/* Two threads that wake each other in turn are a circle. The depth of rows is limited. */
static void a_circle_ends(void **state)
{
	struct wait_chains chains;
	struct maker maker;
	struct model model;

	begin(&maker);
	for (uint64_t i = 1; i <= 200; i++)
		add_wait(&maker,
			 &(struct wait){ i & 1 ? maker.reader : maker.writer, maker.in_lock,
					 i & 1 ? maker.writer : maker.reader, maker.in_unlock,
					 100 + 10 * i, 15, 0, CONTEXT_SYSCALL });
	chains = read_back(&maker, NULL, &model);
	assert_int_equal(chains.rows.at[0].waits, 200);
	for (size_t i = 0; i < chains.rows.count; i++)
		assert_true(chains.rows.at[i].depth <= WAIT_CHAIN_DEPTH_MAX);
	wait_chains_fini(&chains);
	model_fini(&model);
}

static void waits_without_wakers_are_rows_too(void **state)
{
	struct wait_chains chains;
	struct maker maker;
	struct model model;
	size_t count;

	begin(&maker);
	add_wait(&maker, &(struct wait){ .thread = maker.reader,
					 .stack = maker.in_lock,
					 .end_ms = 50,
					 .blocked_ms = 20 });
	chains = read_back(&maker, NULL, &model);
	assert_false(chains.has_wakers);
	(void)wait_chains_children(&chains, 0, &count);
	assert_int_equal(count, 1);
	assert_int_equal(chains.rows.at[1].waker, 0);
	wait_chains_fini(&chains);
	model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waits_for_b_and_b_for_the_disk),
		cmocka_unit_test(a_circle_ends),
		cmocka_unit_test(waits_without_wakers_are_rows_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
