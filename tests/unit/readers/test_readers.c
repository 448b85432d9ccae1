/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers that do their job, that die, hang and lie, and that try to get out.
 */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sanitizer.h"
#include "base/write_all.h"
#include "readers/readers.h"
#include "support/forbidden_call.h"

/* ---- jobs ---- */

/* Replies with the first bytes of the file, and then the request. */
static int echo(struct reader_task *task)
{
	char bytes[8];
	ssize_t n = task->file_fd < 0 ? 0 : pread(task->file_fd, bytes, sizeof(bytes), 0);

	if (n < 0)
		return -errno;
	(void)write_all(task->reply_fd, bytes, (size_t)n);
	return write_all(task->reply_fd, task->request, task->request_bytes);
}

static int count(struct reader_task *task)
{
	uintptr_t number = (uintptr_t)*task->kept + 1;

	*task->kept = (void *)number;
	return write_all(task->reply_fd, &number, sizeof(number));
}

static int refuse(struct reader_task *task)
{
	return -ENOEXEC;
}

static int lie(struct reader_task *task)
{
	return 17;
}

/* Accesses memory that does not exist. */
static int crash(struct reader_task *task)
{
	*(volatile char *)(uintptr_t)task->request_bytes = 1;
	return 0;
}

static int spin(struct reader_task *task)
{
	for (volatile int i = 0;; i++)
		;
	return 0;
}

/* Waits for a message that never comes, as if for a file system. */
static int hang(struct reader_task *task)
{
	struct msghdr message = { 0 };

	return (int)recvmsg(0, &message, MSG_PEEK);
}

/* Writes to one page of each piece only: for all, an emulated machine needs too many seconds. */
static int hoard(struct reader_task *task)
{
	uint64_t bytes = 0;

	for (volatile char *at; bytes < READER_MEMORY_BYTES && (at = malloc(1 << 20)) != NULL;
	     bytes += 1 << 20)
		*at = 1;
	return write_all(task->reply_fd, &bytes, sizeof(bytes));
}

static int flood(struct reader_task *task)
{
	static const char bytes[1 << 20];
	int rc = 0;

	while (rc == 0)
		rc = write_all(task->reply_fd, bytes, sizeof(bytes));
	return rc;
}

/* Opens the file named by the request, and replies with its first bytes. */
static int open_other(struct reader_task *task)
{
	const char *path = (const char *)task->request;
	int fd = path[0] ? reader_open(path) : reader_find();

	if (fd < 0)
		return fd;
	(void)close(task->file_fd);
	task->file_fd = fd;
	return echo(&(struct reader_task){ .file_fd = fd, .reply_fd = task->reply_fd });
}

static int open_many(struct reader_task *task)
{
	for (;;) {
		int fd = reader_open("/etc/hostname");

		if (fd >= 0)
			(void)close(fd);
	}
	return 0;
}

static const struct forbidden_call forbidden[] = {
	FORBIDDEN(openat, AT_FDCWD, (long)"/etc/passwd", O_RDONLY),
	FORBIDDEN(openat2, AT_FDCWD, (long)"/etc/passwd", 0, 0),
	FORBIDDEN(unlinkat, AT_FDCWD, (long)"/nothing", 0),
	FORBIDDEN(renameat2, AT_FDCWD, (long)"/a", AT_FDCWD, (long)"/b", 0),
	FORBIDDEN(fchmodat, AT_FDCWD, (long)"/", 0777),
	FORBIDDEN(fchmod, 0, 0777),
	FORBIDDEN(mknodat, AT_FDCWD, (long)"/x", S_IFIFO),
	FORBIDDEN(socket, AF_INET, SOCK_STREAM, 0),
	FORBIDDEN(connect, 0, 0, 0),
	FORBIDDEN(bind, 0, 0, 0),
	FORBIDDEN(execve, (long)"/bin/true", 0, 0),
	FORBIDDEN(execveat, 0, (long)"", 0, 0, AT_EMPTY_PATH),
	FORBIDDEN(memfd_create, (long)"x", 0),
	FORBIDDEN(clone, SIGCHLD, 0, 0, 0, 0),
	FORBIDDEN(clone3, 0, 0),
	FORBIDDEN(kill, 1, 0),
	FORBIDDEN(tgkill, 1, 1, 0),
	FORBIDDEN(pidfd_open, 1, 0),
	FORBIDDEN(ptrace, PTRACE_TRACEME, 0, 0, 0),
	FORBIDDEN(process_vm_readv, 1, 0, 0, 0, 0, 0),
	FORBIDDEN(bpf, BPF_PROG_LOAD, 0, 0),
	FORBIDDEN(perf_event_open, 0, 0, -1, -1, 0),
	FORBIDDEN(io_uring_setup, 1, 0),
	FORBIDDEN(userfaultfd, 0),
	FORBIDDEN(mount, (long)"none", (long)"/", (long)"tmpfs", 0, 0),
	FORBIDDEN(unshare, 0),
	FORBIDDEN(setns, 0, 0),
	FORBIDDEN(chroot, (long)"/"),
	FORBIDDEN(setuid, 0),
	FORBIDDEN(keyctl, 0, 0, 0, 0, 0),
	FORBIDDEN(prctl, PR_SET_DUMPABLE, 1, 0, 0, 0),
	FORBIDDEN(mprotect, 0, 4096, PROT_READ | PROT_EXEC),
	FORBIDDEN(mmap, 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		  -1, 0),
	FORBIDDEN(ioctl, 0, 0x5401, 0),
	FORBIDDEN(fcntl, 0, F_SETOWN, 1),
	FORBIDDEN(dup3, 0, 7, 0),
	FORBIDDEN(prlimit64, 0, 0, 0, 0),
	FORBIDDEN(shmget, 0, 4096, 0600),
	FORBIDDEN(personality, 0),
	FORBIDDEN(reboot, 0, 0, 0, 0),
};

#define FORBIDDEN_COUNT (sizeof(forbidden) / sizeof(forbidden[0]))

/* Replies with the error of each call, and at last that of a look at a file's status. */
static int escape(struct reader_task *task)
{
	int results[FORBIDDEN_COUNT + 1];
	struct stat st;

	for (size_t i = 0; i < FORBIDDEN_COUNT; i++)
		results[i] = forbidden_call_try(&forbidden[i]);
	results[FORBIDDEN_COUNT] = stat("/etc/passwd", &st) < 0 ? errno : 0;
	return write_all(task->reply_fd, results, sizeof(results));
}

static const struct reader_job echo_job = { echo }, count_job = { count }, fail_job = { refuse },
			       lie_job = { lie }, crash_job = { crash }, spin_job = { spin },
			       hang_job = { hang }, hoard_job = { hoard }, flood_job = { flood },
			       open_job = { open_other }, open_many_job = { open_many },
			       escape_job = { escape };
static const struct reader_job *const jobs[] = {
	&echo_job, &count_job, &fail_job,  &lie_job,  &crash_job,     &spin_job,
	&hang_job, &hoard_job, &flood_job, &open_job, &open_many_job, &escape_job,
};

/* ---- the session's side ---- */

static int start(void **state)
{
	struct readers *readers;
	int rc = readers_new(jobs, sizeof(jobs) / sizeof(jobs[0]), &readers);

	*state = rc == 0 ? readers : NULL;
	return rc;
}

static int end(void **state)
{
	readers_free(*state);
	return 0;
}

static int ask(void **state, struct reader_question question, void *ret_reply, size_t size_bytes,
	       ssize_t *ret_bytes)
{
	int reply = -1;
	int rc = readers_ask(*state, &question, &reply);

	if (rc < 0) {
		assert_int_equal(reply, -1);
		return rc;
	}
	*ret_bytes = pread(reply, ret_reply, size_bytes, 0);
	(void)close(reply);
	return rc;
}

static int run_file(void **state, const struct reader_job *job, int file_fd)
{
	char reply[64];
	ssize_t n;

	return ask(state, (struct reader_question){ .job = job, .file_fd = file_fd }, reply,
		   sizeof(reply), &n);
}

static int run(void **state, const struct reader_job *job)
{
	return run_file(state, job, -1);
}

static void assert_still_works(void **state)
{
	const struct reader_question question = { &echo_job, -1, "still", 5, { 0 } };
	char reply[16];
	ssize_t n = 0;

	assert_int_equal(ask(state, question, reply, sizeof(reply), &n), 0);
	assert_int_equal(n, 5);
	assert_memory_equal(reply, "still", 5);
}

/* Makes an open file with @text that @uid owns. */
static int make_file(const char *text, uid_t uid)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, text, strlen(text)), 0);
	assert_int_equal(fchmod(fd, 0600), 0);
	assert_int_equal(fchown(fd, uid, (gid_t)-1), 0);
	return fd;
}

static uintptr_t counted(void **state, int file_fd)
{
	uintptr_t number = 0;
	ssize_t n = 0;

	assert_int_equal(ask(state,
			     (struct reader_question){ .job = &count_job, .file_fd = file_fd },
			     &number, sizeof(number), &n),
			 0);
	return number;
}

/* Reads a line of /proc/PID/status. */
static void read_status(long pid, const char *name, char *ret_value, size_t size_bytes)
{
	char path[64], line[256];
	_cleanup_fclose_ FILE *file = NULL;

	ret_value[0] = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%ld/status", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
			(void)snprintf(ret_value, size_bytes, "%s",
				       line + strlen(name) + 1 +
					       strspn(line + strlen(name) + 1, "\t "));
}

/* A child with seccomp is a reader, the other one is the nursery. */
static void each_child(void (*visit)(long pid, bool is_reader, void *context), void *context)
{
	char path[64], pids[256] = "", value[64], *at = pids;
	_cleanup_fclose_ FILE *file = NULL;
	int offset;
	long pid;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	assert_non_null(file);
	assert_non_null(fgets(pids, sizeof(pids), file));
	for (; sscanf(at, "%ld%n", &pid, &offset) == 1; at += offset) {
		read_status(pid, "Seccomp", value, sizeof(value));
		visit(pid, strcmp(value, "2\n") == 0, context);
	}
}

/* ---- tests ---- */

static void a_file_and_a_request_come_back(void **state)
{
	_cleanup_close_ int fd = make_file("file", geteuid());
	const struct reader_question question = { &echo_job, fd, "request", 7, { 0 } };
	char reply[16];
	ssize_t n = 0;

	assert_int_equal(ask(state, question, reply, sizeof(reply), &n), 0);
	assert_int_equal(n, 11);
	assert_memory_equal(reply, "filerequest", 11);
	/* the session's file is still open */
	assert_int_equal(run_file(state, &echo_job, fd), 0);
}

static void errors_of_a_job_come_back(void **state)
{
	static const struct reader_job unknown = { echo };

	assert_int_equal(run(state, &fail_job), -ENOEXEC);
	assert_int_equal(run(state, &lie_job), -EPROTO);
	assert_true(run(state, &unknown) < 0);
	assert_still_works(state);
}

static void a_reader_is_used_again(void **state)
{
	assert_int_equal(counted(state, -1), 1);
	assert_int_equal(counted(state, -1), 2);
	assert_int_equal(run(state, &crash_job), -EPIPE);
	assert_int_equal(counted(state, -1), 1);
}

/* What others may have written goes to another reader than what only we can have written. */
static void files_of_others_have_their_own_reader(void **state)
{
	_cleanup_close_ int ours = make_file("a", geteuid());
	_cleanup_close_ int open_to_all = make_file("b", geteuid());

	assert_int_equal(fchmod(open_to_all, 0666), 0);
	assert_int_equal(counted(state, ours), 1);
	assert_int_equal(counted(state, open_to_all), 1);
	assert_int_equal(counted(state, ours), 2);
	assert_int_equal(run_file(state, &crash_job, open_to_all), -EPIPE);
	assert_int_equal(counted(state, ours), 3);
	if (geteuid() == 0) {
		_cleanup_close_ int other = make_file("c", 4711);

		assert_int_equal(counted(state, other), 1);
		assert_int_equal(counted(state, ours), 4);
	}
}

static void one_that_crashes_costs_one_answer(void **state)
{
	assert_int_equal(run(state, &crash_job), -EPIPE);
	assert_still_works(state);
}

static void kill_reader(long pid, bool is_reader, void *context)
{
	if (is_reader)
		*(int *)context += kill((pid_t)pid, SIGKILL) == 0;
}

/* A death that the file did not cause, here of a reader that has nothing to do, costs nothing. */
static void one_that_is_killed_is_replaced(void **state)
{
	int killed = 0;

	assert_still_works(state);
	each_child(kill_reader, &killed);
	assert_int_equal(killed, 1);
	assert_still_works(state);
}

static void one_that_hangs_is_ended(void **state)
{
	assert_int_equal(run(state, &hang_job), -ETIMEDOUT);
	assert_still_works(state);
}

/* Each of its files would cost the session the same wait. */
static void a_silent_file_system_is_not_asked_again(void **state)
{
	int file = make_file("here", geteuid()), elsewhere = open("/proc/self/status", O_RDONLY);

	assert_true(elsewhere >= 0);
	assert_int_equal(run_file(state, &echo_job, file), 0);
	assert_int_equal(run_file(state, &hang_job, file), -ETIMEDOUT);
	assert_int_equal(run_file(state, &echo_job, file), -ETIMEDOUT);
	assert_int_equal(run_file(state, &echo_job, elsewhere), 0);
	assert_still_works(state);
	(void)close(elsewhere);
	(void)close(file);
}

static void cpu_time_is_limited(void **state)
{
	uint64_t before_ns = readers_cpu_ns(*state), used_ns;

	assert_int_equal(run(state, &spin_job), -EPIPE);
	/*
	 * It would spin for ever, so it was ended. The kernel counts time in which a host did not
	 * run the guest, so it can have more than the limit.
	 */
	used_ns = readers_cpu_ns(*state) - before_ns;
	assert_true(used_ns / 1000000000 >= READER_CPU_SECONDS - 1);
	assert_still_works(state);
}

static void memory_is_limited(void **state)
{
	const struct reader_question question = { .job = &hoard_job, .file_fd = -1 };
	uint64_t bytes = 0;
	ssize_t n = 0;

	assert_int_equal(ask(state, question, &bytes, sizeof(bytes), &n), 0);
	if (!HAS_ADDRESS_SANITIZER)
		assert_in_range(bytes, READER_MEMORY_BYTES / 2, READER_MEMORY_BYTES - 1);
}

static void the_reply_is_limited(void **state)
{
	assert_int_equal(run(state, &flood_job), -EPIPE);	/* SIGXFSZ */
	assert_still_works(state);
}

static int open_only_hostname(void *context, const char *path)
{
	++*(int *)context;
	return strcmp(path, "/etc/hostname") == 0 ? make_file("name", geteuid()) : -EACCES;
}

static int find_text(void *context)
{
	return make_file("found", geteuid());
}

static int open_through(void **state, const char *path, struct reader_files files,
			const char *expected)
{
	const struct reader_question question = { &open_job, -1, path, strlen(path) + 1, files };
	char reply[16] = "";
	ssize_t n = 0;
	int rc = ask(state, question, reply, sizeof(reply) - 1, &n);

	if (rc == 0)
		assert_string_equal(reply, expected);
	return rc;
}

static void a_reader_opens_what_the_session_allows(void **state)
{
	int calls = 0;
	const struct reader_files files = { &calls, open_only_hostname, find_text };
	const struct reader_files nothing = { &calls, NULL, NULL };

	assert_int_equal(open_through(state, "/etc/hostname", files, "name"), 0);
	assert_int_equal(open_through(state, "/etc/shadow", files, ""), -EACCES);
	assert_int_equal(open_through(state, "", files, "found"), 0);
	assert_int_equal(calls, 2);
	assert_int_equal(open_through(state, "/etc/hostname", nothing, ""), -EACCES);
	assert_int_equal(open_through(state, "", nothing, ""), -EACCES);
}

static void a_reader_that_opens_for_ever_is_ended(void **state)
{
	int calls = 0;
	const struct reader_question question = {
		.job = &open_many_job,
		.file_fd = -1,
		.files = { &calls, open_only_hostname, NULL },
	};
	char reply[16];
	ssize_t n = 0;

	assert_int_equal(ask(state, question, reply, sizeof(reply), &n), -EPIPE);
	assert_in_range(calls, READER_OPENS_MAX, 2 * (READER_OPENS_MAX + 1));
	assert_still_works(state);
}

static void nothing_gets_out(void **state)
{
	const struct reader_question question = { .job = &escape_job, .file_fd = -1 };
	int results[FORBIDDEN_COUNT + 1];
	ssize_t n = 0;

	assert_int_equal(ask(state, question, results, sizeof(results), &n), 0);
	assert_int_equal(n, sizeof(results));
	for (size_t i = 0; i < FORBIDDEN_COUNT; i++)
		if (results[i] != EPERM)
			fail_msg("%s: %s", forbidden[i].name, strerror(results[i]));
	if (geteuid() == 0)	/* others cannot change their root */
		assert_int_not_equal(results[FORBIDDEN_COUNT], 0);
}

static void has_no_rights(long pid, bool is_reader, void *context)
{
	char value[64];

	read_status(pid, "CapEff", value, sizeof(value));
	assert_string_equal(value, "0000000000000000\n");
	read_status(pid, "CapPrm", value, sizeof(value));
	assert_string_equal(value, "0000000000000000\n");
	read_status(pid, "NoNewPrivs", value, sizeof(value));
	assert_string_equal(value, "1\n");
	if (geteuid() == 0) {
		read_status(pid, "Uid", value, sizeof(value));
		assert_string_equal(value, "65534\t65534\t65534\t65534\n");
	}
	*(int *)context += is_reader ? 1 : 100;
}

static void children_have_no_rights(void **state)
{
	int count = 0;

	assert_still_works(state);
	each_child(has_no_rights, &count);
	assert_int_equal(count, 101);	/* the nursery and one reader */
}

static void nobody_remains(void **state)
{
	struct readers *readers;

	assert_int_equal(readers_new(jobs, 1, &readers), 0);
	assert_int_equal(run((void **)&readers, &echo_job), 0);
	readers_free(readers);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

int main(void)
{
#define WITH_READERS(test) cmocka_unit_test_setup_teardown(test, start, end)
	const struct CMUnitTest tests[] = {
		WITH_READERS(a_file_and_a_request_come_back),
		WITH_READERS(errors_of_a_job_come_back),
		WITH_READERS(a_reader_is_used_again),
		WITH_READERS(files_of_others_have_their_own_reader),
		WITH_READERS(one_that_crashes_costs_one_answer),
		WITH_READERS(one_that_is_killed_is_replaced),
		WITH_READERS(one_that_hangs_is_ended),
		WITH_READERS(a_silent_file_system_is_not_asked_again),
		WITH_READERS(cpu_time_is_limited),
		WITH_READERS(memory_is_limited),
		WITH_READERS(the_reply_is_limited),
		WITH_READERS(a_reader_opens_what_the_session_allows),
		WITH_READERS(a_reader_that_opens_for_ever_is_ended),
		WITH_READERS(nothing_gets_out),
		WITH_READERS(children_have_no_rights),
		cmocka_unit_test(nobody_remains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
