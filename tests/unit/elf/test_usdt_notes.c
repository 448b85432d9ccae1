/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The notes of static probes, whole and damaged. */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/usdt_notes.h"
#include "support/elf_fixtures.h"

#define BASE_VADDR 0x3000
#define SEMAPHORE_VADDR 0x4002

static const struct fixture_probe some[] = {
	{ 0x1010, 0, 0, "app", "start", "8@%rdi -4@$-1" },
	{ 0x1020, 0, SEMAPHORE_VADDR, "app", "done", "" },
	/* the same place when the file was linked for another address */
	{ 0x101030, BASE_VADDR + 0x100000, SEMAPHORE_VADDR + 0x100000, "app", "moved", "" },
};

#define SOME_COUNT (sizeof(some) / sizeof(some[0]))

/* A program with these probes. Its code is at 0x1000, its data at 0x4000. */
static uint8_t *image(const struct elf_writer_options *options, const struct fixture_probe *probes,
		      size_t count, size_t *ret_size_bytes)
{
	const struct writer_section base = { .name = ".stapsdt.base",
					     .type = SHT_PROGBITS,
					     .flags = SHF_ALLOC,
					     .vaddr = BASE_VADDR };
	const struct writer_section data = { .name = ".probes",
					     .type = SHT_PROGBITS,
					     .flags = SHF_ALLOC | SHF_WRITE,
					     .vaddr = 0x4000 };
	struct elf_writer w;

	elf_writer_init(&w, options);
	(void)elf_writer_text(&w, ".text", 0x1000, 0x200);
	(void)elf_writer_section(&w, &base, NULL, 1);
	(void)elf_writer_section(&w, &data, NULL, 16);
	elf_fixture_probes(&w, probes, count);
	return elf_writer_finish(&w, ret_size_bytes);
}

static uint64_t offset_of(const struct image_file *file, uint64_t vaddr)
{
	const struct elf_segment *segment = image_file_segment(file, vaddr);

	assert_non_null(segment);
	return segment->offset + (vaddr - segment->vaddr);
}

static void check_probe(const struct usdt_probe *probe, const struct image_file *file,
			uint64_t vaddr, bool has_semaphore, const char *name)
{
	assert_int_equal(probe->offset, offset_of(file, vaddr));
	assert_int_equal(probe->semaphore_offset,
			 has_semaphore ? offset_of(file, SEMAPHORE_VADDR) : 0);
	assert_string_equal(probe->provider, "app");
	assert_string_equal(probe->name, name);
}

static void probes_are_read(void **state)
{
	static const struct elf_writer_options kinds[] = {
		{ .machine = EM_X86_64 },
		{ .machine = EM_AARCH64 },
		{ .machine = EM_S390, .swapped = true },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t size_bytes;
		uint8_t *bytes = image(&kinds[i], some, SOME_COUNT, &size_bytes);
		struct usdt_probes probes;
		struct image_file file;

		assert_int_equal(image_file_from_bytes(bytes, size_bytes, "test", &file, NULL), 0);
		assert_int_equal(usdt_probes_from_bytes(bytes, size_bytes, &probes), 0);
		assert_int_equal(probes.list.count, SOME_COUNT);
		check_probe(&probes.list.at[0], &file, 0x1010, false, "start");
		assert_string_equal(probes.list.at[0].arguments, "8@%rdi -4@$-1");
		check_probe(&probes.list.at[1], &file, 0x1020, true, "done");
		check_probe(&probes.list.at[2], &file, 0x1030, true, "moved");
		usdt_probes_fini(&probes);
		image_file_fini(&file);
		free(bytes);
	}
}

static void other_places_are_left_out(void **state)
{
	static const struct fixture_probe odd[] = {
		{ 0x4000, 0, 0, "app", "in data", "" },
		{ 0x9000, 0, 0, "app", "nowhere", "" },
		{ 0, 0, 0, "app", "zero", "" },
		{ UINT64_MAX, 0, 0, "app", "last", "" },
		{ 0x1010, 0, 0x9000, "app", "no semaphore", "" },
		{ 0x1010, 0, 0, "app", "good", "" },
	};
	static const struct elf_writer_options options = { .machine = EM_X86_64 };
	size_t size_bytes;
	uint8_t *bytes = image(&options, odd, sizeof(odd) / sizeof(odd[0]), &size_bytes);
	struct usdt_probes probes;

	assert_int_equal(usdt_probes_from_bytes(bytes, size_bytes, &probes), 0);
	assert_int_equal(probes.list.count, 1);
	assert_string_equal(probes.list.at[0].name, "good");
	usdt_probes_fini(&probes);
	free(bytes);
}

static void images_without_notes_have_no_probes(void **state)
{
	static const struct elf_writer_options kinds[] = {
		{ .machine = EM_X86_64 },
		{ .machine = EM_386, .is_elf32 = true },
		{ .machine = EM_X86_64, .no_sections = true },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t size_bytes;
		uint8_t *bytes = image(&kinds[i], some, i ? SOME_COUNT : 0, &size_bytes);
		struct usdt_probes probes;

		assert_int_equal(usdt_probes_from_bytes(bytes, size_bytes, &probes), 0);
		assert_int_equal(probes.list.count, 0);
		usdt_probes_fini(&probes);
		free(bytes);
	}
}

/* Every byte of the notes is altered in several ways. Texts must still end inside the notes. */
static void damaged_notes_do_no_harm(void **state)
{
	static const struct elf_writer_options options = { .machine = EM_X86_64 };
	static const uint8_t values[] = { 0, 1, 0x7f, 0xff };
	size_t size_bytes, whole = 0, fewer = 0;
	uint8_t *bytes = image(&options, some, SOME_COUNT, &size_bytes);

	for (size_t i = 0; i < size_bytes; i++)
		for (size_t k = 0; k < sizeof(values); k++) {
			uint8_t *copy = malloc(size_bytes);
			struct usdt_probes probes;

			assert_non_null(copy);
			memcpy(copy, bytes, size_bytes);
			copy[i] = values[k];
			if (usdt_probes_from_bytes(copy, size_bytes, &probes) == 0) {
				whole += probes.list.count == SOME_COUNT;
				fewer += probes.list.count < SOME_COUNT;
				for (size_t p = 0; p < probes.list.count; p++)
					assert_true(strlen(probes.list.at[p].name) < size_bytes);
				usdt_probes_fini(&probes);
			}
			free(copy);
		}
	assert_true(whole > 0 && fewer > 0);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_read),
		cmocka_unit_test(other_places_are_left_out),
		cmocka_unit_test(images_without_notes_have_no_probes),
		cmocka_unit_test(damaged_notes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
