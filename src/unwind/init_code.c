/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/init_code.h"

#include <string.h>

/* If the next bytes are @bytes, skips them and returns true. Otherwise returns false. */
static bool take_code(struct byte_reader *r, const void *bytes, size_t size_bytes)
{
	if (byte_reader_left(r) < size_bytes || memcmp(r->bytes + r->at, bytes, size_bytes) != 0)
		return false;
	byte_reader_skip(r, size_bytes);
	return true;
}

#define TAKE(r, ...) \
	take_code((r), (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

/*
 * If the following code is next, skips it and returns true: mov <address or value>, %rax; test
 * %rax, %rax; je <over the call>; call *%rax. Otherwise returns false, and the position of @r may
 * have changed.
 */
static bool take_gmon_start(struct byte_reader *r)
{
	if (!TAKE(r, 0x48, 0x8b, 0x05) && !TAKE(r, 0x48, 0xc7, 0xc0))
		return false;
	byte_reader_skip(r, 4);
	return TAKE(r, 0x48, 0x85, 0xc0, 0x74, 0x02, 0xff, 0xd0);
}

bool init_code_parse(const struct frame_code *code, struct init_code *ret_code)
{
	struct byte_reader r = byte_reader_of(code->bytes, code->size_bytes), body;
	struct init_code result;

	(void)TAKE(&r, 0xf3, 0x0f, 0x1e, 0xfa);
	if (!TAKE(&r, 0x48, 0x83, 0xec, 0x08))
		return false;
	result.grown_at = (uint32_t)r.at;
	body = r;
	if (take_gmon_start(&body))
		r = body;
	if (!TAKE(&r, 0x48, 0x83, 0xc4, 0x08))
		return false;
	result.shrunk_at = (uint32_t)r.at;
	if (!TAKE(&r, 0xc3) || byte_reader_left(&r) > 0)
		return false;
	*ret_code = result;
	return true;
}
