/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording from start to end, without the options and messages of `assay record`. */
#include "support/test.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "session/record_session.h"
#include "store/recording.h"
#include "support/temp.h"

/* So little that some hundred processes are more than may stay in memory. */
#define MEMORY_BYTES (1u << 20)

struct heard {
	int notes, looks, releases;
	char last[512];
};

static void take_note(void *context, const char *text)
{
	struct heard *heard = context;

	heard->notes++;
	(void)snprintf(heard->last, sizeof(heard->last), "%s", text);
}

static int look(void *context, const struct session_sight *sight, struct err *err)
{
	struct heard *heard = context;

	heard->looks++;
	return SESSION_GO_ON;
}

static void release(void *context)
{
	struct heard *heard = context;

	heard->releases++;
}

static int no_input(void *context)
{
	return SESSION_GO_ON;
}

static struct record_outcome record(char **command, const char *path, struct heard *heard)
{
	const struct record_options options = {
		.capture = {
			.target = TARGET_COMMAND,
			.events = "task-clock",
			.frequency_hz = 999,
			.collector = COLLECTOR_RING,
			.callgraph = CALLGRAPH_FP,
		},
		.output = path,
		.flush_ms = 100,
		.no_calibration = true,
		.no_irq_time = true,
		.memory_bytes = MEMORY_BYTES,
		.command = command,
	};
	const struct session_listener listener = { .note = take_note, .context = heard };
	const struct session_watch watch = {
		.fd = -1,
		.on_flush = look,
		.on_release = release,
		.on_input = no_input,
		.context = heard,
		.is_kept = true,
	};

	*heard = (struct heard){ 0 };
	return record_session(&options, &listener, &watch);
}

static void leave_if_not_allowed(const struct record_outcome *outcome)
{
	if (outcome->err.code == -EACCES || outcome->err.code == -EPERM) {
		print_message("%s\n", outcome->err.text);
		skip();
	}
}

static void a_recording_is_written_and_announced(void **state)
{
	struct temp_dir *dir = *state;
	char path[PATH_MAX];
	char *command[] = { "sh", "-c", "exit 3", NULL };
	struct heard heard;
	struct record_outcome outcome;

	(void)snprintf(path, sizeof(path), "%s/run.assay", dir->path);
	outcome = record(command, path, &heard);
	leave_if_not_allowed(&outcome);
	assert_int_equal(outcome.err.code, 0);
	assert_true(outcome.have_recording);
	assert_int_equal(access(path, R_OK), 0);
	assert_true(heard.notes >= 2);
	assert_true(heard.looks >= 1);
	assert_non_null(strstr(heard.last, path));
	assert_int_equal(record_outcome_wait(&outcome, &(struct session_listener){ 0 }), 3);
}

static void a_missing_command_leaves_no_file(void **state)
{
	struct temp_dir *dir = *state;
	char path[PATH_MAX];
	char *command[] = { "/nowhere/command", NULL };
	struct heard heard;
	struct record_outcome outcome;

	(void)snprintf(path, sizeof(path), "%s/none.assay", dir->path);
	outcome = record(command, path, &heard);
	leave_if_not_allowed(&outcome);
	assert_int_equal(outcome.exec_error, -ENOENT);
	assert_false(outcome.have_recording);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(record_outcome_wait(&outcome, &(struct session_listener){ 0 }), 0);
}

/* What was written leaves memory, and is in the file. */
static void many_processes_leave_memory(void **state)
{
	struct temp_dir *dir = *state;
	char path[PATH_MAX];
	char *command[] = { "sh", "-c",
			    "i=0; while [ $i -lt 1500 ]; do /bin/true; i=$((i + 1)); done", NULL };
	struct recording *recording;
	struct record_outcome outcome;
	struct heard heard;
	struct model model;
	struct err err = { 0 };

	(void)snprintf(path, sizeof(path), "%s/run.assay", dir->path);
	outcome = record(command, path, &heard);
	leave_if_not_allowed(&outcome);
	assert_int_equal(outcome.err.code, 0);
	assert_true(heard.releases > 0);
	assert_int_equal(record_outcome_wait(&outcome, &(struct session_listener){ 0 }), 0);
	assert_int_equal(recording_open(path, &recording, &err), 0);
	assert_int_equal(model_init(&model), 0);
	assert_int_equal(recording_load(recording, &model, &err), 0);
	assert_true(model.processes.count > 100);
	for (size_t i = 1; i < model.processes.count; i++)
		assert_int_not_equal(model.processes.at[i].tgid, 0);
	for (size_t i = 1; i < model.threads.count; i++)
		assert_int_not_equal(model.threads.at[i].process, 0);
	for (size_t i = 1; i < model.mappings.count; i++)
		assert_true(model.mappings.at[i].end_addr > model.mappings.at[i].start_addr);
	model_fini(&model);
	recording_close(recording);
}

static int set_up(void **state)
{
	static struct temp_dir dir;

	dir = temp_dir_make();
	*state = &dir;
	return 0;
}

static int tear_down(void **state)
{
	struct temp_dir *dir = *state;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/run.assay", dir->path);
	(void)unlink(path);
	temp_dir_remove(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_recording_is_written_and_announced, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_missing_command_leaves_no_file, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(many_processes_leave_memory, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
