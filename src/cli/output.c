/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/output_path.h"

static void complain(const char *path)
{
	struct err err = { 0 };

	(void)err_sys(&err, -errno, "%s", path);
	cli_error(&err);
}

FILE *output_open(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct err err = { 0 };
	FILE *out;

	if (!path)
		return stdout;
	if (output_path_check(path, &err) < 0) {
		cli_error(&err);
		return NULL;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		complain(path);
		return NULL;
	}
	(void)TAKE_FD(fd);
	return out;
}

void output_begin(FILE *out, const char *path)
{
	/* ftruncate() works only for regular files. For a pipe or a device it fails with EINVAL. */
	if (path && ftruncate(fileno(out), 0) < 0 && errno != EINVAL)
		complain(path);
}

int output_close(FILE *out, const char *path, int status)
{
	bool failed = fflush(out) != 0 || ferror(out);

	if (!path)
		return status;	/* main() checks stdout for errors */
	if (fclose(out) != 0 || failed) {
		complain(path);
		return status == EXIT_OK ? EXIT_FAILED : status;
	}
	return status;
}
