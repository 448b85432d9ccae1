/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/terminal_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/*
 * Ignores the signals that end or stop a program. They may be sent to the whole process group,
 * which includes the guard, but the guard must outlive the program.
 */
static void ignore_signals(void)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTOU
	};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)signal(signals[i], SIG_IGN);
}

static void stand_guard(int pipe_fd, int terminal_fd, const struct termios *before,
			const struct terminal_last_will *will)
{
	char byte;
	ssize_t got;

	do
		got = read(pipe_fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got != 0)
		return;
	(void)!write(terminal_fd, will->restore, strlen(will->restore));
	(void)tcsetattr(terminal_fd, TCSANOW, before);
	if (will->clean_up)
		will->clean_up(will->context);
}

int terminal_guard_start(struct terminal_guard *guard, int terminal_fd,
			 const struct terminal_last_will *will)
{
	struct termios before;
	int fds[2];
	pid_t pid;

	*guard = (struct terminal_guard){ .fd = -1 };
	if (tcgetattr(terminal_fd, &before) < 0 || pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		(void)close(fds[0]);
		(void)close(fds[1]);
		return -EAGAIN;
	}
	if (pid == 0) {
		(void)close(fds[1]);
		ignore_signals();
		stand_guard(fds[0], terminal_fd, &before, will);
		_exit(0);
	}
	(void)close(fds[0]);
	*guard = (struct terminal_guard){ .pid = pid, .fd = fds[1] };
	return 0;
}

void terminal_guard_end(struct terminal_guard *guard)
{
	if (!guard->pid)
		return;
	(void)!write(guard->fd, "", 1);
	(void)close(guard->fd);
	(void)waitpid(guard->pid, NULL, 0);
	*guard = (struct terminal_guard){ .fd = -1 };
}
