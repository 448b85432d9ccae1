/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/workload.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define STATUS_NOT_RUNNABLE 126
#define STATUS_NOT_FOUND 127

/*
 * Restores the default action of all signals in the child, because assay's handlers must not run
 * there. Signals other than SIGPIPE that were ignored when assay was started (as with nohup) stay
 * ignored.
 */
static void reset_signals(void)
{
	struct sigaction action;
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		if (sigaction(number, NULL, &action) == 0 &&
		    (action.sa_handler != SIG_IGN || number == SIGPIPE))
			(void)signal(number, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Runs in the child. Waits for a byte from the parent, then executes the command. If the socket is
 * closed instead, the parent has died or given up, and the child exits.
 */
static _Noreturn void wait_and_exec(int gate_fd, char *const argv[])
{
	char go;
	int code;

	reset_signals();
	if (TEMP_FAILURE_RETRY(read(gate_fd, &go, 1)) != 1)
		_exit(EXIT_SUCCESS);
	(void)execvp(argv[0], argv);
	code = errno;
	(void)send(gate_fd, &code, sizeof(code), MSG_NOSIGNAL);
	_exit(code == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUNNABLE);
}

int workload_start(struct workload *workload, char *const argv[], struct err *err)
{
	_cleanup_close_ int ours = -1;
	_cleanup_close_ int childs = -1;
	int gate[2];
	pid_t pid;

	*workload = (struct workload){ .pidfd = -1, .gate_fd = -1 };
	if (!argv[0])
		return err_set(err, -EINVAL, "no command given");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) < 0)
		return err_sys(err, -errno, "cannot create a socket pair to start '%s'", argv[0]);
	ours = gate[0];
	childs = gate[1];
	pid = fork();
	if (pid < 0)
		return err_sys(err, -errno, "cannot fork to run '%s'", argv[0]);
	if (pid == 0) {
		(void)close(ours);
		wait_and_exec(childs, argv);
	}
	workload->pid = pid;
	workload->command = argv[0];
	workload->gate_fd = TAKE_FD(ours);
	workload->pidfd = pidfd_open(pid, 0);
	if (workload->pidfd < 0) {
		int code = -errno;

		workload_fini(workload);
		return err_sys(err, code, "cannot watch '%s' (pidfd_open)", argv[0]);
	}
	return 0;
}

int workload_release(struct workload *workload, struct err *err)
{
	_cleanup_close_ int gate_fd = TAKE_FD(workload->gate_fd);
	int code = 0;

	/*
	 * The child sends nothing if it has executed the command or was killed. If it was killed,
	 * the status that workload_wait() returns later shows the signal.
	 */
	(void)send(gate_fd, "", 1, MSG_NOSIGNAL);
	if (TEMP_FAILURE_RETRY(recv(gate_fd, &code, sizeof(code), MSG_WAITALL)) != sizeof(code))
		return 0;
	return err_sys(err, -code, "cannot run '%s'", workload->command);
}

static uint64_t ns_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_SEC + (uint64_t)time->tv_usec * 1000;
}

/* The C library's waitid() cannot return the resources that were used. */
uint64_t workload_cpu_ns(const struct workload *workload)
{
	siginfo_t info = { 0 };
	struct rusage usage = { 0 };

	if (workload->pid <= 0 ||
	    syscall(SYS_waitid, P_PID, workload->pid, &info, WEXITED | WNOWAIT | WNOHANG, &usage) <
		    0 ||
	    info.si_pid != workload->pid)
		return 0;
	return ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime);
}

int workload_wait(struct workload *workload)
{
	int status = 0;

	if (TEMP_FAILURE_RETRY(waitpid(workload->pid, &status, 0)) != workload->pid)
		return EXIT_FAILURE;
	workload->pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void workload_fini(struct workload *workload)
{
	bool waits_at_gate = workload->gate_fd >= 0;

	if (waits_at_gate)
		(void)close(workload->gate_fd);
	if (workload->pid > 0)
		(void)TEMP_FAILURE_RETRY(waitpid(workload->pid, NULL, waits_at_gate ? 0 : WNOHANG));
	if (workload->pidfd >= 0)
		(void)close(workload->pidfd);
	*workload = (struct workload){ .pidfd = -1, .gate_fd = -1 };
}

void workload_command_line(char *const argv[], char *ret_text, size_t size_bytes)
{
	size_t used = 0;

	ret_text[0] = '\0';
	for (char *const *word = argv; word && *word && used < size_bytes; word++) {
		int length = snprintf(ret_text + used, size_bytes - used, "%s%s", used ? " " : "",
				      *word);

		used += length > 0 ? (size_t)length : 0;
	}
}
