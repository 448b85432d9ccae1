/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/usdt_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "base/cleanup.h"
#include "base/pattern.h"
#include "base/write_all.h"
#include "elf/image_file.h"

#define REPLY_BYTES_MAX (UINT64_C(32) << 20)

/* ---- in the reader ---- */

static bool matches(const struct pattern *pattern, const struct usdt_probe *probe)
{
	char name[PATTERN_NAME_MAX];

	if (!strchr(pattern->text, ':'))
		return pattern_matches(pattern, probe->name);
	(void)snprintf(name, sizeof(name), "%s:%s", probe->provider, probe->name);
	return pattern_matches(pattern, name);
}

static int reply(const struct image_file *file, const struct usdt_probes *probes,
		 const struct pattern *pattern, int reply_fd)
{
	_cleanup_(byte_writer_fini) struct byte_writer list = { 0 };
	uint32_t head[3] = { file->machine, (uint32_t)probes->list.count };
	int rc;

	for (size_t i = 0; i < probes->list.count; i++) {
		const struct usdt_probe *probe = &probes->list.at[i];

		if (!matches(pattern, probe))
			continue;
		byte_writer_u64(&list, probe->offset);
		byte_writer_u64(&list, probe->semaphore_offset);
		byte_writer_string(&list, probe->provider);
		byte_writer_string(&list, probe->name);
		byte_writer_string(&list, probe->arguments);
		head[2]++;
	}
	if (list.failed)
		return -ENOMEM;
	rc = write_all(reply_fd, head, sizeof(head));
	return rc < 0 ? rc : write_all(reply_fd, list.bytes.at, list.bytes.count);
}

static int run(struct reader_task *task)
{
	struct byte_reader r = byte_reader_of(task->request, task->request_bytes);
	size_t length;
	const char *text = byte_reader_string(&r, &length);
	_cleanup_(image_file_fini) struct image_file file = { .fd = -1 };
	_cleanup_(usdt_probes_fini) struct usdt_probes probes = { 0 };
	struct pattern pattern = { 0 };
	int rc = r.failed ? -EBADMSG
			  : image_file_from_fd(TAKE_FD(task->file_fd), "image", &file, NULL);

	if (rc == 0)
		rc = usdt_probes_read(&file, &probes);
	if (rc == 0)
		rc = pattern_compile(text, PATTERN_NAME, &pattern, NULL);
	if (rc < 0)
		return rc;
	rc = reply(&file, &probes, &pattern, task->reply_fd);
	pattern_fini(&pattern);
	return rc;
}

const struct reader_job usdt_job = { .run = run };

/* ---- in the session ---- */

static int compare(const void *left, const void *right)
{
	const struct usdt_probe *a = left, *b = right;
	int order = strcmp(a->provider, b->provider);

	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

static void sort(struct found_usdt *found)
{
	size_t count = found->list.count, kept = 0;

	qsort(found->list.at, count, sizeof(*found->list.at), compare);
	for (size_t i = 0; i < count; i++)
		if (!kept || compare(&found->list.at[kept - 1], &found->list.at[i]) != 0)
			found->list.at[kept++] = found->list.at[i];
	found->list.count = kept;
}

int usdt_take(uint8_t *reply, size_t size_bytes, struct found_usdt *found)
{
	struct byte_reader r = byte_reader_of(reply, size_bytes);
	uint32_t count;
	size_t length;

	found->reply = reply;
	found->machine = (uint16_t)byte_reader_u32(&r);
	found->all_count = byte_reader_u32(&r);
	count = byte_reader_u32(&r);
	if (r.failed || count > found->all_count || count > USDT_PROBES_MAX)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++) {
		struct usdt_probe *probe = vec_push(&found->list);

		if (!probe)
			return -ENOMEM;
		probe->offset = byte_reader_u64(&r);
		probe->semaphore_offset = byte_reader_u64(&r);
		probe->provider = byte_reader_string(&r, &length);
		probe->name = byte_reader_string(&r, &length);
		probe->arguments = byte_reader_string(&r, &length);
		if (r.failed)
			return -EBADMSG;
	}
	if (count)
		sort(found);
	return 0;
}

int usdt_find(struct readers *readers, int fd, const char *pattern, struct found_usdt *ret_found)
{
	struct found_usdt found = { 0 };
	uint8_t *bytes;
	size_t size_bytes;
	int rc = readers_ask_text(readers, &usdt_job, fd, pattern, REPLY_BYTES_MAX, &bytes,
				  &size_bytes);

	if (rc == 0)
		rc = usdt_take(bytes, size_bytes, &found);
	if (rc < 0)
		found_usdt_fini(&found);
	else
		*ret_found = found;
	return rc;
}

void found_usdt_fini(struct found_usdt *found)
{
	vec_free(&found->list);
	free(found->reply);
	*found = (struct found_usdt){ 0 };
}
