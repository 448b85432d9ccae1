/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/debug_access.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

/* ---- in the session ---- */

void debug_access_init(struct debug_access *access, int fd, const char *const *dirs,
		       struct file_opener *opener)
{
	const struct debug_places places = { .dirs = dirs };

	access->dirs = debug_places_dirs(&places);
	access->opener = opener;
	if (!debug_image_dir(fd, access->image_dir, sizeof(access->image_dir)))
		access->image_dir[0] = '\0';
}

void debug_access_write(const struct debug_access *access, struct byte_writer *w)
{
	uint32_t count = 0;

	while (count < DEBUG_ACCESS_DIRS && access->dirs[count])
		count++;
	byte_writer_string(w, access->image_dir);
	byte_writer_u32(w, count);
	for (size_t i = 0; i < count; i++)
		byte_writer_string(w, access->dirs[i]);
}

static bool starts_with(const char *path, const char *dir)
{
	return strncmp(path, dir, strlen(dir)) == 0;
}

bool debug_access_allows(const char *const *dirs, const char *image_dir, const char *path)
{
	static const char below[] = "/.debug/";
	const char *rest;

	if (strstr(path, "/../"))
		return false;
	for (; *dirs; dirs++)
		if (starts_with(path, *dirs) && path[strlen(*dirs)] == '/')
			return true;
	if (!image_dir[0] || !starts_with(path, image_dir))
		return false;
	rest = path + strlen(image_dir);
	if (starts_with(rest, below))
		rest += strlen(below) - 1;
	return rest[0] == '/' && !strchr(rest + 1, '/');
}

int debug_access_open(void *context, const char *path)
{
	const struct debug_access *access = context;

	if (!debug_access_allows(access->dirs, access->image_dir, path))
		return -EACCES;
	return file_opener_open(access->opener, path, 0);
}

int debug_access_ask(struct readers *readers, const struct reader_job *job, int fd,
		     const struct byte_writer *rest, uint64_t bytes_max, uint8_t **ret_bytes,
		     size_t *ret_size_bytes)
{
	_cleanup_(byte_writer_fini) struct byte_writer w = { 0 };
	struct debug_access access;
	struct reader_question question = {
		.job = job,
		.file_fd = fd,
		.files = { .context = &access, .open = debug_access_open },
	};

	debug_access_init(&access, fd, NULL, NULL);
	debug_access_write(&access, &w);
	byte_writer_bytes(&w, rest->bytes.at, rest->bytes.count);
	if (w.failed || rest->failed)
		return -ENOMEM;
	question.request = w.bytes.at;
	question.request_bytes = w.bytes.count;
	return readers_ask_all(readers, &question, bytes_max, ret_bytes, ret_size_bytes);
}

/* ---- in the reader ---- */

bool debug_request_read(struct byte_reader *r, struct debug_request *ret_request)
{
	size_t length;
	uint32_t count;

	*ret_request = (struct debug_request){ .image_dir = byte_reader_string(r, &length) };
	if (!length)
		ret_request->image_dir = NULL;
	count = byte_reader_u32(r);
	if (count > DEBUG_ACCESS_DIRS)
		return false;
	for (size_t i = 0; i < count; i++)
		ret_request->dirs[i] = byte_reader_string(r, &length);
	return !r->failed;
}

struct debug_places debug_request_places(const struct debug_request *request)
{
	return (struct debug_places){
		.dirs = request->dirs,
		.image_dir = request->image_dir,
		.open = reader_open,
	};
}
