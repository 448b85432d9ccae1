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

static void run_pager(char **words, const int pipe_fds[2])
{
	(void)setenv("LESS", "FRX", 0);
	if (dup2(pipe_fds[0], STDIN_FILENO) < 0)
		_exit(127);
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
	(void)execvp(words[0], words);
	/* The pager cannot be executed. Copy the output to the terminal, so that it is not lost. */
	for (;;) {
		char bytes[4096];
		ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));

		if (count <= 0 || write(STDOUT_FILENO, bytes, (size_t)count) != count)
			_exit(0);
	}
}

size_t pager_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

void pager_start(struct pager *pager, bool wanted)
{
	const char *command = getenv("PAGER");
	_cleanup_free_ char *text = strdup(command ? command : "less");
	char *words[WORDS_MAX + 1];
	int pipe_fds[2];

	*pager = (struct pager){ .stdout_fd = -1 };
	if (!wanted || !text || !isatty(STDOUT_FILENO))
		return;
	split(text, words);
	if (!words[0] || strcmp(words[0], "cat") == 0 || pipe2(pipe_fds, O_CLOEXEC) < 0)
		return;
	(void)fflush(stdout);
	pager->pid = fork();
	if (pager->pid == 0)
		run_pager(words, pipe_fds);
	if (pager->pid > 0) {
		pager->stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		(void)dup2(pipe_fds[1], STDOUT_FILENO);
		(void)signal(SIGINT, SIG_IGN);	/* only the pager reacts to ^C */
	} else {
		pager->pid = 0;
	}
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
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
