/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a recording is written to the disk itself. */
#include "support/test.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "fixture.h"
#include "store/recording-private.h"
#include "support/temp.h"

/* Returns how many requests to write to the disk the flush makes. */
static unsigned int append(struct recording *recording, struct fixture *fixture)
{
	unsigned int before = recording->sync.request_count;
	struct err err = { 0 };

	fixture_grow(fixture, 100);
	assert_int_equal(recording_append(recording, &fixture->model, &fixture->batch, &err), 0);
	return recording->sync.request_count - before;
}

/* A request that the disk has not answered yet is not repeated. */
static void wait_for_answers(struct recording *recording)
{
	struct io_event event;

	while (recording->sync.unanswered_count) {
		assert_int_equal(
			syscall(SYS_io_getevents, recording->sync.context, 1, 1, &event, NULL), 1);
		assert_int_equal(event.res, 0);
		recording->sync.unanswered_count--;
	}
}

static void flushes_reach_the_disk_now_and_then(void **state)
{
	struct temp_dir dir = temp_dir_make();
	const char *path = temp_file(&dir, "run.assay", "", 0);
	struct recording *recording;
	struct fixture fixture;

	(void)unlink(path);
	recording = create_recording(path);
	fixture_init(&fixture, 3, 0);
	assert_int_equal(append(recording, &fixture), 2);	/* the file and its log */
	wait_for_answers(recording);
	for (int i = 0; i < 3; i++)
		assert_int_equal(append(recording, &fixture), 0);
	for (int i = 0; i < 2; i++) {
		recording->sync.last_ns -= DISK_SYNC_NS;
		assert_int_equal(append(recording, &fixture), 1);
		wait_for_answers(recording);
		assert_int_equal(append(recording, &fixture), 0);
	}
	recording->sync.last_ns -= DISK_SYNC_NS;
	recording->sync.unanswered_count = 1;
	assert_int_equal(append(recording, &fixture), 0);
	recording_close(recording);
	fixture_fini(&fixture);
	temp_dir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flushes_reach_the_disk_now_and_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
