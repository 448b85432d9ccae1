/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output_path.h"

#define BUFFER_BYTES (1u << 18)
#define MODE_NEW 0666	/* mode of a new file, before the umask is applied */

/*
 * Sets file->path. If @path is a symbolic link, file->path is the target of the link, so that the
 * link is not replaced. Sets *ret_is_new_link if @path is a link to a file that does not exist yet.
 */
static int set_path(struct output_file *file, const char *path, bool *ret_is_new_link)
{
	struct stat st;

	*ret_is_new_link = false;
	if (realpath(path, file->path))
		return 0;
	*ret_is_new_link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
	if (snprintf(file->path, sizeof(file->path), "%s", path) >= (int)sizeof(file->path))
		return -ENAMETOOLONG;
	return 0;
}

/* Creates the temporary file. Returns a descriptor or a negative errno. */
static int open_part(struct output_file *file, const struct stat *old)
{
	int length = snprintf(file->part, sizeof(file->part), "%s.part-%d", file->path,
			      (int)getpid());
	int fd;

	if ((size_t)length >= sizeof(file->part))
		return -ENAMETOOLONG;
	fd = open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : MODE_NEW);
	if (fd < 0)
		return -errno;
	if (old)
		(void)fchmod(fd, old->st_mode & 0777);
	return fd;
}

static int open_itself(struct output_file *file)
{
	int fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE_NEW);

	file->part[0] = '\0';
	return fd < 0 ? -errno : fd;
}

int output_file_open(struct output_file *file, const char *path, struct err *err)
{
	struct stat old;
	bool exists = stat(path, &old) == 0, is_new_link;
	int fd = output_path_check(path, err);

	if (fd < 0)
		return fd;
	fd = set_path(file, path, &is_new_link);
	file->asked = path;
	file->part[0] = '\0';
	if (fd == 0 &&
	    (is_new_link || (exists && (!S_ISREG(old.st_mode) || access(path, W_OK) < 0))))
		fd = open_itself(file);
	else if (fd == 0)
		fd = open_part(file, exists ? &old : NULL);
	if (exists && file->part[0] && (fd == -EACCES || fd == -EROFS || fd == -EPERM))
		fd = open_itself(file);
	if (fd < 0)
		return err_sys(err, fd, "%s", path);
	file->out = fdopen(fd, "w");
	file->buffer = malloc(BUFFER_BYTES);
	if (file->out && file->buffer)
		(void)setvbuf(file->out, file->buffer, _IOFBF, BUFFER_BYTES);
	if (file->out)
		return 0;
	free(file->buffer);
	(void)close(fd);
	if (file->part[0])
		(void)unlink(file->part);
	return err_sys(err, -ENOMEM, "%s", path);
}

int output_file_close(struct output_file *file, int rc, struct err *err)
{
	bool failed = ferror(file->out);
	int code = 0;

	errno = 0;	/* if an earlier write failed, its errno is not known any more */
	if (fclose(file->out) != 0 || failed)
		code = errno ? -errno : -EIO;
	free(file->buffer);
	if (rc == 0 && code == 0 && file->part[0] && rename(file->part, file->path) < 0)
		code = -errno;
	if ((rc < 0 || code < 0) && file->part[0])
		(void)unlink(file->part);
	return rc == 0 && code < 0 ? err_sys(err, code, "%s", file->asked) : rc;
}
