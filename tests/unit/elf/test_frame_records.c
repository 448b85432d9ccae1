/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>

#include "elf/frame_records.h"
#include "support/frame_writer.h"

#define NO_PROGRAM FRAME_BYTES(0)

struct fixture {
	struct frame_writer frames;
	struct image_file file;
	struct frame_records records;
	uint8_t *bytes;
};

static void read_as(struct fixture *f, const struct elf_writer_options *options)
{
	size_t size_bytes;

	f->bytes = frame_writer_image(&f->frames, options, &size_bytes);
	assert_int_equal(image_file_from_bytes(f->bytes, size_bytes, "fixture", &f->file, NULL), 0);
	assert_int_equal(frame_records_read(&f->file, f->bytes, &f->records), 0);
}

static void end(struct fixture *f)
{
	frame_records_fini(&f->records);
	image_file_fini(&f->file);
	free(f->bytes);
}

static const struct frame_cie *assert_next(struct fixture *f, uint64_t start, uint64_t size_bytes)
{
	struct frame_fde fde;

	assert_int_equal(frame_records_next(&f->records, &fde), 1);
	assert_int_equal(fde.start_vaddr, start);
	assert_int_equal(fde.size_bytes, size_bytes);
	return &f->records.cies.at[fde.cie];
}

static void assert_end(struct fixture *f, uint32_t damaged_count)
{
	struct frame_fde fde;

	assert_int_equal(frame_records_next(&f->records, &fde), 0);
	assert_int_equal(f->records.damaged_count, damaged_count);
	end(f);
}

static void records_of_eh_frame(void **state)
{
	struct fixture f = { .frames.vaddr = 0x4000 };
	size_t first = frame_writer_cie(&f.frames, &(struct writer_cie){ 0 });
	size_t second = frame_writer_cie(&f.frames, &(struct writer_cie){ .augmentation = "zRS",
									  .code_align = 4,
									  .data_align = -4,
									  .ra_register = 30 });
	const struct frame_cie *cie;

	frame_writer_fde(&f.frames, first, 0x1000, 0x40, NO_PROGRAM);
	frame_writer_fde(&f.frames, second, 0x1040, 0x20, FRAME_BYTES(0x41, 0x0e, 0x10));
	frame_writer_fde(&f.frames, first, 0x1100, 0x10, NO_PROGRAM);
	read_as(&f, NULL);
	cie = assert_next(&f, 0x1000, 0x40);
	assert_int_equal(cie->code_align, 1);
	assert_int_equal(cie->data_align, -8);
	assert_int_equal(cie->ra_register, 16);
	assert_int_equal(cie->instructions.size_bytes, 5);
	assert_false(cie->signal);
	cie = assert_next(&f, 0x1040, 0x20);
	assert_int_equal(cie->code_align, 4);
	assert_int_equal(cie->data_align, -4);
	assert_int_equal(cie->ra_register, 30);
	assert_true(cie->signal);
	(void)assert_next(&f, 0x1100, 0x10);
	assert_int_equal(f.records.cies.count, 2);
	assert_end(&f, 0);
}

static void programs_are_what_follows(void **state)
{
	struct fixture f = { .frames.vaddr = 0x4000 };
	struct frame_fde fde;

	frame_writer_fde(&f.frames, frame_writer_cie(&f.frames, &(struct writer_cie){ 0 }), 0x1000,
			 0x40, FRAME_BYTES(0x41, 0x0e, 0x10));
	read_as(&f, NULL);
	assert_int_equal(frame_records_next(&f.records, &fde), 1);
	assert_int_equal(fde.instructions.size_bytes, 3);
	assert_memory_equal(fde.instructions.bytes, "\x41\x0e\x10", 3);
	assert_end(&f, 0);
}

/* All versions, and both sizes of length fields. */
static void records_of_debug_frame(void **state)
{
	static const uint8_t versions[] = { 1, 3, 4, 5 };

	for (size_t i = 0; i < 2 * sizeof(versions); i++) {
		struct fixture f = { .frames = { .is_debug = true, .is_dwarf64 = i % 2 } };
		size_t cie;

		(void)frame_writer_cie(&f.frames, &(struct writer_cie){ .ra_register = 1 });
		cie = frame_writer_cie(&f.frames,
				       &(struct writer_cie){ .version = versions[i / 2] });
		frame_writer_fde(&f.frames, cie, 0x1234, 0x56, NO_PROGRAM);
		read_as(&f, NULL);
		assert_int_equal(assert_next(&f, 0x1234, 0x56)->ra_register, 16);
		assert_end(&f, 0);
	}
}

static void long_lengths_of_eh_frame(void **state)
{
	struct fixture f = { .frames = { .vaddr = 0x4000, .is_dwarf64 = true } };

	frame_writer_fde(&f.frames, frame_writer_cie(&f.frames, &(struct writer_cie){ 0 }), 0x1000,
			 0x40, NO_PROGRAM);
	read_as(&f, NULL);
	(void)assert_next(&f, 0x1000, 0x40);
	assert_end(&f, 0);
}

static void addresses_in_all_encodings(void **state)
{
	static const struct {
		uint8_t encoding, size_bytes;
		const char *head;	/* 0x1020 and 0x30, and no augmentation data */
	} cases[] = {
		{ 0x00, 17, "\x20\x10\0\0\0\0\0\0\x30\0\0\0\0\0\0\0" },
		{ 0x01, 4, "\xa0\x20\x30" },
		{ 0x02, 5, "\x20\x10\x30\0" },
		{ 0x03, 9, "\x20\x10\0\0\x30\0\0\0" },
		{ 0x04, 17, "\x20\x10\0\0\0\0\0\0\x30\0\0\0\0\0\0\0" },
		{ 0x09, 4, "\xa0\x20\x30" },
		{ 0x0a, 5, "\x20\x10\x30\0" },
		{ 0x0b, 9, "\x20\x10\0\0\x30\0\0\0" },
		{ 0x0c, 17, "\x20\x10\0\0\0\0\0\0\x30\0\0\0\0\0\0\0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct writer_program head = { (const uint8_t *)cases[i].head,
					       cases[i].size_bytes };
		struct fixture f = { .frames.vaddr = 0x4000 };
		struct writer_cie cie = { .augmentation = "zR", .encoding = cases[i].encoding };

		if (cie.encoding == 0)
			cie.augmentation = "z";
		frame_writer_raw_fde(&f.frames, frame_writer_cie(&f.frames, &cie), head,
				     NO_PROGRAM);
		read_as(&f, NULL);
		(void)assert_next(&f, 0x1020, 0x30);
		assert_end(&f, 0);
	}
}

/*
 * Without section headers the records are found through .eh_frame_hdr and end at a record of length
 * 0.
 */
static void records_of_files_without_sections(void **state)
{
	struct fixture f = { .frames.vaddr = 0x4000 };
	struct elf_writer_options options = { .no_sections = true };

	frame_writer_fde(&f.frames, frame_writer_cie(&f.frames, &(struct writer_cie){ 0 }), 0x1000,
			 0x40, NO_PROGRAM);
	elf_writer_put_bytes(&f.frames.bytes, "\0\0\0\0something else", 19);
	read_as(&f, &options);
	(void)assert_next(&f, 0x1000, 0x40);
	assert_end(&f, 0);
}

static void unreadable_records_are_counted(void **state)
{
	static const struct writer_cie strange[] = {
		{ .version = 2 },
		{ .version = 6 },
		{ .augmentation = "zRX" },
		{ .augmentation = "eh" },
		{ .augmentation = "zRRRRRRRR" },
		{ .encoding = 0x2b },	/* textrel */
		{ .encoding = 0x3b },	/* datarel, but there is no GOT to be relative to */
		{ .encoding = 0x9b },	/* indirect */
		{ .encoding = 0x0d },
		{ .encoding = 0xff },
	};
	size_t count = sizeof(strange) / sizeof(*strange);
	struct fixture f = { .frames.vaddr = 0x4000 };

	for (size_t i = 0; i < count; i++)
		frame_writer_fde(&f.frames, frame_writer_cie(&f.frames, &strange[i]), 0x1000, 0x40,
				 NO_PROGRAM);
	frame_writer_fde(&f.frames, 3, 0x1000, 0x40, NO_PROGRAM);	/* no CIE is there */
	frame_writer_fde(&f.frames, (size_t)-5, 0x1000, 0x40, NO_PROGRAM);
	frame_writer_fde(&f.frames, frame_writer_cie(&f.frames, &(struct writer_cie){ 0 }), 0x1000,
			 0x40, NO_PROGRAM);
	read_as(&f, NULL);
	(void)assert_next(&f, 0x1000, 0x40);
	assert_end(&f, (uint32_t)count + 2);
}

static void a_damaged_length_is_an_error(void **state)
{
	struct fixture f = { .frames.vaddr = 0x4000 };
	struct frame_fde fde;

	frame_writer_fde(&f.frames, frame_writer_cie(&f.frames, &(struct writer_cie){ 0 }), 0x1000,
			 0x40, NO_PROGRAM);
	elf_writer_put_bytes(&f.frames.bytes, "\x40\0\0\0", 4);
	read_as(&f, NULL);
	(void)assert_next(&f, 0x1000, 0x40);
	assert_int_equal(frame_records_next(&f.records, &fde), -ENOEXEC);
	end(&f);
}

/* If CIEs could overlap, a walk would run the same bytes for each FDE. */
static void cies_may_not_overlap_much(void **state)
{
	struct fixture f = { .frames.vaddr = 0x4000 };
	struct writer_program program = { calloc(1, 1000), 1000 };
	size_t count = 0, outer;

	outer = frame_writer_cie(&f.frames, &(struct writer_cie){ .initial = program });
	/* zeros: CIEs of version 0, each inside the outer one */
	for (size_t i = 1; i < 10; i++) {
		size_t at = outer + 20 + i * 64;

		memcpy(f.frames.bytes.data.at + at, f.frames.bytes.data.at + outer, 17);
		memcpy(f.frames.bytes.data.at + at, &(uint32_t){ (uint32_t)(1000 - i * 64) }, 4);
		frame_writer_fde(&f.frames, at, 0x1000 + 0x10 * i, 0x10, NO_PROGRAM);
	}
	read_as(&f, NULL);
	for (struct frame_fde fde; frame_records_next(&f.records, &fde) > 0;)
		count++;
	assert_true(count == 1);
	assert_int_equal(f.records.damaged_count, 8);
	free((void *)(uintptr_t)program.bytes);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_eh_frame),
		cmocka_unit_test(programs_are_what_follows),
		cmocka_unit_test(records_of_debug_frame),
		cmocka_unit_test(long_lengths_of_eh_frame),
		cmocka_unit_test(addresses_in_all_encodings),
		cmocka_unit_test(records_of_files_without_sections),
		cmocka_unit_test(unreadable_records_are_counted),
		cmocka_unit_test(a_damaged_length_is_an_error),
		cmocka_unit_test(cies_may_not_overlap_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
