/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk that fills up during recording: a tmpfs of two megabytes in a mount namespace of its own.
 */
#include "support/test.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "check.h"
#include "fixture.h"
#include "support/temp.h"

#define SKIPPED 77

static char path[128];

/* Appends until the disk is full. @ret_safe returns the sum of what was safely written by then. */
static struct recording *fill(struct fixture *fixture, struct seen *ret_safe)
{
	struct recording *recording = create_recording(path);
	struct seen safe = { 0 };
	struct err err = { 0 };

	for (int flush = 0; flush < 10000; flush++) {
		int rc;

		fixture_grow(fixture, 2000);
		rc = recording_append(recording, &fixture->model, &fixture->batch, &err);
		if (rc < 0) {
			assert_int_equal(rc, -ENOSPC);
			assert_non_null(strstr(err.text, path));
			assert_non_null(strstr(err.text, "No space left"));
			*ret_safe = safe;
			return recording;
		}
		seen_add(&safe, &fixture->batch);
	}
	fail_msg("the disk never filled");
	return NULL;
}

static void check_safe(const struct seen *safe)
{
	struct model model;
	struct seen seen = read_recording(path, &model);

	assert_true(safe->samples > 0);
	assert_memory_equal(&seen, safe, sizeof(seen));
	assert_int_equal(model.losses.count[LOSS_BLOCK_DAMAGED], 0);
	model_fini(&model);
	(void)unlink(path);
}

static void test_stays_readable(void **state)
{
	struct fixture fixture;
	struct recording *recording;
	struct seen safe;

	fixture_init(&fixture, 1, 0);
	recording = fill(&fixture, &safe);
	recording_close(recording);
	check_safe(&safe);
	fixture_fini(&fixture);
}

/* The caller finishes as usual. That may fail, too, but must not damage anything. */
static void test_finish_after_it(void **state)
{
	struct fixture fixture;
	struct recording *recording;
	struct seen safe;
	struct err err = { 0 };

	fixture_init(&fixture, 2, 0);
	recording = fill(&fixture, &safe);
	assert_int_equal(recording_finish(recording, &fixture.model, &err), -ENOSPC);
	assert_non_null(strstr(err.text, path));
	assert_false(recording_is_complete(recording));
	recording_close(recording);
	check_safe(&safe);
	fixture_fini(&fixture);
}

/* When there is room again, the same recording continues as if nothing had happened. */
static void test_goes_on_with_room(void **state)
{
	struct fixture fixture;
	struct recording *recording;
	struct seen safe, seen;
	struct model model;
	struct err err = { 0 };
	static const char filler[1024];
	char ballast[160];
	FILE *file;

	(void)snprintf(ballast, sizeof(ballast), "%s.ballast", path);
	file = fopen(ballast, "w");
	assert_non_null(file);
	for (int i = 0; i < 1000; i++)
		(void)fwrite(filler, 1, sizeof(filler), file);
	(void)fclose(file);
	fixture_init(&fixture, 3, 0);
	recording = fill(&fixture, &safe);
	assert_int_equal(unlink(ballast), 0);
	if (recording_append(recording, &fixture.model, &fixture.batch, &err) < 0)
		fail_msg("%s", err.text);
	seen_add(&safe, &fixture.batch);
	recording_close(recording);
	seen = read_recording(path, &model);
	assert_memory_equal(&seen, &safe, sizeof(seen));
	check_same_model(&model, &fixture.model);
	model_fini(&model);
	(void)unlink(path);
	fixture_fini(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stays_readable),
		cmocka_unit_test(test_finish_after_it),
		cmocka_unit_test(test_goes_on_with_room),
	};
	struct temp_dir dir = temp_dir_make();
	int failed;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("assay-test", dir.path, "tmpfs", 0, "size=2m") < 0) {
		temp_dir_remove(&dir);
		(void)printf("skipped: mounting a small tmpfs needs CAP_SYS_ADMIN\n");
		return SKIPPED;
	}
	(void)snprintf(path, sizeof(path), "%s/run.assay", dir.path);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)umount2(dir.path, MNT_DETACH);
	temp_dir_remove(&dir);
	return failed;
}
