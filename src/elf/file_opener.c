/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/file_opener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fd_message.h"
#include "base/vec.h"
#include "elf/mounts.h"
#include "elf/opener_child.h"
#include "elf/regular_file.h"

#define END_WAIT_MS 20

struct opener_child {
	int socket;		/* -1: there is none */
	pid_t pid;
};

struct file_opener {
	struct mounts mounts;
	VEC(dev_t) silent;	/* file systems that did not answer */
	VEC(int) doubtful;	/* descriptors of files whose file system might not answer */
	size_t kept_count;	/* those that file_opener_close() left open */
	int timeout_count;
	struct opener_child child, worker;
	bool may_not_look;	/* the child has to */
};

int file_opener_new(struct file_opener **ret_opener)
{
	struct file_opener *opener = calloc(1, sizeof(*opener));

	if (!opener)
		return -ENOMEM;
	opener->child.socket = -1;
	opener->worker.socket = -1;
	mounts_init(&opener->mounts);
	*ret_opener = opener;
	return 0;
}

/* A child that hangs in the kernel may need a while to end. It is not waited for long. */
static void end_child(struct opener_child *child)
{
	if (child->socket < 0)
		return;
	(void)close(child->socket);
	child->socket = -1;
	(void)kill(child->pid, SIGKILL);
	for (int ms = 0; ms < END_WAIT_MS; ms++) {
		if (waitpid(child->pid, NULL, WNOHANG) != 0)
			return;
		(void)usleep(1000);
	}
}

/* Like fork(2), but both processes have one table of descriptors. */
static pid_t fork_with_descriptors(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
}

/*
 * The last process that has a descriptor closes it when it exits. The child ends right after this
 * process, and by then nobody waits for it. It closes standard output first, as descriptors are
 * closed in their order.
 */
static void leave_kept_files(void)
{
	pid_t parent = getpid();

	if (fork_with_descriptors() != 0)
		return;
	(void)setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		_exit(1);
	while (getppid() == parent)
		(void)pause();
	_exit(0);
}

void file_opener_free(struct file_opener *opener)
{
	if (!opener)
		return;
	if (opener->kept_count)
		leave_kept_files();
	end_child(&opener->worker);
	end_child(&opener->child);
	mounts_fini(&opener->mounts);
	vec_free(&opener->silent);
	vec_free(&opener->doubtful);
	free(opener);
}

/* ---- the children ---- */

static int start_child(struct file_opener *opener)
{
	pid_t parent = getpid(), pid;
	int sockets[2];

	if (opener->child.socket >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		opener_child_run(sockets[1], parent);
	(void)close(sockets[1]);
	if (pid < 0) {
		(void)close(sockets[0]);
		return -EAGAIN;
	}
	opener->child = (struct opener_child){ sockets[0], pid };
	return 0;
}

void file_opener_begin(struct file_opener *opener)
{
	(void)start_child(opener);
}

static uint64_t child_cpu_ns(const struct opener_child *child)
{
	return child->socket >= 0 ? clock_process_cpu_ns(child->pid) : 0;
}

uint64_t file_opener_cpu_ns(const struct file_opener *opener)
{
	return child_cpu_ns(&opener->child) + child_cpu_ns(&opener->worker);
}

/* Asks the child, which never waits. Returns its answer, and a descriptor if it sends one. */
static int ask_child(struct file_opener *opener, const struct opener_request *request, int fd,
		     int *ret_fd)
{
	int32_t answer = -EIO;
	int rc = start_child(opener);

	if (rc == 0)
		rc = fd_message_send(opener->child.socket, request,
				     OPENER_REQUEST_HEAD + strlen(request->path) + 1, &fd,
				     fd < 0 ? 0 : 1, 0);
	if (rc == 0 && fd_message_receive(opener->child.socket, &answer, sizeof(answer), ret_fd,
					  ret_fd ? 1 : 0, 0) != sizeof(answer))
		rc = -EIO;
	if (rc == 0)
		return answer;
	/* Another child of a process that gave up its rights can still make workers. */
	end_child(&opener->child);
	return rc;
}

static int start_worker(struct file_opener *opener)
{
	const struct opener_request request = { .kind = OPENER_WORKER };
	int sockets[2], pid;

	if (opener->worker.socket >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	pid = ask_child(opener, &request, sockets[1], NULL);
	(void)close(sockets[1]);
	if (pid <= 0) {
		(void)close(sockets[0]);
		return pid < 0 ? pid : -EIO;
	}
	opener->worker = (struct opener_child){ sockets[0], pid };
	return 0;
}

static int receive(int socket)
{
	_cleanup_close_ int fd = -1;
	int32_t rc = -EIO;

	if (fd_message_receive(socket, &rc, sizeof(rc), &fd, 1, MSG_DONTWAIT) != sizeof(rc))
		return -EIO;
	if (rc == 0)
		return fd < 0 ? -EIO : TAKE_FD(fd);
	return rc < 0 ? rc : -EIO;
}

static int ask_worker(struct file_opener *opener, const char *path)
{
	size_t length = strlen(path);
	struct pollfd wait = { .events = POLLIN };
	int rc;

	if (length == 0 || length >= PATH_MAX)
		return length ? -ENAMETOOLONG : -ENOENT;
	rc = start_worker(opener);
	if (rc < 0)
		return rc;
	wait.fd = opener->worker.socket;
	if (send(wait.fd, path, length, MSG_NOSIGNAL) < 0)
		rc = -errno;
	else if (TEMP_FAILURE_RETRY(poll(&wait, 1, FILE_OPENER_WAIT_MS)) == 0)
		rc = -ETIMEDOUT;
	else
		return receive(wait.fd);
	end_child(&opener->worker);
	return rc;
}

int file_opener_look(struct file_opener *opener, int dir_fd, const char *path, bool in_root)
{
	struct opener_request request = { .kind = OPENER_LOOK, .in_root = in_root };
	_cleanup_close_ int fd = -1;
	int rc;

	if (!opener || !opener->may_not_look) {
		rc = opener_look(dir_fd, path, in_root);
		if (rc != -ENOSYS || !opener || opener->child.socket < 0)
			return rc == -ENOSYS ? -EAGAIN : rc;	/* before 5.6 */
		opener->may_not_look = true;
	}
	if (strlen(path) >= sizeof(request.path))
		return -ENAMETOOLONG;
	memcpy(request.path, path, strlen(path) + 1);
	rc = ask_child(opener, &request, dir_fd, &fd);
	if (rc < 0)
		return rc == -ENOSYS || opener->child.socket < 0 ? -EAGAIN : rc;
	return fd < 0 ? -EIO : TAKE_FD(fd);
}

/* ---- which files need a worker ---- */

static bool is_silent(const struct file_opener *opener, dev_t dev)
{
	for (size_t i = 0; i < opener->silent.count; i++)
		if (opener->silent.at[i] == dev)
			return true;
	return false;
}

/*
 * Returns a descriptor of the place, not of the file, without asking a file system. Returns -EAGAIN
 * if the kernel does not have the path in memory. The links that /proc has for map_files and root
 * lead to what the kernel has in memory, but a look-up with RESOLVE_CACHED does not follow them.
 */
static int find_place(struct file_opener *opener, const char *path)
{
	_cleanup_close_ int root = -1;
	char name[64];
	unsigned int pid;
	int at = 0, fd;

	if (sscanf(path, "/proc/%u/map_files/%n", &pid, &at) == 1 && at > 0) {
		if (strchr(path + at, '/'))
			return -ENOENT;
		fd = open(path, O_PATH | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	if (sscanf(path, "/proc/%u/root/%n", &pid, &at) == 1 && at > 0) {
		(void)snprintf(name, sizeof(name), "/proc/%u/root", pid);
		root = open(name, O_PATH | O_CLOEXEC);
		if (root < 0)
			return -errno;
		at += (int)strspn(path + at, "/");	/* relative to root */
	}
	return file_opener_look(opener, root < 0 ? AT_FDCWD : root, path + at, false);
}

/* Finds the device of the file system that @place is on, without asking it. */
static bool find_device(int place, dev_t *ret_dev)
{
	struct statx status;

	if (place < 0 ||
	    statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status) < 0)
		return false;
	*ret_dev = makedev(status.stx_dev_major, status.stx_dev_minor);
	return true;
}

bool file_opener_answers(struct file_opener *opener, int place, uint32_t tgid)
{
	dev_t dev;

	return !opener ||
	       (find_device(place, &dev) && mounts_always_answer(&opener->mounts, dev, tgid));
}

static int *find_doubtful(const struct file_opener *opener, int fd)
{
	for (size_t i = 0; i < opener->doubtful.count; i++)
		if (opener->doubtful.at[i] == fd)
			return &opener->doubtful.at[i];
	return NULL;
}

bool file_opener_doubts(const struct file_opener *opener, int fd)
{
	return find_doubtful(opener, fd) != NULL;
}

void file_opener_close(struct file_opener *opener, int fd)
{
	int *noted;

	if (fd < 0)
		return;
	noted = opener ? find_doubtful(opener, fd) : NULL;
	if (noted) {
		*noted = opener->doubtful.at[--opener->doubtful.count];
		if (opener->kept_count++ < FILE_OPENER_KEPT_MAX)
			return;
	}
	(void)close(fd);
}

/* A number that is noted already belongs to a file that was closed in another way. */
static void note_doubtful(struct file_opener *opener, int fd)
{
	int *noted = find_doubtful(opener, fd) ? NULL : vec_push(&opener->doubtful);

	if (noted)
		*noted = fd;
}

int file_opener_open(struct file_opener *opener, const char *path, uint32_t tgid)
{
	_cleanup_close_ int place = -1;
	dev_t dev = 0, *silent;
	bool is_known;
	int fd;

	if (!opener)
		return regular_file_open(AT_FDCWD, path, 0);
	place = find_place(opener, path);
	if (place < 0 && place != -EAGAIN)
		return place;
	is_known = find_device(place, &dev);
	if (is_known && mounts_always_answer(&opener->mounts, dev, tgid))
		return regular_file_open_place(place);
	if (opener->timeout_count >= FILE_OPENER_TIMEOUTS_MAX ||
	    (is_known && is_silent(opener, dev)))
		return -ETIMEDOUT;
	fd = ask_worker(opener, path);
	if (fd >= 0)
		note_doubtful(opener, fd);
	if (fd != -ETIMEDOUT)
		return fd;
	opener->timeout_count++;
	silent = is_known ? vec_push(&opener->silent) : NULL;
	if (silent)
		*silent = dev;
	return fd;
}
