/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/opener_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd_message.h"
#include "elf/regular_file.h"
#include "readers/confine.h"

#define LOOK_TRIES 8
#define FIRST_BYTES 64	/* a worker reads so much, to see whether reads are answered */

int opener_look(int dir_fd, const char *path, bool in_root)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_CACHED | (in_root ? RESOLVE_IN_ROOT : 0),
	};
	int fd = -1;

	/* A look-up also fails if a directory changes meanwhile. */
	for (int i = 0; i < LOOK_TRIES && fd < 0; i++) {
		fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
		if (fd < 0 && errno != EAGAIN)
			return errno == EINVAL ? -EAGAIN : -errno;
	}
	return fd < 0 ? -EAGAIN : fd;
}

/* Sends @fd, or the error that it is. */
static int reply(int fd)
{
	int32_t rc = fd < 0 ? fd : 0;

	return fd_message_send(CONFINED_SOCKET, &rc, sizeof(rc), &fd, fd < 0 ? 0 : 1, 0);
}

/* If a worker hangs, it outlives its parent, so it must not have the parent's descriptors. */
static void begin(int socket, pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	confine_to_socket(socket);
}

static _Noreturn void run_worker(int socket, pid_t parent)
{
	char path[PATH_MAX + 1], first[FIRST_BYTES];

	begin(socket, parent);
	for (;;) {
		ssize_t length = recv(CONFINED_SOCKET, path, PATH_MAX, 0);
		int fd;

		if (length <= 0)
			_exit(0);
		path[length] = '\0';
		fd = regular_file_open(AT_FDCWD, path, 0);
		if (fd >= 0)
			(void)!pread(fd, first, sizeof(first), 0);
		if (reply(fd) < 0)
			_exit(1);
		if (fd >= 0)
			(void)close(fd);
	}
}

static int start_worker(int socket, pid_t parent)
{
	int32_t pid;

	if (socket < 0)
		return -EINVAL;
	/* The C library's fork() does not know this flag. */
	pid = (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		run_worker(socket, parent);
	if (pid < 0)
		pid = -errno;
	return fd_message_send(CONFINED_SOCKET, &pid, sizeof(pid), NULL, 0, 0);
}

static int look(const struct opener_request *request, int dir_fd)
{
	_cleanup_close_ int fd = opener_look(dir_fd < 0 ? AT_FDCWD : dir_fd, request->path,
					     request->in_root);

	return reply(fd);
}

_Noreturn void opener_child_run(int socket, pid_t parent)
{
	(void)setsid();	/* ^C does not end it before its parent */
	begin(socket, parent);
	confine_to_opening();
	for (;;) {
		struct opener_request request;
		_cleanup_close_ int fd = -1;
		ssize_t n = fd_message_receive(CONFINED_SOCKET, &request, sizeof(request), &fd, 1,
					       0);

		if (n < (ssize_t)OPENER_REQUEST_HEAD)
			_exit(n == 0 ? 0 : 1);
		request.path[sizeof(request.path) - 1] = '\0';
		if ((request.kind == OPENER_LOOK ? look(&request, fd) : start_worker(fd, parent)) <
		    0)
			_exit(1);
	}
}
