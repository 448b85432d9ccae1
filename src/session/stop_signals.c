/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/stop_signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"

static sigset_t stop_signals(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	return set;
}

int stop_signals_open(void)
{
	sigset_t set = stop_signals();
	int fd;

	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

void stop_signals_close(int fd)
{
	sigset_t set = stop_signals();

	if (fd >= 0)
		(void)close(fd);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void stop_signals_take(int fd, pid_t pid)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info) && info.ssi_signo != SIGINT &&
	    pid)
		(void)kill(pid, (int)info.ssi_signo);
}

void stop_signals_wait(const struct workload *workload, const struct session_listener *listener)
{
	_cleanup_close_ int signal_fd = stop_signals_open();
	struct pollfd fds[] = {
		{ .fd = workload->pidfd, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
	};

	if (poll(fds, 1, 0) == 0)
		session_note(listener, "waiting for '%s' to end; signals are passed on to it",
			     workload->command);
	while (signal_fd >= 0 && !fds[0].revents) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents)
			stop_signals_take(signal_fd, workload->pid);
	}
}
