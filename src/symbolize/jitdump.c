/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/jitdump.h"

#include <errno.h>
#include <string.h>

#define MAGIC UINT32_C(0x4a695444)	/* "JiTD" */
#define VERSION 1
#define FLAG_ARCH_TIMESTAMP 1u

/*
 * V8 writes line addresses that are too high by the size of an ELF header, because perf turns each
 * function into an ELF file, where the text begins after the header. A V8 file can be recognized
 * only by this value of the padding word.
 */
#define V8_PADDING UINT32_C(0xdeadbeef)
#define V8_LINE_SHIFT 0x40u

enum record_id { ID_LOAD, ID_MOVE, ID_LINES, ID_CLOSE };

static bool is_blank(const void *bytes, size_t size_bytes)
{
	const uint8_t *at = bytes;

	while (size_bytes && !*at) {
		at++;
		size_bytes--;
	}
	return !size_bytes;
}

int jitdump_header_read(const void *bytes, size_t size_bytes, struct jitdump_header *ret_header)
{
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	uint32_t magic = byte_reader_u32(&r), version, padding;
	struct jitdump_header header = { 0 };

	if (size_bytes < JITDUMP_HEADER_BYTES || is_blank(bytes, JITDUMP_HEADER_BYTES))
		return -EAGAIN;
	header.swapped = r.swapped = magic == __builtin_bswap32(MAGIC);
	if (magic != MAGIC && !header.swapped)
		return -EBADMSG;
	version = byte_reader_u32(&r);
	header.size_bytes = byte_reader_u32(&r);
	header.machine = (uint16_t)byte_reader_u32(&r);
	padding = byte_reader_u32(&r);
	header.pid = byte_reader_u32(&r);
	byte_reader_skip(&r, sizeof(uint64_t));	/* time of day */
	header.arch_timestamps = byte_reader_u64(&r) & FLAG_ARCH_TIMESTAMP;
	if (version != VERSION)
		return -EPROTONOSUPPORT;
	if (r.failed || header.size_bytes < JITDUMP_HEADER_BYTES)
		return -EBADMSG;
	if (padding == V8_PADDING)
		header.line_shift = V8_LINE_SHIFT;
	*ret_header = header;
	return 0;
}

/* ---- records ---- */

/*
 * Reads the name. A NUL must end the name inside the window and inside the record. If it does not,
 * returns false, because the record is damaged. Truncates a name longer than JITDUMP_NAME_MAX.
 */
static bool read_name(struct byte_reader *r, uint64_t size_bytes, struct jitdump_record *record)
{
	size_t left = byte_reader_left(r), most;
	const char *end;

	most = size_bytes - r->at < left ? (size_t)(size_bytes - r->at) : left;
	record->name = (const char *)r->bytes + r->at;
	end = memchr(record->name, 0, most);
	if (!end)
		return false;
	record->name_length = (size_t)(end - record->name);
	byte_reader_skip(r, record->name_length + 1);
	if (record->name_length > JITDUMP_NAME_MAX)
		record->name_length = JITDUMP_NAME_MAX;
	return true;
}

static bool is_range(uint64_t addr, uint64_t size_bytes)
{
	return size_bytes > 0 && size_bytes <= UINT64_MAX - addr;
}

static bool read_load(struct byte_reader *r, struct jitdump_record *record)
{
	byte_reader_skip(r, 2 * sizeof(uint32_t) + sizeof(uint64_t));	/* pid, tid, vma */
	record->code_addr = byte_reader_u64(r);
	record->code_bytes = byte_reader_u64(r);
	byte_reader_skip(r, sizeof(uint64_t));	/* index */
	if (r->failed || r->at >= record->size_bytes || !read_name(r, record->size_bytes, record))
		return false;
	record->body_at = r->at;
	record->body_bytes = record->size_bytes - r->at;
	if (record->body_bytes < record->code_bytes)	/* the code may be left out */
		record->body_bytes = 0;
	else
		record->body_bytes = record->code_bytes;
	return is_range(record->code_addr, record->code_bytes) || record->code_bytes == 0;
}

static bool read_move(struct byte_reader *r, struct jitdump_record *record)
{
	byte_reader_skip(r, 2 * sizeof(uint32_t) + sizeof(uint64_t));
	record->old_addr = byte_reader_u64(r);
	record->code_addr = byte_reader_u64(r);
	record->code_bytes = byte_reader_u64(r);
	return is_range(record->code_addr, record->code_bytes) &&
	       is_range(record->old_addr, record->code_bytes);
}

static bool read_lines(struct byte_reader *r, struct jitdump_record *record)
{
	record->code_addr = byte_reader_u64(r);
	/* skips the number of entries, which is not needed because their total size is known */
	byte_reader_skip(r, sizeof(uint64_t));
	record->body_at = r->at;
	if (record->size_bytes < r->at)
		return false;
	record->body_bytes = record->size_bytes - r->at;
	return true;
}

int jitdump_record_read(struct byte_reader window, uint64_t left_bytes,
			struct jitdump_record *ret_record)
{
	struct byte_reader r = window;
	struct jitdump_record record = { .kind = JITDUMP_OTHER };
	uint32_t id;
	bool fine = true;

	if (left_bytes < JITDUMP_RECORD_BYTES)
		return JITDUMP_MORE;
	if (byte_reader_left(&r) >= JITDUMP_RECORD_BYTES &&
	    is_blank(r.bytes + r.at, JITDUMP_RECORD_BYTES))
		return JITDUMP_BLANK;
	id = byte_reader_u32(&r);
	record.size_bytes = byte_reader_u32(&r);
	record.time_ns = byte_reader_u64(&r);
	if (r.failed || record.size_bytes < JITDUMP_RECORD_BYTES)
		return -EBADMSG;
	if (record.size_bytes > left_bytes)
		return JITDUMP_MORE;
	if (id <= ID_CLOSE)
		record.kind = (enum jitdump_kind)id;
	if (id == ID_LOAD)
		fine = read_load(&r, &record);
	else if (id == ID_MOVE)
		fine = read_move(&r, &record);
	else if (id == ID_LINES)
		fine = read_lines(&r, &record);
	if (!fine || r.failed || r.at > record.size_bytes)
		return -EBADMSG;
	*ret_record = record;
	return JITDUMP_RECORD;
}

/* ---- lines ---- */

bool jitdump_line_at(struct byte_reader entries, uint64_t addr, uint32_t *ret_line,
		     const char **ret_path)
{
	const char *path = "", *name;
	uint64_t best_addr = 0;
	bool found = false;

	while (byte_reader_left(&entries) > 0) {
		uint64_t entry_addr = byte_reader_u64(&entries);
		uint32_t line = byte_reader_u32(&entries);

		byte_reader_skip(&entries, sizeof(uint32_t));	/* discriminator */
		name = byte_reader_string(&entries, NULL);
		if (entries.failed)
			break;
		if (strcmp(name, "\xff") != 0)	/* "\xff": the path of the previous entry */
			path = name;
		if (entry_addr > addr || (found && entry_addr < best_addr))
			continue;
		best_addr = entry_addr;
		*ret_line = line;
		*ret_path = path;
		found = true;
	}
	return found;
}
