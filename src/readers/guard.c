/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readers/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fd_message.h"
#include "base/small_file.h"
#include "readers/confine.h"
#include "readers/guard-private.h"

struct guard {
	int socket;
	pid_t pid;
};

int guard_new(struct guard **ret_guard)
{
	struct guard *guard;
	pid_t session = getpid();
	int sockets[2], rc;

	if (!confine_is_useful())
		return -ENODATA;
	guard = calloc(1, sizeof(*guard));
	if (!guard)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
		rc = -errno;
		free(guard);
		return rc;
	}
	guard->pid = fork();
	rc = -errno;
	if (guard->pid == 0)
		guard_run(sockets[1], session);
	(void)close(sockets[1]);
	guard->socket = sockets[0];
	if (guard->pid < 0) {
		(void)close(guard->socket);
		free(guard);
		return rc;
	}
	*ret_guard = guard;
	return 0;
}

static int tell(struct guard *guard, const struct guard_message *message, int fd)
{
	int32_t answer = -EPIPE;
	int rc = fd_message_send(guard->socket, message, sizeof(*message), &fd, 1, 0);

	if (rc < 0)
		return rc;
	if (fd_message_receive(guard->socket, &answer, sizeof(answer), NULL, 0, 0) !=
	    sizeof(answer))
		return -EPIPE;
	return answer;
}

int guard_allow(struct guard *guard, const char *path)
{
	struct guard_message message = { .kind = GUARD_PLACE };
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	_cleanup_free_ char *directory = NULL;
	_cleanup_close_ int fd = -1;

	if (strlen(name) >= sizeof(message.name))
		return -ENAMETOOLONG;
	memcpy(message.name, name, strlen(name) + 1);
	directory = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	if (!directory)
		return -ENOMEM;
	fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : tell(guard, &message, fd);
}

int guard_allow_new(struct guard *guard, const char *directory)
{
	const struct guard_message message = { .kind = GUARD_PLACE, .only_new = true };
	_cleanup_close_ int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : tell(guard, &message, fd);
}

/* With these values some kernels of distributions want CAP_SYS_ADMIN for each event. */
static bool may_open_events(void)
{
	int64_t paranoid = 0;

	return small_file_number("/proc/sys/kernel/perf_event_paranoid", &paranoid) < 0 ||
	       paranoid <= 2;
}

int guard_confine(struct guard *guard, enum guard_purpose purpose)
{
	const struct guard_message message = { .kind = GUARD_CALLS };
	_cleanup_close_ int calls = -1;
	int rc;

	/* Where only parents may trace their children, the guard could not read names of files. */
	(void)prctl(PR_SET_PTRACER, guard->pid, 0, 0, 0);
	calls = guard_filter_calls(may_open_events());
	if (calls < 0)
		return calls;
	rc = tell(guard, &message, calls);
	if (purpose == GUARD_OBSERVES)
		confine_to_observing();
	else
		confine_to_reading();
	return rc;
}

uint64_t guard_cpu_ns(const struct guard *guard)
{
	return clock_process_cpu_ns(guard->pid);
}
