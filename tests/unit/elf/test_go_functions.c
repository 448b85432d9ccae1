/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/go_functions.h"
#include "elf/symbols.h"
#include "support/go_writer.h"

static const uint32_t formats[] = { GO_1_2, GO_1_16, GO_1_18, GO_1_20 };
#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

/* The frame has 0 bytes for 4 bytes of code, then 24 for 60 bytes. */
#define FRAME_24 FRAME_BYTES(2, 4, 48, 60)
#define NO_FRAME FRAME_BYTES(2, 64)

struct fixture {
	struct go_writer go;
	struct image_file file;
	struct go_functions functions;
	uint8_t *bytes;
	size_t size_bytes;
};

static void read_image(struct fixture *f, const struct elf_writer_options *options)
{
	f->bytes = go_writer_image(&f->go, options, &f->size_bytes);
	assert_int_equal(image_file_from_bytes(f->bytes, f->size_bytes, "go", &f->file, NULL), 0);
	assert_int_equal(go_functions_read(&f->file, f->bytes, &f->functions), 0);
}

static void end(struct fixture *f)
{
	go_functions_fini(&f->functions);
	image_file_fini(&f->file);
	free(f->bytes);
}

/* Two functions of 64 bytes. */
static struct fixture two_functions(uint32_t format)
{
	struct fixture f = { .go = { .format = format, .text_vaddr = 0x1000 } };

	go_writer_function(&f.go, "main.f", 0x1100, FRAME_24, GO_SWITCHES_STACK | GO_ASSEMBLY);
	go_writer_function(&f.go, "runtime.goexit", 0x1140, NO_FRAME, GO_OUTERMOST);
	go_writer_end(&f.go, 0x11a0);	/* padding follows */
	return f;
}

static void assert_part(struct go_function *function, struct go_frame_part *part, uint64_t start,
			uint64_t end_offset, int32_t frame_bytes)
{
	assert_int_equal(go_function_part(function, part), 1);
	assert_int_equal(part->start, start);
	assert_int_equal(part->end, end_offset);
	assert_int_equal(part->frame_bytes, frame_bytes);
}

static void assert_two_functions(struct fixture *f)
{
	struct go_function function;
	struct go_frame_part part = { 0 };

	assert_true(go_functions_next(&f->functions, &function));
	assert_int_equal(function.start_vaddr, 0x1100);
	assert_int_equal(function.size_bytes, 0x40);
	assert_string_equal(function.name, "main.f");
	assert_true(function.switches_stack && function.is_assembly && !function.is_outermost);
	assert_part(&function, &part, 0, 4, 0);
	assert_part(&function, &part, 4, 64, 24);
	assert_int_equal(go_function_part(&function, &part), 0);

	assert_true(go_functions_next(&f->functions, &function));
	assert_int_equal(function.start_vaddr, 0x1140);
	assert_int_equal(function.size_bytes, 0x60);
	assert_string_equal(function.name, "runtime.goexit");
	assert_true(!function.switches_stack && !function.is_assembly && function.is_outermost);
	assert_false(go_functions_next(&f->functions, &function));
	assert_int_equal(f->functions.damaged_count, 0);
}

static void each_format_is_read(void **state)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		struct fixture f = two_functions(formats[i]);

		read_image(&f, NULL);
		assert_two_functions(&f);
		end(&f);
	}
}

static void the_table_is_found_among_other_data(void **state)
{
	static const char *const names[] = { ".data.rel.ro.gopclntab", ".data.rel.ro" };

	for (size_t i = 0; i < 2; i++) {
		struct fixture f = two_functions(GO_1_18);

		f.go.section = names[i];
		f.go.before_bytes = i * 96;
		read_image(&f, NULL);
		assert_two_functions(&f);
		end(&f);
	}
}

/* The header has no address. Then the code begins where .text begins. */
static void the_start_of_the_code_may_be_missing(void **state)
{
	struct fixture f = two_functions(GO_1_20);
	uint8_t *header;

	f.bytes = go_writer_image(&f.go, NULL, &f.size_bytes);
	header = memmem(f.bytes, f.size_bytes, &(uint32_t){ GO_1_20 }, 4);
	assert_non_null(header);
	memset(header + 24, 0, 8);
	assert_int_equal(image_file_from_bytes(f.bytes, f.size_bytes, "go", &f.file, NULL), 0);
	assert_int_equal(go_functions_read(&f.file, f.bytes, &f.functions), 0);
	assert_two_functions(&f);
	end(&f);
}

static void frame_sizes_can_count_instructions(void **state)
{
	struct fixture f = { .go = { .format = GO_1_18, .text_vaddr = 0x1000, .code_unit = 4 } };
	struct go_function function;
	struct go_frame_part part = { 0 };

	go_writer_function(&f.go, "main.f", 0x1000, FRAME_BYTES(2, 1, 32, 3, 31, 1), 0);
	go_writer_end(&f.go, 0x1020);
	read_image(&f, &(struct elf_writer_options){ .machine = EM_AARCH64 });
	assert_true(go_functions_next(&f.functions, &function));
	assert_part(&function, &part, 0, 4, 0);
	assert_part(&function, &part, 4, 16, 16);
	assert_part(&function, &part, 16, 20, 0);
	assert_int_equal(go_function_part(&function, &part), 0);	/* padding follows */
	end(&f);
}

/* Returns what go_function_part() returns after all good parts of a function of 64 bytes. */
static int last_part(struct writer_program frames)
{
	struct fixture f = { .go = { .format = GO_1_18, .text_vaddr = 0x1000 } };
	struct go_function function;
	struct go_frame_part part = { 0 };
	int rc;

	go_writer_function(&f.go, "main.f", 0x1000, frames, 0);
	go_writer_end(&f.go, 0x1040);
	read_image(&f, NULL);
	assert_true(go_functions_next(&f.functions, &function));
	while ((rc = go_function_part(&function, &part)) > 0)
		assert_in_range(part.end, part.start + 1, 64);
	end(&f);
	return rc;
}

static void damaged_frame_sizes_are_noticed(void **state)
{
	assert_int_equal(last_part(FRAME_BYTES(2, 200, 1)), 0);	/* longer than the function */
	assert_int_equal(last_part(FRAME_BYTES(2, 4, 48)), -EBADMSG);	/* no size of code */
	assert_int_equal(last_part(FRAME_BYTES(2, 0, 2, 64)), -EBADMSG);
	assert_int_equal(last_part(FRAME_BYTES(2, 4, 0xfe, 0xff, 0xff, 0xff, 0x1f, 4)), -EBADMSG);
	assert_int_equal(last_part(FRAME_BYTES(2, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					       0xff, 0xff, 0xff, 4)),
			 -EBADMSG);
	assert_int_equal(last_part(FRAME_BYTES()), -EBADMSG);
}

/* Two functions out of order, and one whose record is not in the table. */
static void damaged_functions_are_left_out(void **state)
{
	struct fixture f = { .go = { .format = GO_1_2 } };
	struct go_function function;
	uint64_t record = UINT64_C(1) << 60;

	go_writer_function(&f.go, "a", 0x1000, NO_FRAME, 0);
	go_writer_function(&f.go, "b", 0x1040, NO_FRAME, 0);
	go_writer_function(&f.go, "c", 0x1020, NO_FRAME, 0);
	go_writer_function(&f.go, "d", 0x1080, NO_FRAME, 0);
	go_writer_function(&f.go, "e", 0x10c0, NO_FRAME, 0);
	go_writer_end(&f.go, 0x1100);
	read_image(&f, NULL);
	memcpy(f.functions.bytes + 16 + 3 * 16 + 8, &record, sizeof(record));
	assert_true(go_functions_next(&f.functions, &function));
	assert_string_equal(function.name, "a");
	assert_true(go_functions_next(&f.functions, &function));
	assert_string_equal(function.name, "e");
	assert_false(go_functions_next(&f.functions, &function));
	assert_int_equal(f.functions.damaged_count, 3);
	end(&f);
}

/* Each table is cut at each place. Nothing may be read past its end. */
static void cut_tables_are_survived(void **state)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		struct fixture f = two_functions(formats[i]);
		size_t size_bytes, count = 0;

		read_image(&f, NULL);
		size_bytes = f.functions.size_bytes;
		while (f.functions.size_bytes-- > 64) {
			struct go_function function;

			f.functions.next = f.functions.end_vaddr = 0;
			while (go_functions_next(&f.functions, &function)) {
				struct go_frame_part part = { 0 };

				while (go_function_part(&function, &part) > 0)
					count++;
			}
		}
		assert_in_range(count, 1, size_bytes * 3);
		end(&f);
	}
}

static void other_files_have_no_functions(void **state)
{
	static const struct elf_writer_options others[] = {
		{ .is_elf32 = true },
		{ .swapped = true },
		{ .no_sections = true },
	};
	struct go_function function;

	for (size_t i = 0; i < 3; i++) {
		struct fixture f = two_functions(GO_1_18);

		read_image(&f, &others[i]);
		assert_false(go_functions_next(&f.functions, &function));
		end(&f);
	}
	for (size_t i = 0; i < 2; i++) {
		struct fixture f = two_functions(i ? 0xfffffff7 : GO_1_18);

		f.go.code_unit = i ? 1 : 3;
		read_image(&f, NULL);
		assert_false(go_functions_next(&f.functions, &function));
		end(&f);
	}
}

static void functions_name_a_stripped_program(void **state)
{
	struct fixture f = two_functions(GO_1_18);
	struct symbol_table table;

	read_image(&f, NULL);
	assert_int_equal(symbol_table_from_bytes(f.bytes, f.size_bytes, &table, NULL), 0);
	assert_int_equal(table.symbols.count, 2);
	assert_int_equal(table.symbols.at[0].vaddr, 0x1100);
	assert_int_equal(table.symbols.at[0].size_bytes, 0x40);
	assert_string_equal(table.symbols.at[0].name, "main.f");
	assert_string_equal(table.symbols.at[1].name, "runtime.goexit");
	assert_int_equal(table.symbols.at[1].size_bytes, 0x40);	/* without padding */
	assert_false(table.complete);
	symbol_table_fini(&table);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_format_is_read),
		cmocka_unit_test(the_table_is_found_among_other_data),
		cmocka_unit_test(the_start_of_the_code_may_be_missing),
		cmocka_unit_test(frame_sizes_can_count_instructions),
		cmocka_unit_test(damaged_frame_sizes_are_noticed),
		cmocka_unit_test(damaged_functions_are_left_out),
		cmocka_unit_test(cut_tables_are_survived),
		cmocka_unit_test(other_files_have_no_functions),
		cmocka_unit_test(functions_name_a_stripped_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
