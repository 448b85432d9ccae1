/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/parameter_job.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/write_all.h"
#include "symbolize/debug_access.h"

#define REPLY_BYTES_MAX (UINT64_C(1) << 20)

/* ---- in the reader ---- */

struct list {
	struct byte_writer w;
	uint32_t count;
};

static void add(void *context, const struct debug_parameter *parameter)
{
	struct list *list = context;

	byte_writer_u32(&list->w, parameter->passed);
	byte_writer_u32(&list->w, parameter->number);
	byte_writer_u32(&list->w, parameter->size_bytes);
	byte_writer_u32(&list->w, parameter->is_signed);
	byte_writer_string(&list->w, parameter->name);
	list->count++;
}

static int answer(int fd, const struct debug_request *request, uint64_t vaddr, struct list *list)
{
	const struct debug_places places = debug_request_places(request);
	const struct debug_lines_options options = {
		.debug_dirs = places.dirs,
		.image_dir = places.image_dir,
		.open = places.open,
	};
	_cleanup_(image_file_fini) struct image_file file = { .fd = -1 };
	int rc = image_file_from_fd(fd, "image", &file, NULL);

	return rc < 0 ? rc : debug_parameters_find(&file, &options, vaddr, add, list);
}

static int run(struct reader_task *task)
{
	struct byte_reader r = byte_reader_of(task->request, task->request_bytes);
	struct debug_request request;
	struct list list = { 0 };
	uint64_t vaddr;
	int rc = -EBADMSG;

	if (!debug_request_read(&r, &request))
		return rc;
	vaddr = byte_reader_u64(&r);
	if (!r.failed)
		rc = answer(TAKE_FD(task->file_fd), &request, vaddr, &list);
	if (rc == 0 && list.w.failed)
		rc = -ENOMEM;
	if (rc == 0)
		rc = write_all(task->reply_fd, &list.count, sizeof(list.count));
	if (rc == 0)
		rc = write_all(task->reply_fd, list.w.bytes.at, list.w.bytes.count);
	byte_writer_fini(&list.w);
	return rc;
}

const struct reader_job parameter_job = { .run = run };

/* ---- in the session ---- */

static bool take(struct byte_reader *r, struct debug_parameter *parameter)
{
	uint32_t passed = byte_reader_u32(r), number = byte_reader_u32(r);
	uint32_t size_bytes = byte_reader_u32(r);
	size_t length;

	parameter->is_signed = byte_reader_u32(r) != 0;
	parameter->name = byte_reader_string(r, &length);
	if (r->failed || passed > PASSED_SOMEHOW || number > UINT8_MAX)
		return false;
	parameter->passed = (enum debug_passed)passed;
	parameter->number = (uint8_t)number;
	parameter->size_bytes = (uint8_t)size_bytes;
	return passed != PASSED_IN_REGISTER || size_bytes == 1 || size_bytes == 2 ||
	       size_bytes == 4 || size_bytes == 8;
}

int parameters_take(uint8_t *reply, size_t size_bytes, struct found_parameters *parameters)
{
	struct byte_reader r = byte_reader_of(reply, size_bytes);
	uint32_t count = byte_reader_u32(&r);

	parameters->reply = reply;
	if (r.failed || count > DEBUG_PARAMETERS_MAX)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++) {
		struct debug_parameter *parameter = vec_push(&parameters->list);

		if (!parameter)
			return -ENOMEM;
		if (!take(&r, parameter))
			return -EBADMSG;
	}
	return 0;
}

int parameters_find(struct readers *readers, int fd, uint64_t vaddr,
		    struct found_parameters *ret_parameters)
{
	_cleanup_(byte_writer_fini) struct byte_writer w = { 0 };
	struct found_parameters parameters = { 0 };
	uint8_t *bytes;
	size_t size_bytes;
	int rc;

	byte_writer_u64(&w, vaddr);
	rc = debug_access_ask(readers, &parameter_job, fd, &w, REPLY_BYTES_MAX, &bytes,
			      &size_bytes);
	if (rc == 0)
		rc = parameters_take(bytes, size_bytes, &parameters);
	if (rc < 0)
		found_parameters_fini(&parameters);
	else
		*ret_parameters = parameters;
	return rc;
}

void found_parameters_fini(struct found_parameters *parameters)
{
	vec_free(&parameters->list);
	free(parameters->reply);
	*parameters = (struct found_parameters){ 0 };
}
