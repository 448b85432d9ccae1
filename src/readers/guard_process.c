/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guard: makes for a confined session the calls that concern the session's own files and
 * children, and refuses all others.
 *
 * It never uses what the session passes by address: it copies names first. So the session cannot
 * change them after they were checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd_message.h"
#include "base/small_file.h"
#include "readers/confine.h"
#include "readers/guard-private.h"

#define PAGE_BYTES 4096u
#define MODE_MASK 0777u

/* Since 6.6: session and guard take turns on one CPU. That saves three quarters of the time. */
#define SET_FLAGS SECCOMP_IOW(4, __u64)
#define SYNC_WAKE_UP UINT64_C(1)

struct place {
	int dir_fd;
	dev_t dev;
	ino_t inode;
	bool only_new;
	char name[NAME_MAX + 1];
};

struct guard_process {
	pid_t session;
	int session_fd;		/* its pidfd */
	int calls;
	struct place places[GUARD_PLACES_MAX];
	size_t place_count;
};

/* ---- what the session passes ---- */

/* Copies from the session, at most to the end of the page, so that all of it exists or nothing. */
static ssize_t copy_page(const struct guard_process *guard, uint64_t addr, void *to, size_t bytes)
{
	size_t left = PAGE_BYTES - addr % PAGE_BYTES;
	struct iovec ours = { to, bytes < left ? bytes : left };
	struct iovec theirs = { (void *)(uintptr_t)addr, ours.iov_len };
	ssize_t n = process_vm_readv(guard->session, &ours, 1, &theirs, 1, 0);

	return n < 0 ? -errno : n;
}

static int copy_bytes(const struct guard_process *guard, uint64_t addr, void *to, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t n = copy_page(guard, addr + done, (char *)to + done, bytes - done);

		if (n <= 0)
			return n < 0 ? (int)n : -EFAULT;
		done += (size_t)n;
	}
	return 0;
}

static int copy_path(const struct guard_process *guard, uint64_t addr, char ret_path[PATH_MAX])
{
	for (size_t done = 0; done < PATH_MAX;) {
		ssize_t n = copy_page(guard, addr + done, ret_path + done, PATH_MAX - done);

		if (n <= 0)
			return n < 0 ? (int)n : -EFAULT;
		if (memchr(ret_path + done, '\0', (size_t)n))
			return 0;
		done += (size_t)n;
	}
	return -ENAMETOOLONG;
}

/*
 * Returns a copy of the session's descriptor, or AT_FDCWD: the guard has the session's working
 * directory.
 */
static int copy_descriptor(const struct guard_process *guard, uint64_t number)
{
	int fd = (int)number;

	if (fd == AT_FDCWD)
		return AT_FDCWD;
	fd = (int)syscall(SYS_pidfd_getfd, guard->session_fd, fd, 0);
	return fd < 0 ? -errno : fd;
}

/* ---- the session's own files ---- */

/* Finds the place of a directory, for a file @name in it, or NULL. @is_new: it will be created. */
static const struct place *find_place(const struct guard_process *guard, int dir_fd,
				      const char *name, bool is_new)
{
	struct stat st;

	if (fstat(dir_fd, &st) < 0)
		return NULL;
	if (name && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !name[0]))
		return NULL;
	for (size_t i = 0; i < guard->place_count; i++) {
		const struct place *place = &guard->places[i];

		if (st.st_dev == place->dev && st.st_ino == place->inode &&
		    (is_new || !place->only_new) &&
		    (!name || strncmp(name, place->name, strlen(place->name)) == 0))
			return place;
	}
	return NULL;
}

/*
 * Finds the directory that a path of the session leads to, and the name in it. Returns 0, or
 * -EACCES if the session may not change this file.
 */
static int find_own(const struct guard_process *guard, uint64_t dir_fd, uint64_t path_addr,
		    bool is_new, const struct place **ret_place, char ret_name[NAME_MAX + 1])
{
	_cleanup_close_ int directory = -1, at = copy_descriptor(guard, dir_fd);
	char path[PATH_MAX], *slash;
	const char *name;
	int rc = copy_path(guard, path_addr, path);

	if (rc < 0)
		return rc;
	slash = strrchr(path, '/');
	name = slash ? slash + 1 : path;
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(ret_name, name, strlen(name) + 1);
	if (slash)
		slash[slash == path ? 1 : 0] = '\0';
	directory = openat(at, slash ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return -errno;
	*ret_place = find_place(guard, directory, ret_name, is_new);
	return *ret_place ? 0 : -EACCES;
}

/* A file without a name changes nothing that others see; it cannot get one without linkat(2). */
static int open_nameless(const struct guard_process *guard, uint64_t dir_fd, uint64_t path_addr,
			 int flags)
{
	_cleanup_close_ int at = copy_descriptor(guard, dir_fd);
	char path[PATH_MAX];
	int rc = copy_path(guard, path_addr, path), fd;

	if (rc < 0)
		return rc;
	fd = openat(at, path, O_TMPFILE | O_RDWR | O_CLOEXEC | (flags & O_EXCL), 0600);
	return fd < 0 ? -errno : fd;
}

static int open_own(const struct guard_process *guard, uint64_t dir_fd, uint64_t path, int flags,
		    mode_t mode)
{
	const struct place *place;
	char name[NAME_MAX + 1];
	bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
	bool is_new = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
	int rc, fd;

	if (is_nameless)
		return open_nameless(guard, dir_fd, path, flags);
	rc = find_own(guard, dir_fd, path, is_new, &place, name);
	if (rc < 0)
		return rc;
	fd = openat(place->dir_fd, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
		    mode & MODE_MASK);
	return fd < 0 ? -errno : fd;
}

/* Finds the place whose directory this is. */
static const struct place *find_directory(const struct guard_process *guard, uint64_t dir_fd,
					  uint64_t path_addr)
{
	_cleanup_close_ int directory = -1, at = copy_descriptor(guard, dir_fd);
	char path[PATH_MAX];

	if (copy_path(guard, path_addr, path) < 0)
		return NULL;
	directory = openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return directory < 0 ? NULL : find_place(guard, directory, NULL, true);
}

/* SQLite asks this of a file, and of the directory of a temporary file. */
static int access_own(const struct guard_process *guard, uint64_t dir_fd, uint64_t path, int mode)
{
	const struct place *place = find_directory(guard, dir_fd, path);
	char name[NAME_MAX + 1] = ".";
	int rc = place ? 0 : find_own(guard, dir_fd, path, false, &place, name);

	if (rc < 0)
		return rc;
	return faccessat(place->dir_fd, name, mode, AT_EACCESS | AT_SYMLINK_NOFOLLOW) < 0 ? -errno
											  : 0;
}

static int remove_own(const struct guard_process *guard, uint64_t dir_fd, uint64_t path,
		      uint64_t flags)
{
	const struct place *place;
	char name[NAME_MAX + 1];
	int rc = find_own(guard, dir_fd, path, false, &place, name);

	if (rc < 0)
		return rc;
	return unlinkat(place->dir_fd, name, (int)flags) < 0 ? -errno : 0;
}

static int rename_own(const struct guard_process *guard, const __u64 from[2], const __u64 to[2],
		      __u64 flags)
{
	const struct place *from_place, *to_place;
	char from_name[NAME_MAX + 1], to_name[NAME_MAX + 1];
	int rc = find_own(guard, from[0], from[1], false, &from_place, from_name);

	if (rc == 0)
		rc = find_own(guard, to[0], to[1], false, &to_place, to_name);
	if (rc < 0)
		return rc;
	return renameat2(from_place->dir_fd, from_name, to_place->dir_fd, to_name,
			 (unsigned int)flags) < 0
		       ? -errno
		       : 0;
}

/* An open file that can be written is one of the session's own. */
static int change_own(const struct guard_process *guard, const struct seccomp_data *call)
{
	_cleanup_close_ int fd = copy_descriptor(guard, call->args[0]);
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL), rc;

	if (flags < 0)
		return -EBADF;
	if ((flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY)
		return -EPERM;
	rc = call->nr == SYS_fchmod ? fchmod(fd, (mode_t)call->args[1] & MODE_MASK)
				    : fchown(fd, (uid_t)call->args[1], (gid_t)call->args[2]);
	return rc < 0 ? -errno : 0;
}

/* ---- files of others ---- */

/* A filter cannot see what openat2(2) is asked for, so it is seen here. Reading is allowed. */
static int open_to_read(const struct guard_process *guard, const struct seccomp_data *call)
{
	_cleanup_close_ int at = copy_descriptor(guard, call->args[0]);
	struct open_how how;
	char path[PATH_MAX];
	int rc = copy_path(guard, call->args[1], path), fd;

	if (rc == 0)
		rc = call->args[3] == sizeof(how)
			     ? copy_bytes(guard, call->args[2], &how, sizeof(how))
			     : -E2BIG;
	if (rc < 0)
		return rc;
	if (how.flags & (O_ACCMODE | O_CREAT | O_TRUNC))
		return -EACCES;
	if (how.flags & O_PATH)
		return -ENOSYS;	/* The kernel cannot give away such a descriptor. */
	/* would be the guard itself */
	if (strncmp(path, "/proc/self", 10) == 0 || strncmp(path, "/proc/thread-self", 17) == 0)
		return -EACCES;
	fd = (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

/* ---- events ---- */

/*
 * Opens an event as the session would. Its process 0 is the session, and a control group is a
 * descriptor of the session.
 */
static int open_event(const struct guard_process *guard, const struct seccomp_data *call)
{
	_cleanup_close_ int group = (int)call->args[3] < 0 ? -1
							   : copy_descriptor(guard, call->args[3]);
	_cleanup_close_ int cgroup = -1;
	uint8_t attr[PAGE_BYTES] = { 0 };
	uint32_t size_bytes = 0;
	int pid = (int)call->args[1], fd;
	int rc = copy_bytes(guard, call->args[0] + offsetof(struct perf_event_attr, size),
			    &size_bytes, sizeof(size_bytes));

	if (rc == 0 && (size_bytes < PERF_ATTR_SIZE_VER0 || size_bytes > sizeof(attr)))
		rc = -E2BIG;
	if (rc == 0)
		rc = copy_bytes(guard, call->args[0], attr, size_bytes);
	if (rc < 0)
		return rc;
	if (call->args[4] & PERF_FLAG_PID_CGROUP)
		pid = cgroup = copy_descriptor(guard, call->args[1]);
	else if (pid == 0)
		pid = (int)guard->session;
	fd = (int)syscall(SYS_perf_event_open, attr, pid, (int)call->args[2], group,
			  call->args[4] | PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* ---- children ---- */

static bool is_child(pid_t pid, pid_t parent)
{
	char path[32], line[1024];
	const char *name_end;
	int found = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (pid <= 1 || small_file_read(path, line, sizeof(line)) < 0)
		return false;
	/* "PID (NAME) STATE PARENT ...", where NAME may contain blanks and brackets */
	name_end = strrchr(line, ')');
	return name_end && sscanf(name_end, ") %*c %d", &found) == 1 && found == (int)parent;
}

static int signal_child(const struct guard_process *guard, const struct seccomp_data *call)
{
	pid_t pid = (pid_t)call->args[0];

	if (!is_child(pid, guard->session))
		return -EPERM;
	return kill(pid, (int)call->args[1]) < 0 ? -errno : 0;
}

/* ---- calls ---- */

/*
 * Makes a call. Returns its result or a negative errno. If it is one that opens a file,
 * *@ret_is_file is true, and the result is a descriptor of the guard.
 */
static int make_call(const struct guard_process *guard, const struct seccomp_data *call,
		     bool *ret_is_file)
{
	const __u64 *args = call->args, here = (__u64)AT_FDCWD;

	switch (call->nr) {
	case SYS_openat:
		*ret_is_file = true;
		return open_own(guard, args[0], args[1], (int)args[2], (mode_t)args[3]);
	case SYS_openat2:
		*ret_is_file = true;
		return open_to_read(guard, call);
	case SYS_perf_event_open:
		*ret_is_file = true;
		return open_event(guard, call);
	case SYS_faccessat:
	case SYS_faccessat2:
		return access_own(guard, args[0], args[1], (int)args[2]);
	case SYS_unlinkat:
		return remove_own(guard, args[0], args[1], args[2]);
	case SYS_renameat2:
		return rename_own(guard, args, args + 2, args[4]);
	case SYS_fchmod:
	case SYS_fchown:
		return change_own(guard, call);
	case SYS_kill:
		return signal_child(guard, call);
#ifdef SYS_renameat
	case SYS_renameat:
		return rename_own(guard, args, args + 2, 0);
#endif
#ifdef SYS_unlink
	case SYS_access:
		return access_own(guard, here, args[0], (int)args[1]);
	case SYS_unlink:
		return remove_own(guard, here, args[0], 0);
	case SYS_rmdir:
		return remove_own(guard, here, args[0], AT_REMOVEDIR);
	case SYS_rename:
		return rename_own(guard, (__u64[]){ here, args[0] }, (__u64[]){ here, args[1] }, 0);
#endif
	default:
		(void)here;
		return -ENOSYS;
	}
}

/* Gives the session a copy of @fd. Returns its number there or a negative errno. */
static int give(const struct guard_process *guard, uint64_t id, int fd)
{
	const struct seccomp_notif_addfd add = {
		.id = id,
		.srcfd = (uint32_t)fd,
		.newfd_flags = O_CLOEXEC,
	};
	int number = ioctl(guard->calls, SECCOMP_IOCTL_NOTIF_ADDFD, &add);

	return number < 0 ? -errno : number;
}

/* Returns false if there are no more calls. */
static bool answer_call(const struct guard_process *guard)
{
	struct seccomp_notif asked = { 0 };
	struct seccomp_notif_resp answer = { 0 };
	bool is_file = false;
	int rc;

	if (ioctl(guard->calls, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
		return errno == EINTR || errno == ENOENT;
	/* A child of the session has the filter too, but no files to change. */
	rc = (pid_t)asked.pid == guard->session ? make_call(guard, &asked.data, &is_file) : -ENOSYS;
	if (rc >= 0 && is_file) {
		int fd = rc;

		rc = give(guard, asked.id, fd);
		(void)close(fd);
	}
	answer.id = asked.id;
	answer.error = rc < 0 ? rc : 0;
	answer.val = rc < 0 ? 0 : rc;
	return ioctl(guard->calls, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0 || errno == ENOENT;
}

/* ---- beginning ---- */

static int take_place(struct guard_process *guard, const struct guard_message *message, int dir_fd)
{
	struct place *place = &guard->places[guard->place_count];
	struct stat st;

	if (guard->place_count >= GUARD_PLACES_MAX)
		return -ENOSPC;
	if (fstat(dir_fd, &st) < 0)
		return -errno;
	place->dev = st.st_dev;
	place->inode = st.st_ino;
	place->only_new = message->only_new;
	memcpy(place->name, message->name, sizeof(place->name));
	place->name[NAME_MAX] = '\0';
	place->dir_fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	if (place->dir_fd < 0)
		return -errno;
	guard->place_count++;
	return 0;
}

static int take_message(struct guard_process *guard, const struct guard_message *message, int fd)
{
	if (message->kind == GUARD_PLACE)
		return take_place(guard, message, fd);
	guard->calls = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return guard->calls < 0 ? -errno : 0;
}

/* The session must not be able to tell the guard anything once it is confined. */
static bool listen_until_confined(struct guard_process *guard)
{
	while (guard->calls < 0) {
		struct guard_message message;
		_cleanup_close_ int fd = -1;
		int32_t answer;
		ssize_t n = fd_message_receive(CONFINED_SOCKET, &message, sizeof(message), &fd, 1,
					       0);

		if (n != sizeof(message) || fd < 0)
			return false;
		answer = take_message(guard, &message, fd);
		if (fd_message_send(CONFINED_SOCKET, &answer, sizeof(answer), NULL, 0, 0) < 0)
			return false;
	}
	return true;
}

_Noreturn void guard_run(int socket, pid_t session)
{
	struct guard_process guard = { .session = session, .session_fd = -1, .calls = -1 };
	struct pollfd wait = { .events = POLLIN };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setsid();	/* ^C does not end it before the session */
	if (getppid() != session)
		_exit(1);
	confine_to_socket(socket);
	guard.session_fd = (int)syscall(SYS_pidfd_open, session, 0);
	confine_to_guarding();
	if (guard.session_fd < 0 || !listen_until_confined(&guard))
		_exit(1);
	(void)close(CONFINED_SOCKET);
	(void)ioctl(guard.calls, SET_FLAGS, SYNC_WAKE_UP);
	wait.fd = guard.calls;
	while (TEMP_FAILURE_RETRY(poll(&wait, 1, -1)) > 0 && (wait.revents & POLLIN))
		if (!answer_call(&guard))
			break;
	_exit(0);
}
