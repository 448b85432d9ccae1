/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting from start to end, without the options and the printing of `assay stat`. */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "session/stat_session.h"

struct seen {
	int results;
	size_t runs, events;
	char note[256];
};

static int take_result(void *context, const struct stat_result *result)
{
	struct seen *seen = context;

	seen->results++;
	seen->runs = result->table->run_count;
	seen->events = result->table->event_count;
	return 0;
}

static void take_note(void *context, const char *text)
{
	struct seen *seen = context;

	(void)snprintf(seen->note, sizeof(seen->note), "%s", text);
}

static struct stat_outcome count(char **command, uint64_t runs, struct seen *seen)
{
	static const char *const events[] = { "page-faults,context-switches" };
	const struct stat_options options = {
		.events = events,
		.event_count = 1,
		.target = STAT_COMMAND,
		.runs = runs,
		.command = command,
	};
	const struct stat_listener listener = {
		.notes = { .note = take_note, .context = seen },
		.result = take_result,
		.context = seen,
	};

	*seen = (struct seen){ 0 };
	return stat_session(&options, &listener);
}

static void runs_become_one_result(void **state)
{
	char *command[] = { "true", NULL };
	struct seen seen;
	struct stat_outcome outcome = count(command, 3, &seen);

	if (outcome.err.code == -EACCES || outcome.err.code == -EPERM)
		skip();
	assert_int_equal(outcome.err.code, 0);
	assert_int_equal(outcome.exit_status, 0);
	assert_int_equal(seen.results, 1);
	assert_int_equal(seen.runs, 3);
	assert_int_equal(seen.events, 2);
}

static void the_status_of_a_failed_run_is_kept(void **state)
{
	char *command[] = { "sh", "-c", "exit 7", NULL };
	struct seen seen;
	struct stat_outcome outcome = count(command, 1, &seen);

	if (outcome.err.code == -EACCES || outcome.err.code == -EPERM)
		skip();
	assert_int_equal(outcome.err.code, 0);
	assert_int_equal(outcome.exit_status, 7);
	assert_int_equal(seen.results, 1);
}

static void a_missing_command_gives_no_result(void **state)
{
	char *command[] = { "/nowhere/command", NULL };
	struct seen seen;
	struct stat_outcome outcome = count(command, 1, &seen);

	if (outcome.err.code == -EACCES || outcome.err.code == -EPERM)
		skip();
	assert_int_equal(outcome.exec_error, -ENOENT);
	assert_int_equal(outcome.err.code, -ENOENT);
	assert_non_null(strstr(outcome.err.text, "/nowhere/command"));
	assert_int_equal(seen.results, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_become_one_result),
		cmocka_unit_test(the_status_of_a_failed_run_is_kept),
		cmocka_unit_test(a_missing_command_gives_no_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
