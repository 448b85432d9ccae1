/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "fixture.h"
#include "store/database.h"
#include "support/temp.h"

static const char *const leftovers[] = { "run.assay.old",  "run.assay.old-wal", "run.assay.old-shm",
					 "run.assay-wal",  "run.assay-shm",	"link.assay",
					 "run.assay.old~", "run.assay-journal" };

static int set_up(void **state)
{
	struct temp_dir *dir = malloc(sizeof(*dir));

	if (!dir)
		return -1;
	*dir = temp_dir_make();
	/* Registers the files with the directory, so that they are removed with it. */
	for (size_t i = 0; i < sizeof(leftovers) / sizeof(leftovers[0]); i++)
		(void)unlink(temp_file(dir, leftovers[i], "", 0));
	(void)unlink(temp_file(dir, "run.assay", "", 0));
	*state = dir;
	return 0;
}

static int tear_down(void **state)
{
	temp_dir_remove(*state);
	free(*state);
	return 0;
}

static const char *path_of(void **state, const char *name, char path[static 128])
{
	const struct temp_dir *dir = *state;

	(void)snprintf(path, 128, "%s/%s", dir->path, name);
	return path;
}

static void record_one(const char *path, uint64_t seed, size_t samples)
{
	struct recording *recording = create_recording(path);
	struct fixture fixture;
	struct err err = { 0 };

	fixture_init(&fixture, seed, 0);
	fixture_grow(&fixture, samples);
	assert_int_equal(recording_append(recording, &fixture.model, &fixture.batch, &err), 0);
	assert_int_equal(recording_finish(recording, &fixture.model, &err), 0);
	recording_close(recording);
	fixture_fini(&fixture);
}

static int create_fails(const char *path, const char *words)
{
	struct recording *recording = NULL;
	struct err err = { 0 };
	int rc = recording_create(path, &recording, &err);

	assert_null(recording);
	if (!strstr(err.text, words) || !strstr(err.text, path))
		fail_msg("'%s' says neither '%s' nor '%s'", err.text, words, path);
	return rc;
}

static void test_is_private(void **state)
{
	char path[128];
	struct stat st;
	mode_t before = umask(0);

	record_one(path_of(state, "run.assay", path), 1, 10);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	(void)umask(0777);
	record_one(path, 2, 10);
	(void)umask(before);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_keeps_one_generation(void **state)
{
	char path[128], old[128];

	(void)path_of(state, "run.assay.old", old);
	record_one(path_of(state, "run.assay", path), 1, 10);
	record_one(path, 2, 20);
	record_one(path, 3, 30);
	assert_int_equal(ask(path, "SELECT sum(samples) FROM hit"), 30);
	assert_int_equal(ask(old, "SELECT sum(samples) FROM hit"), 20);
}

static void record_and_die(const char *path, size_t samples)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct recording *recording = create_recording(path);
		struct fixture fixture;

		fixture_init(&fixture, 1, 0);
		fixture_grow(&fixture, samples);
		(void)recording_append(recording, &fixture.model, &fixture.batch, NULL);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/*
 * A run that was killed leaves a journal. The journal must be renamed with its file and must not be
 * applied to the new file.
 */
static void test_journal_follows(void **state)
{
	char path[128], old[128], journal[128];
	struct model model;

	(void)path_of(state, "run.assay.old", old);
	(void)path_of(state, "run.assay-wal", journal);
	record_and_die(path_of(state, "run.assay", path), 77);
	assert_int_equal(access(journal, F_OK), 0);
	record_one(path, 2, 20);
	assert_int_equal(ask(path, "SELECT sum(samples) FROM hit"), 20);
	assert_int_equal(read_recording(old, &model).samples, 77);
	model_fini(&model);
}

/* So that a single rename moves all data. */
static void test_journal_is_folded_in(void **state)
{
	char path[128], old[128], journal[128];
	struct model model;

	(void)path_of(state, "run.assay.old", old);
	(void)path_of(state, "run.assay.old-wal", journal);
	record_and_die(path_of(state, "run.assay", path), 77);
	record_one(path, 2, 20);
	assert_int_equal(access(journal, F_OK), -1);
	assert_int_equal(read_recording(old, &model).samples, 77);
	model_fini(&model);
}

static bool is_there(void **state, const char *name)
{
	char path[128];

	return access(path_of(state, name, path), F_OK) == 0;
}

/* There are two earlier generations, and a third that was discarded. */
static void test_discarded(void **state)
{
	char path[128], old[128];

	(void)path_of(state, "run.assay.old", old);
	(void)path_of(state, "run.assay", path);
	recording_discard(create_recording(path));
	for (size_t i = 0; i < sizeof(leftovers) / sizeof(leftovers[0]); i++)
		assert_false(is_there(state, leftovers[i]));
	assert_false(is_there(state, "run.assay"));
	record_one(path, 1, 10);
	recording_discard(create_recording(path));
	assert_int_equal(ask(path, "SELECT sum(samples) FROM hit"), 10);
	assert_false(is_there(state, "run.assay.old"));
	record_one(path, 2, 20);
	recording_discard(create_recording(path));
	assert_int_equal(ask(path, "SELECT sum(samples) FROM hit"), 20);
	assert_int_equal(ask(old, "SELECT sum(samples) FROM hit"), 10);
	assert_false(is_there(state, "run.assay.old~"));
	recording_close(create_recording(path));
	assert_int_equal(ask(old, "SELECT sum(samples) FROM hit"), 20);
	assert_false(is_there(state, "run.assay.old~"));
}

/* If the disk has no room for a new recording, the earlier ones are unchanged. */
static void test_failed_creation(void **state)
{
	const struct rlimit nothing = { .rlim_cur = 0, .rlim_max = RLIM_INFINITY };
	const struct rlimit all = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };
	char path[128], old[128];

	(void)path_of(state, "run.assay.old", old);
	record_one(path_of(state, "run.assay", path), 1, 10);
	record_one(path, 2, 20);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &nothing), 0);
	assert_int_equal(create_fails(path, "File too large"), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	assert_int_equal(ask(path, "SELECT sum(samples) FROM hit"), 20);
	assert_int_equal(ask(old, "SELECT sum(samples) FROM hit"), 10);
	assert_false(is_there(state, "run.assay.old~"));
}

/* If the file of an earlier run was removed, its journal must not be applied to the new file. */
static void test_journal_without_file(void **state)
{
	char path[128];
	struct model model;

	record_and_die(path_of(state, "run.assay", path), 77);
	assert_int_equal(unlink(path), 0);
	record_one(path, 2, 20);
	assert_int_equal(read_recording(path, &model).samples, 20);
	model_fini(&model);
}

static void test_refuses_what_is_no_recording(void **state)
{
	static const char text[] = "root:x:0:0:root:/root:/bin/bash\nmore than one page of it\n";
	struct temp_dir *dir = *state;
	const char *file = temp_file(dir, "passwd", text, sizeof(text));
	const char *database = temp_file(dir, "other.db", "", 0);
	struct stat before, after;

	assert_int_equal(stat(file, &before), 0);
	assert_int_equal(create_fails(file, "a recording"), -EEXIST);
	assert_int_equal(stat(file, &after), 0);
	assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
	tamper(database, "CREATE TABLE important(a); PRAGMA user_version = 1");
	assert_int_equal(create_fails(database, "a recording"), -EEXIST);
	assert_int_equal(create_fails(dir->path, "a recording"), -EEXIST);
	assert_int_equal(create_fails("/dev/null", "a recording"), -EEXIST);
	assert_true(create_fails("/nonexistent/run.assay", "No such file") == -ENOENT);
}

static void test_takes_an_empty_file(void **state)
{
	char path[128];

	record_one(temp_file(*state, "run.assay", "", 0), 1, 10);
	assert_int_equal(ask(path_of(state, "run.assay", path), "SELECT sum(samples) FROM hit"),
			 10);
}

static void test_follows_no_link(void **state)
{
	char path[128], target[128];

	record_one(path_of(state, "run.assay", target), 1, 10);
	(void)path_of(state, "link.assay", path);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(create_fails(path, "symbolic link"), -EEXIST);
	assert_int_equal(ask(target, "SELECT sum(samples) FROM hit"), 10);
}

/* The target of a link when SQLite opens it may differ from the one that was checked before. */
static void test_sqlite_follows_no_link(void **state)
{
	struct database_state database;
	struct err err = { 0 };
	char path[128], target[128];
	sqlite3 *db = NULL;

	record_one(path_of(state, "run.assay", target), 1, 10);
	(void)path_of(state, "link.assay", path);
	assert_int_equal(symlink(target, path), 0);
	assert_true(database_open(path, DATABASE_WRITE_NOFOLLOW, &db, &database, &err) < 0);
	assert_int_equal(database_open(path, DATABASE_WRITE, &db, &database, &err), 0);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_leaves_a_running_one_alone(void **state)
{
	char path[128];
	struct recording *first = create_recording(path_of(state, "run.assay", path)), *second;
	struct err err = { 0 };

	assert_int_equal(create_fails(path, "another assay"), -EBUSY);
	assert_int_equal(recording_open_rw(path, &second, &err), -EBUSY);
	recording_close(first);
	record_one(path, 2, 20);
}

/* SQLite treats names that begin with "file:" as URIs; this program does not. */
static void test_name_is_no_uri(void **state)
{
	const struct temp_dir *dir = *state;
	struct recording *recording = NULL;
	struct err err = { 0 };
	char before[4096];

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(dir->path), 0);
	(void)temp_file(*state, "file:a?b%41", "", 0);
	record_one("file:a?b%41", 1, 10);
	recording_close(open_recording("file:a?b%41"));
	if (recording_open_rw("file:a?b%41", &recording, &err) < 0)
		fail_msg("%s", err.text);
	recording_close(recording);
	assert_int_equal(chdir(before), 0);
}

/* ---- other users of the directory ---- */

#define STRANGER 65534

static const char *const companions[] = { "run.assay-journal", "run.assay-wal", "run.assay-shm" };

/* Creates a file of another user. Returns a descriptor that this user has kept. */
static int plant(void **state, const char *name)
{
	char path[128];
	int fd = open(path_of(state, name, path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	assert_int_equal(fchown(fd, STRANGER, STRANGER), 0);
	return fd;
}

static void needs_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("needs root to make files of another user\n");
	skip();
}

static void assert_ours(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode) && st.st_uid == geteuid());
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_nlink, 1);
}

/* Whoever created the journals before can neither read the recording nor stop it. */
static void test_planted_journals(void **state)
{
	struct recording *recording;
	struct fixture fixture;
	struct err err = { 0 };
	char path[128];
	int fds[3];

	needs_root();
	for (size_t i = 0; i < 3; i++)
		fds[i] = plant(state, companions[i]);
	recording = create_recording(path_of(state, "run.assay", path));
	fixture_init(&fixture, 1, 0);
	fixture_grow(&fixture, 1000);
	assert_int_equal(recording_append(recording, &fixture.model, &fixture.batch, &err), 0);
	for (size_t i = 0; i < 3; i++) {
		struct stat st;

		assert_ours(path_of(state, companions[i], path));
		assert_int_equal(fstat(fds[i], &st), 0);
		assert_true(st.st_nlink == 0 && st.st_size == 0);
		(void)close(fds[i]);
	}
	assert_int_equal(recording_finish(recording, &fixture.model, &err), 0);
	recording_close(recording);
	for (size_t i = 0; i < 3; i++)
		assert_false(is_there(state, companions[i]));
	assert_int_equal(ask(path_of(state, "run.assay", path), "SELECT sum(samples) FROM hit"),
			 1000);
	fixture_fini(&fixture);
}

/* A directory cannot be removed like a file. */
static void test_journal_that_stays(void **state)
{
	char path[128], journal[128];

	assert_int_equal(mkdir(path_of(state, "run.assay-wal", journal), 0700), 0);
	(void)create_fails(path_of(state, "run.assay", path), "cannot be created anew");
	assert_int_equal(rmdir(journal), 0);
	assert_false(is_there(state, "run.assay"));
	assert_false(is_there(state, "run.assay-journal"));
}

/* It is renamed like any other, but not opened. */
static void test_previous_of_another_user(void **state)
{
	char path[128], old[128];
	int journal;

	needs_root();
	record_and_die(path_of(state, "run.assay", path), 10);
	assert_int_equal(chown(path, STRANGER, STRANGER), 0);
	assert_int_equal(unlink(path_of(state, "run.assay-wal", old)), 0);
	journal = plant(state, "run.assay-wal");
	assert_int_equal(write(journal, "not SQLite's", 12), 12);
	record_one(path, 2, 20);
	assert_int_equal(ask(path, "SELECT sum(samples) FROM hit"), 20);
	assert_true(is_there(state, "run.assay.old") && is_there(state, "run.assay.old-wal"));
	(void)close(journal);
}

static void test_is_changed_by_its_owner_only(void **state)
{
	struct recording *recording = NULL;
	struct err err = { 0 };
	struct model model;
	char path[128];

	needs_root();
	record_one(path_of(state, "run.assay", path), 1, 10);
	(void)close(plant(state, "run.assay-wal"));
	assert_int_equal(recording_open_rw(path, &recording, &err), -EPERM);
	assert_non_null(strstr(err.text, "the journal beside it"));
	assert_int_equal(read_recording(path, &model).samples, 10);
	model_fini(&model);
	assert_int_equal(chown(path, STRANGER, STRANGER), 0);
	assert_int_equal(recording_open_rw(path, &recording, &err), -EPERM);
	assert_non_null(strstr(err.text, "belongs to another user"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_is_private, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_keeps_one_generation, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_journal_follows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_journal_is_folded_in, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_discarded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_failed_creation, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_journal_without_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refuses_what_is_no_recording, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_takes_an_empty_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_follows_no_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sqlite_follows_no_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_leaves_a_running_one_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_name_is_no_uri, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_planted_journals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_journal_that_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_previous_of_another_user, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_changed_by_its_owner_only, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
