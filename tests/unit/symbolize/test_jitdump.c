/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>

#include "support/jitdump_writer.h"
#include "symbolize/jitdump.h"

static struct jitdump_writer w;

static struct byte_reader records(void)
{
	struct byte_reader r = byte_reader_of(w.bytes + JITDUMP_HEADER_BYTES,
					      w.size_bytes - JITDUMP_HEADER_BYTES);

	r.swapped = w.swapped;
	return r;
}

static int read_first(struct jitdump_record *record)
{
	return jitdump_record_read(records(), w.size_bytes - JITDUMP_HEADER_BYTES, record);
}

static void headers(void **state)
{
	struct jitdump_header header;

	memset(&w, 0, sizeof(w));
	assert_int_equal(jitdump_header_read(w.bytes, JITDUMP_HEADER_BYTES, &header), -EAGAIN);
	jitdump_begin(&w, false);
	assert_int_equal(jitdump_header_read(w.bytes, w.size_bytes - 1, &header), -EAGAIN);
	assert_int_equal(jitdump_header_read(w.bytes, w.size_bytes, &header), 0);
	assert_false(header.swapped);
	assert_false(header.arch_timestamps);
	assert_int_equal(header.machine, 62);
	assert_int_equal(header.size_bytes, 40);
	assert_int_equal(header.line_shift, 0);
	jitdump_set_flags(&w, 1);
	assert_int_equal(jitdump_header_read(w.bytes, w.size_bytes, &header), 0);
	assert_true(header.arch_timestamps);
	jitdump_set_padding(&w, 0xdeadbeef);
	assert_int_equal(jitdump_header_read(w.bytes, w.size_bytes, &header), 0);
	assert_int_equal(header.line_shift, 0x40);
	w.bytes[4] = 2;
	assert_int_equal(jitdump_header_read(w.bytes, w.size_bytes, &header), -EPROTONOSUPPORT);
	w.bytes[0] = 'X';
	assert_int_equal(jitdump_header_read(w.bytes, w.size_bytes, &header), -EBADMSG);
	jitdump_begin(&w, false);
	w.bytes[8] = 39;
	assert_int_equal(jitdump_header_read(w.bytes, w.size_bytes, &header), -EBADMSG);
}

static void both_byte_orders(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct jitdump_header header;
		struct jitdump_record record;

		jitdump_begin(&w, swapped);
		jitdump_load(&w, 77, 0x12345678, 3, "a name");
		assert_int_equal(jitdump_header_read(w.bytes, w.size_bytes, &header), 0);
		assert_int_equal(header.swapped, swapped);
		assert_int_equal(header.machine, 62);
		assert_int_equal(read_first(&record), JITDUMP_RECORD);
		assert_int_equal(record.kind, JITDUMP_LOAD);
		assert_int_equal(record.time_ns, 77);
		assert_int_equal(record.code_addr, 0x12345678);
		assert_int_equal(record.code_bytes, 3);
		assert_int_equal(record.name_length, 6);
		assert_memory_equal(record.name, "a name", 6);
		assert_int_equal(record.body_at, 16 + 40 + 7);
		assert_int_equal(record.body_bytes, 3);
		assert_int_equal(record.size_bytes, 16 + 40 + 7 + 3);
	}
}

static void moves_and_ends(void **state)
{
	struct jitdump_record record;

	jitdump_begin(&w, false);
	jitdump_move(&w, 5, 0x1000, 0x2000, 16);
	assert_int_equal(read_first(&record), JITDUMP_RECORD);
	assert_int_equal(record.kind, JITDUMP_MOVE);
	assert_int_equal(record.old_addr, 0x1000);
	assert_int_equal(record.code_addr, 0x2000);
	assert_int_equal(record.code_bytes, 16);
	jitdump_begin(&w, false);
	jitdump_close(&w, 5);
	assert_int_equal(read_first(&record), JITDUMP_RECORD);
	assert_int_equal(record.kind, JITDUMP_CLOSE);
	jitdump_begin(&w, false);
	jitdump_raw(&w, 4, 16 + 30, 30);	/* unwinding information */
	assert_int_equal(read_first(&record), JITDUMP_RECORD);
	assert_int_equal(record.kind, JITDUMP_OTHER);
	assert_int_equal(record.size_bytes, 46);
}

/* Each prefix is a file that is still growing. */
static void what_is_not_whole_yet(void **state)
{
	struct jitdump_record record;

	jitdump_begin(&w, false);
	jitdump_load(&w, 1, 0x1000, 16, "name");
	for (uint64_t left = 0; left < w.size_bytes - JITDUMP_HEADER_BYTES; left++) {
		struct byte_reader r = byte_reader_of(records().bytes, (size_t)left);

		assert_int_equal(jitdump_record_read(r, left, &record), JITDUMP_MORE);
	}
	assert_int_equal(read_first(&record), JITDUMP_RECORD);
}

static void assert_damaged(void)
{
	struct jitdump_record record;

	assert_int_equal(read_first(&record), -EBADMSG);
}

static void what_makes_no_sense(void **state)
{
	jitdump_begin(&w, false);
	jitdump_raw(&w, 0, 15, 100);		/* smaller than a record */
	assert_damaged();
	jitdump_begin(&w, false);
	jitdump_raw(&w, 0, 16 + 20, 100);	/* its fields would continue in the next record */
	assert_damaged();
	jitdump_begin(&w, false);
	jitdump_raw(&w, 1, 16 + 20, 100);
	assert_damaged();
	jitdump_begin(&w, false);
	jitdump_move(&w, 1, 0x1000, 0x2000, 8);
	memcpy(w.bytes + JITDUMP_HEADER_BYTES + 4, &(uint32_t){ 16 + 32 }, 4);
	assert_damaged();
	jitdump_begin(&w, false);
	jitdump_raw(&w, 2, 16 + 8, 100);
	assert_damaged();
	jitdump_begin(&w, false);
	jitdump_load(&w, 1, 0x1000, 8, "name");
	memset(w.bytes + JITDUMP_HEADER_BYTES + 56, 'n', 13);	/* a name without a terminator */
	assert_damaged();
	jitdump_begin(&w, false);
	jitdump_load(&w, 1, UINT64_MAX - 4, 8, "wraps");
	assert_damaged();
	jitdump_begin(&w, false);
	jitdump_move(&w, 1, 0x1000, UINT64_MAX - 4, 8);
	assert_damaged();
}

/* A function of 4 GiB in a record of 100 bytes, which therefore lacks the code. */
static void code_that_is_left_out(void **state)
{
	const uint64_t size_bytes = UINT64_C(1) << 32;
	struct jitdump_record record;

	jitdump_begin(&w, false);
	jitdump_load(&w, 1, 0x1000, 8, "name");
	memcpy(w.bytes + JITDUMP_HEADER_BYTES + 40, &size_bytes, 8);
	assert_int_equal(read_first(&record), JITDUMP_RECORD);
	assert_int_equal(record.code_bytes, size_bytes);
	assert_int_equal(record.body_bytes, 0);
}

static void line_of(uint64_t addr, uint32_t wanted, const char *wanted_path)
{
	struct jitdump_record record;
	struct byte_reader entries;
	const char *path;
	uint32_t line;

	assert_int_equal(read_first(&record), JITDUMP_RECORD);
	assert_int_equal(record.kind, JITDUMP_LINES);
	entries = byte_reader_of(w.bytes + JITDUMP_HEADER_BYTES + record.body_at,
				 (size_t)record.body_bytes);
	entries.swapped = w.swapped;
	assert_int_equal(jitdump_line_at(entries, addr, &line, &path), wanted != 0);
	if (!wanted)
		return;
	assert_int_equal(line, wanted);
	assert_string_equal(path, wanted_path);
}

static void lines(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		jitdump_begin(&w, swapped);
		jitdump_lines(&w, 0x1000, 10, 3, "/src/a.js");
		line_of(0xfff, 0, NULL);
		line_of(0x1000, 10, "/src/a.js");
		line_of(0x1003, 10, "/src/a.js");
		line_of(0x1004, 11, "/src/a.js");	/* same path as the entry before */
		line_of(0x2000, 12, "/src/a.js");
	}
	w.bytes[w.size_bytes - 1] = 'x';	/* the last path has no terminator */
	line_of(0x2000, 11, "/src/a.js");
	jitdump_begin(&w, false);
	jitdump_lines(&w, 0x1000, 10, 0, "");
	line_of(0x1000, 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers),
		cmocka_unit_test(both_byte_orders),
		cmocka_unit_test(moves_and_ends),
		cmocka_unit_test(what_is_not_whole_yet),
		cmocka_unit_test(what_makes_no_sense),
		cmocka_unit_test(code_that_is_left_out),
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
