/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests what programs are called by their arguments, and what they are not believed. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/program_name.h"
#include "support/temp.h"

/* @line has the arguments after the first one, separated by blanks. */
static void assert_named(const char *called, const char *line, const char *expected)
{
	char text[256], name[PROGRAM_NAME_MAX];
	int length = snprintf(text, sizeof(text), "%s %s", called, line);

	for (int i = 0; i < length; i++)
		if (text[i] == ' ')
			text[i] = '\0';
	program_name_of(called, &(struct program_arguments){ text, (size_t)length + 1 }, name);
	assert_string_equal(name, expected);
}

static void a_program_is_named_after_its_first_argument(void **state)
{
	assert_named("/usr/bin/redis-server", "*:6379", "redis-server");
	assert_named("cat", "secret", "cat");
	assert_named("pythonic", "app.py", "pythonic");
	assert_named("./python3-config", "app.py", "python3-config");
}

static void an_interpreter_is_named_after_its_script(void **state)
{
	assert_named("/usr/bin/python3", "/srv/app.py --password x", "python3 app.py");
	assert_named("python3.11", "-u -W ignore -X dev app.py", "python3.11 app.py");
	assert_named("python3", "-uWignore app.py", "python3 app.py");
	assert_named("python3", "-m http.server 8000", "python3 -m http.server");
	assert_named("python3", "-Im http.server", "python3 -m http.server");
	assert_named("node", "--require dotenv --max-old-space-size=99 server.js",
		     "node server.js");
	assert_named("nodejs", "-r x/y server.js", "nodejs server.js");
	assert_named("java", "-Xmx1g -cp a.jar:b.jar org.example.Main x", "java org.example.Main");
	assert_named("/usr/bin/java", "-server -jar /opt/x.jar", "java -jar x.jar");
	assert_named("java", "--module-path mods -m a.b/c.D", "java -m c.D");
	assert_named("perl", "-w -I lib -Mstrict tool.pl", "perl tool.pl");
	assert_named("ruby", "-r json -W0 bin/rails server", "ruby rails");
	assert_named("php", "-d x=y -f index.php", "php -f index.php");
	assert_named("php8.2", "index.php", "php8.2 index.php");
	assert_named("bash", "-x -o pipefail ./run.sh", "bash run.sh");
	assert_named("sh", "+e -- -odd", "sh -odd");
}

/* Code and input that is no file stay out of the name. */
static void without_a_script_the_interpreter_is_the_name(void **state)
{
	assert_named("python3", "-c print('secret') app.py", "python3");
	assert_named("python3", "-", "python3");
	assert_named("node", "-e secret", "node");
	assert_named("node", "--eval secret", "node");
	assert_named("perl", "-ne secret file", "perl");
	assert_named("ruby", "-e secret", "ruby");
	assert_named("php", "-r secret", "php");
	assert_named("bash", "-c secret", "bash");
	assert_named("sh", "-ec secret", "sh");
	assert_named("java", "@secret", "java");
	assert_named("java", "-cp", "java");
	assert_named("bash", "", "bash");
}

/* The last argument was cut off, so it has no NUL. */
static void an_argument_that_is_not_whole_is_not_used(void **state)
{
	static const char text[] = "java\0-cp\0a.jar:b";
	char name[PROGRAM_NAME_MAX];

	program_name_of("java", &(struct program_arguments){ text, sizeof(text) - 1 }, name);
	assert_string_equal(name, "java");
	program_name_of("java", &(struct program_arguments){ text, 0 }, name);
	assert_string_equal(name, "java");
}

static void long_names_are_cut(void **state)
{
	char text[1024], name[PROGRAM_NAME_MAX];

	memset(text, 'x', sizeof(text));
	memcpy(text, "sh", 3);
	text[sizeof(text) - 1] = '\0';
	program_name_of("sh", &(struct program_arguments){ text, sizeof(text) }, name);
	assert_int_equal(strlen(name), PROGRAM_NAME_MAX - 1);
}

/* ---- running programs ---- */

/*
 * The test makes its own programs, because machines differ in theirs: sleep is a link to busybox on
 * some. Each program is a copy of this one, which sleeps if it is started with this argument.
 */
#define SLEEP "sleep"

static void temp_program(struct temp_dir *dir, const char *name)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(bytes != MAP_FAILED);
	assert_int_equal(chmod(temp_file(dir, name, bytes, (size_t)status.st_size), 0700), 0);
	(void)munmap(bytes, (size_t)status.st_size);
}

/*
 * Starts @path with @first as its first argument, in the directory @cwd. The test fails if it
 * cannot be started.
 */
static pid_t start(const char *cwd, const char *path, const char *first)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (chdir(cwd) == 0)
			(void)execl(path, first, SLEEP, (char *)NULL);
		(void)!write(ready[1], "", 1);
		_exit(1);
	}
	(void)close(ready[1]);
	if (read(ready[0], &byte, 1) != 0)	/* exec closes the other end */
		fail_msg("%s cannot be executed", path);
	(void)close(ready[0]);
	return pid;
}

/* exec closes the pipe before /proc shows the new arguments. */
static void wait_for_arguments(pid_t pid, const char *first)
{
	char path[64], text[8192];
	ssize_t length = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	do {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		length = read(fd, text, sizeof(text) - 1);
		(void)close(fd);
		text[length > 0 ? length : 0] = '\0';
		(void)usleep(100);
	} while (length <= 0 || strcmp(text, first) != 0);
}

static void assert_running(const char *cwd, const char *path, const char *first,
			   const char *expected)
{
	char name[PROGRAM_NAME_MAX] = "";
	pid_t pid = start(cwd, path, first);
	struct program_reader reader = { 0 };
	int rc;

	wait_for_arguments(pid, first);
	rc = program_name_read(&reader, (uint32_t)pid, name);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	assert_int_equal(rc, expected ? 0 : -ENOENT);
	assert_string_equal(name, expected ? expected : "");
}

static void only_a_name_that_leads_to_the_file_is_believed(void **state)
{
	struct temp_dir dir = temp_dir_make();
	char program[PATH_MAX], unlike[PATH_MAX], other[PATH_MAX], title[PATH_MAX + 16];

	temp_program(&dir, "sleep");
	temp_program(&dir, "cat");
	(void)snprintf(program, sizeof(program), "%s/sleep", dir.path);
	(void)snprintf(unlike, sizeof(unlike), "%s/cat", dir.path);
	(void)snprintf(other, sizeof(other), "%s/server", dir.path);
	assert_int_equal(symlink(program, other), 0);
	/*
	 * A cached look-up cannot write the access time of a link, so it fails as long as that time
	 * is not later than the time of the last change. exec writes it, a clock tick later.
	 */
	(void)usleep(50000);
	assert_running("/", other, other, "server");
	assert_running(dir.path, other, "./server", "server");
	assert_running("/", other, "./server", NULL);
	assert_running("/", program, "sleep", "sleep");
	assert_running("/", program, "-sleep", "sleep");
	assert_running("/", program, "sshd", NULL);
	assert_running("/", program, unlike, NULL);
	assert_running("/", program, "", NULL);
	assert_running("/", program, "sleep: worker process", "sleep");
	(void)snprintf(title, sizeof(title), "%s *:6379", other);
	assert_running("/", other, title, "server");
	(void)unlink(other);
	temp_dir_remove(&dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_is_named_after_its_first_argument),
		cmocka_unit_test(an_interpreter_is_named_after_its_script),
		cmocka_unit_test(without_a_script_the_interpreter_is_the_name),
		cmocka_unit_test(an_argument_that_is_not_whole_is_not_used),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(only_a_name_that_leads_to_the_file_is_believed),
	};

	if (argc == 2 && strcmp(argv[1], SLEEP) == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)pause();
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
