/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fd_message.h"
#include "base/vec.h"
#include "base/write_all.h"
#include "readers/confine.h"
#include "readers/nursery.h"

#define SLICE_MS 100
#define KILL_AFTER_MS 10
#define END_WAIT_MS 200
#define ATTEMPTS 2
#define ERRNO_MAX 4095

struct child {
	int socket;		/* -1: there is none */
	pid_t pid;
};

enum { READER_OF_OTHERS, READER_OF_OURS, READER_COUNT };

struct readers {
	const struct reader_job *const *jobs;
	size_t job_count;
	struct child nursery;
	struct child children[READER_COUNT];
	VEC(pid_t) leaving;	/* readers that were told to end and may still hang */
	VEC(dev_t) silent;	/* file systems that did not answer a reader */
	uint64_t ended_cpu_ns;	/* CPU time of the readers that are gone */
	uint64_t told_cpu_ns;	/* what readers_cpu_ns() returned last */
};

bool readers_are_useful(void)
{
	return confine_is_useful();
}

bool readers_trust(int fd)
{
	struct statx st;

	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UID | STATX_MODE, &st) ==
		       0 &&
	       (st.stx_uid == 0 || st.stx_uid == geteuid()) && !(st.stx_mode & (S_IWGRP | S_IWOTH));
}

/* ---- children ---- */

static uint64_t child_cpu_ns(const struct child *child)
{
	return child->socket >= 0 ? clock_process_cpu_ns(child->pid) : 0;
}

/* The time of a reader is unknown from its end until it was reaped. The sum must not fall then. */
uint64_t readers_cpu_ns(struct readers *readers)
{
	uint64_t cpu_ns = readers->ended_cpu_ns + child_cpu_ns(&readers->nursery);

	for (size_t i = 0; i < READER_COUNT; i++)
		cpu_ns += child_cpu_ns(&readers->children[i]);
	if (cpu_ns > readers->told_cpu_ns)
		readers->told_cpu_ns = cpu_ns;
	return readers->told_cpu_ns;
}

static uint64_t time_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_SEC + (uint64_t)time->tv_usec * NS_PER_USEC;
}

/* Returns true if the child has ended and is gone now. */
static bool reap(struct readers *readers, pid_t pid, int *ret_status)
{
	struct rusage used;

	if (wait4(pid, ret_status, WNOHANG, &used) != pid)
		return false;
	readers->ended_cpu_ns += time_ns(&used.ru_utime) + time_ns(&used.ru_stime);
	return true;
}

/*
 * Ends a child, which has KILL_AFTER_MS to end by itself now that its socket is closed. One that
 * hangs in the kernel may need a while after it was killed, and is not waited for. Returns the
 * signal that ended the child, or 0.
 */
static int end_child(struct readers *readers, struct child *child)
{
	int status = 0;
	pid_t *pid;

	if (child->socket < 0)
		return 0;
	(void)close(child->socket);
	child->socket = -1;
	for (int ms = 0; ms < END_WAIT_MS; ms++) {
		if (reap(readers, child->pid, &status))
			return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		if (ms == KILL_AFTER_MS)
			(void)kill(child->pid, SIGKILL);
		(void)usleep(1000);
	}
	pid = vec_push(&readers->leaving);
	if (pid)
		*pid = child->pid;
	return 0;
}

static void reap_leaving(struct readers *readers)
{
	size_t kept = 0;
	int status;

	for (size_t i = 0; i < readers->leaving.count; i++)
		if (!reap(readers, readers->leaving.at[i], &status))
			readers->leaving.at[kept++] = readers->leaving.at[i];
	readers->leaving.count = kept;
}

static int open_sockets(int sockets[static 2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0 ? -errno : 0;
}

static int start_nursery(struct readers *readers, const struct reader_job *const *jobs,
			 size_t job_count)
{
	pid_t parent = getpid(), pid;
	int sockets[2];
	int rc = open_sockets(sockets);

	if (rc < 0)
		return rc;
	pid = fork();
	if (pid == 0)
		nursery_run(sockets[1], jobs, job_count, parent);
	rc = -errno;
	(void)close(sockets[1]);
	if (pid < 0) {
		(void)close(sockets[0]);
		return rc;
	}
	readers->nursery = (struct child){ .socket = sockets[0], .pid = pid };
	return 0;
}

static int start_reader(struct readers *readers, struct child *child)
{
	int32_t pid = -EIO;
	int sockets[2];
	int rc = open_sockets(sockets);

	if (rc < 0)
		return rc;
	rc = fd_message_send(readers->nursery.socket, "", 1, &sockets[1], 1, 0);
	(void)close(sockets[1]);
	if (rc == 0 && fd_message_receive(readers->nursery.socket, &pid, sizeof(pid), NULL, 0, 0) !=
			       sizeof(pid))
		rc = -EIO;
	if (rc == 0 && pid <= 0)
		rc = pid < 0 ? pid : -EIO;
	if (rc < 0) {
		(void)close(sockets[0]);
		return rc;
	}
	*child = (struct child){ .socket = sockets[0], .pid = pid };
	return 0;
}

int readers_new(const struct reader_job *const *jobs, size_t job_count,
		struct readers **ret_readers)
{
	struct readers *readers = calloc(1, sizeof(*readers));
	int rc;

	if (!readers)
		return -ENOMEM;
	readers->jobs = jobs;
	readers->job_count = job_count;
	for (size_t i = 0; i < READER_COUNT; i++)
		readers->children[i].socket = -1;
	rc = start_nursery(readers, jobs, job_count);
	if (rc < 0) {
		free(readers);
		return rc;
	}
	*ret_readers = readers;
	return 0;
}

void readers_free(struct readers *readers)
{
	if (!readers)
		return;
	for (size_t i = 0; i < READER_COUNT; i++)
		(void)end_child(readers, &readers->children[i]);
	(void)end_child(readers, &readers->nursery);
	reap_leaving(readers);
	vec_free(&readers->leaving);
	vec_free(&readers->silent);
	free(readers);
}

/* ---- file systems that do not answer ---- */

/* Returns the device of a file, without asking its file system, or 0. */
static dev_t device_of(int fd)
{
	struct statx st;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &st) < 0)
		return 0;
	return makedev(st.stx_dev_major, st.stx_dev_minor);
}

static bool is_silent(const struct readers *readers, dev_t dev)
{
	for (size_t i = 0; i < readers->silent.count; i++)
		if (readers->silent.at[i] == dev)
			return true;
	return false;
}

static void note_silent(struct readers *readers, dev_t dev)
{
	dev_t *noted = dev ? vec_push(&readers->silent) : NULL;

	if (noted)
		*noted = dev;
}

/* ---- one job ---- */

/* Returns true if the process runs or could run. It is false while it waits for a file system. */
static bool is_runnable(pid_t pid)
{
	char path[32], state = 'R';
	_cleanup_fclose_ FILE *file = NULL;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	return !file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1 || state == 'R';
}

/*
 * Waits for a message. Returns 0, -EBUSY if the reader stands still, or -ETIMEDOUT if it takes too
 * long.
 */
static int await_message(const struct child *child, uint64_t deadline_ns)
{
	struct pollfd wait = { .fd = child->socket, .events = POLLIN };
	uint64_t cpu_ns = child_cpu_ns(child), still_ms = 0;

	while (TEMP_FAILURE_RETRY(poll(&wait, 1, SLICE_MS)) == 0) {
		uint64_t now_ns = child_cpu_ns(child);

		still_ms = now_ns == cpu_ns && !is_runnable(child->pid) ? still_ms + SLICE_MS : 0;
		cpu_ns = now_ns;
		if (still_ms >= READER_STALL_MS)
			return -EBUSY;
		if (clock_monotonic_ns() > deadline_ns)
			return -ETIMEDOUT;
	}
	return 0;
}

static int receive(const struct child *child, uint64_t deadline_ns, struct reader_message *message)
{
	ssize_t n;
	int rc = await_message(child, deadline_ns);

	if (rc < 0)
		return rc;
	n = fd_message_receive(child->socket, message, sizeof(*message), NULL, 0, MSG_DONTWAIT);
	return n < (ssize_t)READER_MESSAGE_HEAD ? -EPIPE : (int)n;
}

static bool has_path(const struct reader_message *message, size_t size_bytes)
{
	size_t path_bytes = size_bytes - READER_MESSAGE_HEAD;

	return path_bytes > 0 && memchr(message->path, '\0', path_bytes) != NULL;
}

static int send_file(const struct child *child, const struct reader_files *files,
		     const struct reader_message *message, size_t size_bytes)
{
	struct reader_message answer = { .kind = READER_FILE };
	_cleanup_close_ int fd = -EACCES;

	if (message->kind == READER_FIND && files->find)
		fd = files->find(files->context);
	else if (message->kind == READER_OPEN && files->open && has_path(message, size_bytes))
		fd = files->open(files->context, message->path);
	answer.rc = fd < 0 ? fd : 0;
	return fd_message_send(child->socket, &answer, READER_MESSAGE_HEAD, &fd, fd < 0 ? 0 : 1,
			       MSG_DONTWAIT);
}

/*
 * Receives what the reader sends, until it is done. Returns 0, -EPIPE, -ETIMEDOUT, or -EBUSY if the
 * file of the question does not answer. *@ret_done is the reader's last message. The reader's time
 * does not pass while a file is found for it.
 */
static int talk(const struct child *child, const struct reader_files *files,
		struct reader_message *ret_done)
{
	uint64_t deadline_ns = clock_monotonic_ns() + READER_WALL_SECONDS * NS_PER_SEC, asked_ns;

	for (size_t open_count = 0; open_count <= READER_OPENS_MAX; open_count++) {
		int n = receive(child, deadline_ns, ret_done);

		if (n < 0)
			return n == -EBUSY && open_count ? -ETIMEDOUT : n;
		if (ret_done->kind == READER_DONE)
			return 0;
		asked_ns = clock_monotonic_ns();
		if (send_file(child, files, ret_done, (size_t)n) < 0)
			return -EPIPE;
		deadline_ns += clock_monotonic_ns() - asked_ns;
	}
	return -EPIPE;
}

/* Returns true for signals that a process gets for what it does itself. */
static bool is_own_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGFPE ||
	       signal == SIGILL || signal == SIGTRAP || signal == SIGXCPU || signal == SIGXFSZ;
}

static int write_request(const struct reader_question *question)
{
	_cleanup_close_ int exchange = memfd_create("assay-exchange", MFD_CLOEXEC);
	int rc;

	if (exchange < 0)
		return -errno;
	rc = write_all(exchange, question->request, question->request_bytes);
	return rc < 0 ? rc : TAKE_FD(exchange);
}

static uint32_t job_number(const struct readers *readers, const struct reader_job *job)
{
	size_t i = 0;

	while (i < readers->job_count && readers->jobs[i] != job)
		i++;
	return (uint32_t)i;
}

/*
 * Runs the job once. Returns 0 if the reader answered; *@ret_rc is then the result of the job, and
 * *@ret_reply the file with the reply. If the reader stands still, ends it and returns an error of
 * talk(). If it died, returns -EPIPE, or -EAGAIN if something else than the job may have been the
 * cause.
 */
static int ask_once(struct readers *readers, struct child *child,
		    const struct reader_question *question, int *ret_rc, int *ret_reply)
{
	struct reader_message message = { .kind = READER_JOB,
					  .job = job_number(readers, question->job) };
	_cleanup_close_ int exchange = write_request(question);
	int fds[] = { exchange, question->file_fd };
	int signal = 0, rc;

	if (exchange < 0)
		return exchange;
	rc = fd_message_send(child->socket, &message, READER_MESSAGE_HEAD, fds,
			     question->file_fd < 0 ? 1 : 2, MSG_DONTWAIT);
	rc = rc < 0 ? -EPIPE : talk(child, &question->files, &message);
	if (rc < 0 || message.is_last)
		signal = end_child(readers, child);
	if (rc < 0)
		return rc == -EPIPE && !is_own_fault(signal) ? -EAGAIN : rc;
	*ret_rc = message.rc > 0 || message.rc < -ERRNO_MAX ? -EPROTO : message.rc;
	*ret_reply = TAKE_FD(exchange);
	return 0;
}

int readers_ask(struct readers *readers, const struct reader_question *question, int *ret_reply)
{
	bool is_ours = question->file_fd < 0 || readers_trust(question->file_fd);
	dev_t dev = device_of(question->file_fd);
	struct child *child = &readers->children[is_ours ? READER_OF_OURS : READER_OF_OTHERS];
	int rc = 0, job_rc = 0, reply = -1;

	reap_leaving(readers);
	if (is_silent(readers, dev))
		return -ETIMEDOUT;
	for (int i = 0; i < ATTEMPTS; i++) {
		rc = child->socket < 0 ? start_reader(readers, child) : 0;
		if (rc < 0)
			return rc;
		rc = ask_once(readers, child, question, &job_rc, &reply);
		if (rc != -EAGAIN)
			break;
	}
	if (rc == -EBUSY)
		note_silent(readers, dev);
	if (rc < 0)
		return rc == -EAGAIN ? -EPIPE : rc == -EBUSY ? -ETIMEDOUT : rc;
	if (job_rc < 0)
		(void)close(reply);
	else
		*ret_reply = reply;
	return job_rc;
}

/* Runs the job in this process. */
static int run_here(const struct reader_question *question, int *ret_reply)
{
	struct reader_task task = {
		.file_fd = fcntl(question->file_fd, F_DUPFD_CLOEXEC, 0),
		.request = question->request,
		.request_bytes = question->request_bytes,
	};
	int rc;

	if (task.file_fd < 0)
		return -errno;
	task.reply_fd = memfd_create("assay-reply", MFD_CLOEXEC);
	reader_files_here(&question->files);
	rc = task.reply_fd < 0 ? -errno : question->job->run(&task);
	reader_files_here(NULL);
	if (task.file_fd >= 0)
		(void)close(task.file_fd);
	if (rc < 0 && task.reply_fd >= 0)
		(void)close(task.reply_fd);
	else if (rc == 0)
		*ret_reply = task.reply_fd;
	return rc;
}

int readers_ask_all(struct readers *readers, const struct reader_question *question,
		    uint64_t bytes_max, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	_cleanup_close_ int reply = -1;
	int rc = readers ? readers_ask(readers, question, &reply) : run_here(question, &reply);

	return rc < 0 ? rc : reader_load(reply, bytes_max, ret_bytes, ret_size_bytes);
}

int readers_ask_text(struct readers *readers, const struct reader_job *job, int file_fd,
		     const char *text, uint64_t bytes_max, uint8_t **ret_bytes,
		     size_t *ret_size_bytes)
{
	const struct reader_question question = {
		.job = job,
		.file_fd = file_fd,
		.request = text,
		.request_bytes = strlen(text) + 1,
	};

	if (question.request_bytes > READER_TEXT_BYTES)
		return -ENAMETOOLONG;
	return readers_ask_all(readers, &question, bytes_max, ret_bytes, ret_size_bytes);
}
