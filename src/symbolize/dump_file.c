/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dump_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/byte_reader.h"
#include "base/cleanup.h"
#include "base/read_at.h"
#include "base/write_all.h"

static int look(int fd, struct dump_file_state *ret_state)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size < 0)
		return -EINVAL;
	*ret_state = (struct dump_file_state){ (uint64_t)st.st_size, st.st_mode, st.st_uid };
	return 0;
}

/* ---- in the reader ---- */

static int run(struct reader_task *task)
{
	struct byte_reader r = byte_reader_of(task->request, task->request_bytes);
	uint64_t at = byte_reader_u64(&r), size_bytes = byte_reader_u64(&r);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct dump_file_state state = { 0 };
	int rc;

	if (r.failed || size_bytes > DUMP_FILE_READ_MAX)
		return -EBADMSG;
	bytes = malloc(size_bytes + 1);
	if (!bytes)
		return -ENOMEM;
	rc = look(task->file_fd, &state);
	if (rc == 0)
		rc = write_all(task->reply_fd, &state, sizeof(state));
	return rc < 0 ? rc
		      : write_all(task->reply_fd, bytes,
				  read_at(task->file_fd, bytes, size_bytes, at));
}

const struct reader_job copy_job = { .run = run };

/* ---- in the session ---- */

/* Returns the number of bytes that the reader sent, or a negative errno. */
static ssize_t ask_reader(struct dump_file *file, uint64_t at, void *ret_bytes, size_t size_bytes,
			  struct dump_file_state *ret_state)
{
	const uint64_t request[] = { at, size_bytes };
	const struct reader_question question = {
		.job = &copy_job,
		.file_fd = file->fd,
		.request = request,
		.request_bytes = sizeof(request),
	};
	_cleanup_close_ int reply = -1;
	int rc = file->is_silent ? -ETIMEDOUT : readers_ask(file->readers, &question, &reply);

	file->is_silent |= rc == -ETIMEDOUT;
	if (rc < 0)
		return rc;
	if (read_at(reply, ret_state, sizeof(*ret_state), 0) != sizeof(*ret_state))
		return -EBADMSG;
	return (ssize_t)read_at(reply, ret_bytes, size_bytes, sizeof(*ret_state));
}

struct dump_file dump_file_of(int fd, struct file_opener *opener, struct readers *readers)
{
	bool is_doubtful = opener && file_opener_doubts(opener, fd);

	return (struct dump_file){
		.fd = fd,
		.opener = opener,
		.readers = is_doubtful ? readers : NULL,
	};
}

void dump_file_close(struct dump_file *file)
{
	file_opener_close(file->opener, file->fd);
	file->fd = -1;
}

int dump_file_look(struct dump_file *file, struct dump_file_state *ret_state)
{
	ssize_t rc;

	if (!file->readers)
		return look(file->fd, ret_state);
	rc = ask_reader(file, 0, NULL, 0, ret_state);
	return rc < 0 ? (int)rc : 0;
}

size_t dump_file_read(struct dump_file *file, void *ret_bytes, size_t size_bytes, uint64_t at)
{
	struct dump_file_state state;
	ssize_t have;

	if (!file->readers)
		return read_at(file->fd, ret_bytes, size_bytes, at);
	have = ask_reader(file, at, ret_bytes, size_bytes, &state);
	return have < 0 ? 0 : (size_t)have;
}
