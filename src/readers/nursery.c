/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/nursery.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fd_message.h"
#include "readers/confine.h"

/* A reader that has used more CPU time than this makes room for one that has all of it. */
#define RETIRE_NS (READER_CPU_SECONDS * NS_PER_SEC / 2)
#define REQUEST_BYTES_MAX (UINT64_C(64) << 20)

/* ---- the reader ---- */

static int ask_for_file(const struct reader_message *message, size_t size_bytes)
{
	struct reader_message answer;
	_cleanup_close_ int fd = -1;
	int rc = fd_message_send(CONFINED_SOCKET, message, size_bytes, NULL, 0, 0);

	if (rc < 0)
		_exit(1);
	if (fd_message_receive(CONFINED_SOCKET, &answer, sizeof(answer), &fd, 1, 0) !=
	    READER_MESSAGE_HEAD)
		_exit(1);
	if (answer.rc < 0)
		return answer.rc;
	return fd < 0 ? -EIO : TAKE_FD(fd);
}

/* The files of a job that runs in this process; NULL: this is a reader. */
static const struct reader_files *files_here;

void reader_files_here(const struct reader_files *files)
{
	files_here = files;
}

int reader_open(const char *path)
{
	struct reader_message message = { .kind = READER_OPEN };
	size_t length = strlen(path);

	if (files_here)
		return files_here->open ? files_here->open(files_here->context, path) : -ENOENT;
	if (length >= sizeof(message.path))
		return -ENAMETOOLONG;
	memcpy(message.path, path, length + 1);
	return ask_for_file(&message, READER_MESSAGE_HEAD + length + 1);
}

int reader_find(void)
{
	const struct reader_message message = { .kind = READER_FIND };

	if (files_here)
		return files_here->find ? files_here->find(files_here->context) : -ENOENT;
	return ask_for_file(&message, READER_MESSAGE_HEAD);
}

int reader_load(int fd, uint64_t bytes_max, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_size > bytes_max)
		return -EBADMSG;
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	if (pread(fd, bytes, (size_t)st.st_size, 0) != st.st_size)
		return -EBADMSG;
	*ret_bytes = TAKE_PTR(bytes);
	*ret_size_bytes = (size_t)st.st_size;
	return 0;
}

/* Loads the request, and makes room for the reply. */
static int load_request(int exchange, uint8_t **ret_request, size_t *ret_bytes)
{
	int rc = reader_load(exchange, REQUEST_BYTES_MAX, ret_request, ret_bytes);

	if (rc < 0)
		return rc;
	return ftruncate(exchange, 0) < 0 || lseek(exchange, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int run_job(const struct reader_job *job, int exchange, int file, void **kept)
{
	_cleanup_free_ uint8_t *request = NULL;
	struct reader_task task = { .file_fd = file, .reply_fd = exchange, .kept = kept };
	int rc = load_request(exchange, &request, &task.request_bytes);

	task.request = request;
	if (rc == 0)
		rc = job->run(&task);
	if (task.file_fd >= 0)
		(void)close(task.file_fd);
	return rc;
}

static _Noreturn void serve(const struct reader_job *const *jobs, size_t job_count)
{
	void **kept = calloc(job_count, sizeof(*kept));

	while (kept) {
		struct reader_message message, done = { .kind = READER_DONE };
		int fds[2];
		ssize_t n = fd_message_receive(CONFINED_SOCKET, &message, sizeof(message), fds, 2,
					       0);

		if (n != READER_MESSAGE_HEAD || message.job >= job_count)
			_exit(n == 0 ? 0 : 1);
		done.rc = run_job(jobs[message.job], fds[0], fds[1], &kept[message.job]);
		(void)close(fds[0]);
		done.is_last = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) > RETIRE_NS;
		if (fd_message_send(CONFINED_SOCKET, &done, READER_MESSAGE_HEAD, NULL, 0, 0) < 0)
			break;
		if (done.is_last)
			_exit(0);
	}
	_exit(1);
}

static _Noreturn void become_reader(int socket, pid_t parent, const struct reader_job *const *jobs,
				    size_t job_count)
{
	confine_to_socket(socket);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	confine_limits(READER_MEMORY_BYTES, READER_REPLY_BYTES, READER_CPU_SECONDS);
	(void)confine_calls();
	serve(jobs, job_count);
}

/* ---- the nursery ---- */

/* Forks a child of our parent. The C library's fork() does not know this flag. */
static pid_t fork_sibling(void)
{
	long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);

	return pid < 0 ? -errno : (pid_t)pid;
}

_Noreturn void nursery_run(int socket, const struct reader_job *const *jobs, size_t job_count,
			   pid_t parent)
{
	(void)setsid();		/* ^C in the terminal is for the session */
	confine_to_socket(socket);
	confine_rights();
	/* after confine_rights(), as a change of the user clears it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	for (;;) {
		char byte;
		int32_t pid;
		int fd;
		ssize_t n = fd_message_receive(CONFINED_SOCKET, &byte, sizeof(byte), &fd, 1, 0);

		if (n != 1 || fd < 0)
			_exit(n == 0 ? 0 : 1);
		pid = fork_sibling();
		if (pid == 0)
			become_reader(fd, parent, jobs, job_count);
		(void)close(fd);
		if (fd_message_send(CONFINED_SOCKET, &pid, sizeof(pid), NULL, 0, 0) < 0)
			_exit(1);
	}
}
