/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/inlined_job.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/pattern.h"
#include "base/u64map.h"
#include "base/write_all.h"
#include "dwarf/debug_inlined.h"
#include "symbolize/debug_access.h"
#include "symbolize/demangle.h"

#define REPLY_BYTES_MAX (UINT64_C(1) << 16)
#define FUNCTIONS_MAX 10000u	/* further ones are not counted */

/* ---- in the reader ---- */

struct search {
	struct pattern pattern;
	struct u64map seen;		/* by hash of the name: a function that is counted */
	struct byte_writer names;
	uint32_t count, name_count;
};

static bool wants(void *context, const char *function)
{
	struct search *search = context;
	_cleanup_free_ char *demangled = demangle(function);

	return pattern_matches(&search->pattern, function) ||
	       (demangled && pattern_matches(&search->pattern, demangled));
}

static int into(void *context, const char *function)
{
	struct search *search = context;
	uint64_t key = hash_bytes(function, strlen(function));
	_cleanup_free_ char *demangled = NULL;
	uint32_t unused;

	if (search->count == FUNCTIONS_MAX || u64map_get(&search->seen, key, &unused))
		return 0;
	search->count++;
	if (search->name_count < INLINED_NAMES_MAX) {
		demangled = demangle(function);
		byte_writer_string(&search->names, demangled ? demangled : function);
		search->name_count++;
	}
	return u64map_put(&search->seen, key, 1);
}

static int answer(int fd, const struct debug_request *request, struct search *search)
{
	const struct debug_places places = debug_request_places(request);
	const struct debug_lines_options options = {
		.debug_dirs = places.dirs,
		.image_dir = places.image_dir,
		.open = places.open,
	};
	const struct debug_inlined_sink sink = { .context = search, .wants = wants, .into = into };
	_cleanup_(image_file_fini) struct image_file file = { .fd = -1 };
	int rc = image_file_from_fd(fd, "image", &file, NULL);

	return rc < 0 ? rc : debug_inlined_find(&file, &options, &sink);
}

static int reply(const struct search *search, int reply_fd)
{
	const uint32_t head[2] = { search->count, search->name_count };
	int rc = search->names.failed ? -ENOMEM : write_all(reply_fd, head, sizeof(head));

	return rc < 0 ? rc : write_all(reply_fd, search->names.bytes.at, search->names.bytes.count);
}

static int run(struct reader_task *task)
{
	struct byte_reader r = byte_reader_of(task->request, task->request_bytes);
	struct search search = { 0 };
	struct debug_request request;
	const char *text;
	size_t length;
	int rc;

	if (!debug_request_read(&r, &request))
		return -EBADMSG;
	text = byte_reader_string(&r, &length);
	if (r.failed)
		return -EBADMSG;
	rc = pattern_compile(text, PATTERN_NAME, &search.pattern, NULL);
	if (rc < 0)
		return rc;
	rc = answer(TAKE_FD(task->file_fd), &request, &search);
	if (rc == 0)
		rc = reply(&search, task->reply_fd);
	pattern_fini(&search.pattern);
	u64map_fini(&search.seen);
	byte_writer_fini(&search.names);
	return rc;
}

const struct reader_job inlined_job = { .run = run };

/* ---- in the session ---- */

int inlined_take(uint8_t *reply, size_t size_bytes, struct found_inlined *inlined)
{
	struct byte_reader r = byte_reader_of(reply, size_bytes);
	size_t length;

	inlined->reply = reply;
	inlined->count = byte_reader_u32(&r);
	inlined->name_count = byte_reader_u32(&r);
	if (r.failed || inlined->name_count > INLINED_NAMES_MAX ||
	    inlined->name_count > inlined->count || (inlined->count && !inlined->name_count))
		return -EBADMSG;
	for (uint32_t i = 0; i < inlined->name_count; i++)
		inlined->names[i] = byte_reader_string(&r, &length);
	return r.failed ? -EBADMSG : 0;
}

int inlined_find(struct readers *readers, int fd, const char *pattern,
		 struct found_inlined *ret_inlined)
{
	_cleanup_(byte_writer_fini) struct byte_writer w = { 0 };
	struct found_inlined inlined = { 0 };
	uint8_t *bytes;
	size_t size_bytes;
	int rc;

	byte_writer_string(&w, pattern);
	rc = debug_access_ask(readers, &inlined_job, fd, &w, REPLY_BYTES_MAX, &bytes, &size_bytes);
	if (rc == 0)
		rc = inlined_take(bytes, size_bytes, &inlined);
	if (rc < 0)
		found_inlined_fini(&inlined);
	else
		*ret_inlined = inlined;
	return rc;
}

void found_inlined_fini(struct found_inlined *inlined)
{
	free(inlined->reply);
	*inlined = (struct found_inlined){ 0 };
}
