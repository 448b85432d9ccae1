/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/code_job.h"

#include <unistd.h>

#include "base/byte_reader.h"
#include "base/cleanup.h"
#include "base/write_all.h"
#include "symbolize/code.h"

static int run(struct reader_task *task)
{
	struct byte_reader r = byte_reader_of(task->request, task->request_bytes);
	uint64_t vaddr = byte_reader_u64(&r), size_bytes = byte_reader_u64(&r);
	_cleanup_(image_file_fini) struct image_file file = { .fd = -1 };
	_cleanup_free_ uint8_t *code = NULL;
	int rc;

	if (r.failed || size_bytes > CODE_BYTES_MAX)
		return -EBADMSG;
	code = malloc(size_bytes + 1);
	if (!code)
		return -ENOMEM;
	rc = image_file_from_fd(TAKE_FD(task->file_fd), "image", &file, NULL);
	if (rc == 0)
		rc = image_file_code(&file, NULL, vaddr, size_bytes, code);
	return rc < 0 ? rc : write_all(task->reply_fd, code, size_bytes);
}

const struct reader_job code_job = { .run = run };

int code_job_ask(struct readers *readers, const struct image_file *file, uint64_t vaddr,
		 size_t size_bytes, void *ret_code)
{
	const uint64_t request[] = { vaddr, size_bytes };
	const struct reader_question question = {
		.job = &code_job,
		.file_fd = file->fd,
		.request = request,
		.request_bytes = sizeof(request),
	};
	_cleanup_close_ int reply = -1;
	int rc = readers_ask(readers, &question, &reply);

	if (rc < 0)
		return rc;
	return pread(reply, ret_code, size_bytes, 0) == (ssize_t)size_bytes ? 0 : -EBADMSG;
}
