/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that waits, runs, fails to run, or is abandoned. */
#include "support/test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/workload.h"
#include "support/temp.h"

static int run(char *const argv[])
{
	struct workload workload;
	int status;

	assert_int_equal(workload_start(&workload, argv, NULL), 0);
	assert_int_equal(workload_release(&workload, NULL), 0);
	status = workload_wait(&workload);
	workload_fini(&workload);
	return status;
}

static int run_shell(const char *script)
{
	char *const argv[] = { "sh", "-c", (char *)script, NULL };

	return run(argv);
}

static void test_exit_status(void **state)
{
	assert_int_equal(run_shell("exit 0"), 0);
	assert_int_equal(run_shell("exit 42"), 42);
	assert_int_equal(run_shell("kill -TERM $$"), 128 + SIGTERM);
	assert_int_equal(run_shell("kill -KILL $$"), 128 + SIGKILL);
}

/* The CPU time of a child that exited includes its own children, and reading it reaps nothing. */
static void test_cpu_time(void **state)
{
	char *const argv[] = { "sh", "-c", "sh -c 'for i in $(seq 50000); do :; done'; exit 3",
			       NULL };
	struct workload workload;
	struct pollfd exited;

	assert_int_equal(workload_start(&workload, argv, NULL), 0);
	assert_int_equal(workload_cpu_ns(&workload), 0);
	assert_int_equal(workload_release(&workload, NULL), 0);
	exited = (struct pollfd){ .fd = workload.pidfd, .events = POLLIN };
	assert_int_equal(poll(&exited, 1, 60000), 1);
	assert_true(workload_cpu_ns(&workload) > 0);
	assert_int_equal(workload_wait(&workload), 3);
	assert_int_equal(workload_cpu_ns(&workload), 0);
	workload_fini(&workload);
}

static void test_nothing_runs_before_release(void **state)
{
	struct temp_dir dir = temp_dir_make();
	char mark[128];
	char *const argv[] = { "touch", mark, NULL };
	struct workload workload;
	struct pollfd exited;

	(void)snprintf(mark, sizeof(mark), "%s/mark", dir.path);
	assert_int_equal(workload_start(&workload, argv, NULL), 0);
	exited = (struct pollfd){ .fd = workload.pidfd, .events = POLLIN };
	assert_int_equal(poll(&exited, 1, 50), 0);
	assert_int_equal(access(mark, F_OK), -1);
	assert_int_equal(workload_release(&workload, NULL), 0);
	assert_int_equal(poll(&exited, 1, 10000), 1);
	assert_int_equal(access(mark, F_OK), 0);
	assert_int_equal(workload_wait(&workload), 0);
	workload_fini(&workload);
	(void)unlink(mark);
	temp_dir_remove(&dir);
}

static void assert_not_run(const char *command, int code, int status)
{
	char *const argv[] = { (char *)command, NULL };
	struct workload workload;
	struct err err = { 0 };

	assert_int_equal(workload_start(&workload, argv, NULL), 0);
	assert_int_equal(workload_release(&workload, &err), code);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, command));
	assert_int_equal(workload_wait(&workload), status);
	workload_fini(&workload);
}

static void test_commands_that_cannot_run(void **state)
{
	char *const nothing[] = { NULL };
	struct workload workload;

	assert_not_run("no-such-command-anywhere", -ENOENT, 127);
	assert_not_run("/nowhere/command", -ENOENT, 127);
	assert_not_run("/tmp", -EACCES, 126);
	assert_int_equal(workload_start(&workload, nothing, NULL), -EINVAL);
}

static void test_given_up_unreleased(void **state)
{
	char *const argv[] = { "sleep", "1000", NULL };
	struct workload workload;

	assert_int_equal(workload_start(&workload, argv, NULL), 0);
	workload_fini(&workload);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_killed_at_the_gate(void **state)
{
	char *const argv[] = { "true", NULL };
	struct workload workload;
	struct pollfd exited;

	assert_int_equal(workload_start(&workload, argv, NULL), 0);
	exited = (struct pollfd){ .fd = workload.pidfd, .events = POLLIN };
	assert_int_equal(kill(workload.pid, SIGKILL), 0);
	assert_int_equal(poll(&exited, 1, 10000), 1);
	assert_int_equal(workload_release(&workload, NULL), 0);
	assert_int_equal(workload_wait(&workload), 128 + SIGKILL);
	workload_fini(&workload);
}

static void ignore_handler(int number)
{
	(void)number;
}

/*
 * Signals that are blocked and handled in this process have their defaults in the child. Ignored
 * signals stay ignored, except SIGPIPE.
 */
static void test_signals_of_the_child(void **state)
{
	sigset_t blocked, before;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &blocked, &before);
	(void)signal(SIGTERM, ignore_handler);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	assert_int_equal(run_shell("kill -INT $$; exit 1"), 128 + SIGINT);
	assert_int_equal(run_shell("kill -TERM $$; exit 1"), 128 + SIGTERM);
	assert_int_equal(run_shell("kill -PIPE $$; exit 1"), 128 + SIGPIPE);
	assert_int_equal(run_shell("kill -HUP $$; exit 1"), 1);
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_status),
		cmocka_unit_test(test_cpu_time),
		cmocka_unit_test(test_nothing_runs_before_release),
		cmocka_unit_test(test_commands_that_cannot_run),
		cmocka_unit_test(test_given_up_unreleased),
		cmocka_unit_test(test_killed_at_the_gate),
		cmocka_unit_test(test_signals_of_the_child),
	};

	/*
	 * A test that was started with nohup or & may inherit ignored signals, and its children
	 * would, too.
	 */
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
