/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "base/cleanup.h"

#define WORDS_MAX 16

/*
 * Splits @text at blanks into a NULL-terminated list of at most WORDS_MAX words. Modifies @text;
 * the words point into it.
 */
static void split(char *text, char *words[static WORDS_MAX + 1])
{
	size_t count = 0;
	char *word;

	while (count < WORDS_MAX && (word = strsep(&text, " \t")))
		if (*word)
			words[count++] = word;
	words[count] = NULL;
}

/* A process that becomes the pager when it reads a byte from .go_fd. */
static struct {
	pid_t pid;		/* 0: there is none */
	int go_fd, text_fd;
} prepared;

static void run_pager(char **words)
{
	char byte;

	if (read(prepared.go_fd, &byte, 1) != 1)
		_exit(0);
	(void)setenv("LESS", "FRX", 0);
	if (dup2(prepared.text_fd, STDIN_FILENO) < 0)
		_exit(127);
	(void)close(prepared.text_fd);
	(void)close(prepared.go_fd);
	(void)execvp(words[0], words);
	/* The pager cannot be executed. Copy the output to the terminal, so that it is not lost. */
	for (;;) {
		char bytes[4096];
		ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));

		if (count <= 0 || write(STDOUT_FILENO, bytes, (size_t)count) != count)
			_exit(0);
	}
}

/* Forks a process that keeps the read ends of two pipes, while this one keeps the write ends. */
static void fork_pager(char **words)
{
	_cleanup_close_ int go_read = -1, go_write = -1, text_read = -1, text_write = -1;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	go_read = fds[0];
	go_write = fds[1];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	text_read = fds[0];
	text_write = fds[1];
	prepared.pid = fork();
	if (prepared.pid == 0) {
		(void)close(TAKE_FD(go_write));
		(void)close(TAKE_FD(text_write));
		prepared.go_fd = go_read;
		prepared.text_fd = text_read;
		run_pager(words);
	}
	if (prepared.pid < 0) {
		prepared.pid = 0;
		return;
	}
	prepared.go_fd = TAKE_FD(go_write);
	prepared.text_fd = TAKE_FD(text_write);
}

void pager_prepare(void)
{
	const char *command = getenv("PAGER");
	_cleanup_free_ char *text = strdup(command ? command : "less");
	char *words[WORDS_MAX + 1];

	if (!text || prepared.pid || !isatty(STDOUT_FILENO))
		return;
	split(text, words);
	if (words[0] && strcmp(words[0], "cat") != 0)
		fork_pager(words);
}

size_t pager_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

void pager_start(struct pager *pager, bool wanted)
{
	*pager = (struct pager){ .stdout_fd = -1 };
	if (!wanted)
		return;
	pager_prepare();
	if (!prepared.pid)
		return;
	(void)fflush(stdout);
	pager->pid = prepared.pid;
	pager->stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	(void)dup2(prepared.text_fd, STDOUT_FILENO);
	(void)!write(prepared.go_fd, "", 1);
	(void)signal(SIGINT, SIG_IGN);	/* only the pager reacts to ^C */
	(void)close(prepared.go_fd);
	(void)close(prepared.text_fd);
	prepared.pid = 0;
}

void pager_end(struct pager *pager)
{
	if (!pager->pid)
		return;
	(void)fflush(stdout);
	if (pager->stdout_fd >= 0) {
		(void)dup2(pager->stdout_fd, STDOUT_FILENO);
		(void)close(pager->stdout_fd);
	} else {
		(void)fclose(stdout);
	}
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		;
	(void)signal(SIGINT, SIG_DFL);
	pager->pid = 0;
}
