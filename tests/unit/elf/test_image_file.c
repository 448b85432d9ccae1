/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/image_file.h"
#include "support/elf_fixtures.h"
#include "support/temp.h"

static const uint8_t fixture_id[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

static void check_fixture(const struct elf_writer_options *options)
{
	struct image_file file;
	size_t size_bytes;
	uint8_t *bytes = elf_fixture_full(options, &size_bytes);
	struct err err = { 0 };

	assert_int_equal(image_file_from_bytes(bytes, size_bytes, "fixture", &file, &err), 0);
	assert_int_equal(file.fd, -1);
	assert_int_equal(file.is_elf64, !options->is_elf32);
	assert_int_equal(file.swapped, options->swapped);
	assert_int_equal(file.machine, options->machine);
	assert_int_equal(file.entry_vaddr, 0x1000);
	assert_int_equal(file.build_id_size, sizeof(fixture_id));
	assert_memory_equal(file.build_id, fixture_id, sizeof(fixture_id));
	/* sorted by address: .text, .plt, .eh_frame */
	assert_int_equal(file.segments.count, 3);
	assert_int_equal(file.segments.at[0].vaddr, 0x1000);
	assert_int_equal(file.segments.at[0].file_size_bytes, 0x200);
	assert_true(file.segments.at[0].executable);
	assert_true(file.segments.at[1].executable);
	assert_false(file.segments.at[2].executable);
	image_file_fini(&file);
	free(bytes);
}

static void reads_both_classes_and_byte_orders(void **state)
{
	check_fixture(&(struct elf_writer_options){ .machine = EM_X86_64 });
	check_fixture(&(struct elf_writer_options){ .machine = EM_386, .is_elf32 = true });
	check_fixture(&(struct elf_writer_options){ .machine = EM_S390, .swapped = true });
	check_fixture(&(struct elf_writer_options){
		.machine = EM_PPC, .is_elf32 = true, .swapped = true });
}

static void tells_programs_from_libraries(void **state)
{
	static const struct {
		uint16_t type;
		const char *section;
		bool is_program;
	} cases[] = {
		{ ET_DYN, ".eh_frame_hdr", false },
		{ ET_DYN, ".interp", true },
		{ ET_EXEC, ".eh_frame_hdr", true },
	};

	for (size_t i = 0; i < 3; i++) {
		struct writer_section section = { .name = cases[i].section,
						  .flags = SHF_ALLOC,
						  .vaddr = 0x5000 };
		struct elf_writer writer;
		struct image_file file;
		size_t size_bytes;
		uint8_t *bytes;

		elf_writer_init(&writer, &(struct elf_writer_options){ .type = cases[i].type });
		(void)elf_writer_section(&writer, &section, "1234", 4);
		bytes = elf_writer_finish(&writer, &size_bytes);
		assert_int_equal(image_file_from_bytes(bytes, size_bytes, "f", &file, NULL), 0);
		assert_int_equal(file.is_program, cases[i].is_program);
		assert_int_equal(file.eh_frame_hdr.vaddr, i == 1 ? 0 : 0x5000);
		assert_int_equal(file.eh_frame_hdr.file_size_bytes, i == 1 ? 0 : 4);
		image_file_fini(&file);
		free(bytes);
	}
}

static void has_identity_of_the_open_file(void **state)
{
	struct temp_dir dir = temp_dir_make();
	size_t size_bytes;
	uint8_t *bytes = elf_fixture_full(&(struct elf_writer_options){ 0 }, &size_bytes);
	const char *path = temp_file(&dir, "image", bytes, size_bytes);
	struct image_file file;
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(image_file_open(AT_FDCWD, path, &file, NULL), 0);
	assert_true(file.fd >= 0);
	assert_true(fcntl(file.fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(file.dev, st.st_dev);
	assert_int_equal(file.inode, st.st_ino);
	assert_int_equal(file.size_bytes, size_bytes);
	assert_int_equal(file.mtime_ns,
			 (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec);
	image_file_fini(&file);
	assert_int_equal(file.fd, -1);
	free(bytes);
	temp_dir_remove(&dir);
}

static void refuses_what_is_no_image(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct image_file file = { .fd = 77 };
	struct err err = { 0 };
	char fifo[128];

	(void)snprintf(fifo, sizeof(fifo), "%s/fifo", dir.path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(image_file_open(AT_FDCWD, fifo, &file, &err), -EINVAL);
	assert_non_null(strstr(err.text, fifo));
	assert_int_equal(image_file_open(AT_FDCWD, dir.path, &file, &err), -EINVAL);
	assert_int_equal(image_file_open(AT_FDCWD, "/dev/null", &file, &err), -EINVAL);
	assert_int_equal(image_file_open(AT_FDCWD, "/no/such/file", &file, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/file"));
	assert_int_equal(image_file_open(AT_FDCWD, temp_file(&dir, "text", "#!/bin/sh\n", 10),
					 &file, &err),
			 -ENOEXEC);
	assert_int_equal(image_file_open(AT_FDCWD, temp_file(&dir, "empty", "", 0), &file, &err),
			 -ENOEXEC);
	assert_int_equal(file.fd, 77);	/* unchanged on failure */
	(void)unlink(fifo);
	temp_dir_remove(&dir);
}

/* Opening a device or a FIFO has side effects; stat() has none. */
static void only_regular_files_are_opened(void **state)
{
	struct temp_dir dir = temp_dir_make();
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct image_file file;
	char event[512], fifo[128];

	(void)snprintf(fifo, sizeof(fifo), "%s/fifo", dir.path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(inotify_add_watch(watch, fifo, IN_OPEN) >= 0);
	assert_int_equal(image_file_open(AT_FDCWD, fifo, &file, NULL), -EINVAL);
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	(void)close(watch);
	(void)unlink(fifo);
	temp_dir_remove(&dir);
}

static void closes_the_descriptor_when_it_fails(void **state)
{
	int fd = memfd_create("empty", MFD_CLOEXEC);
	struct image_file file;

	assert_true(fd >= 0);
	assert_int_equal(image_file_from_fd(fd, "empty", &file, NULL), -ENOEXEC);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void a_truncated_image_is_refused_or_read(void **state)
{
	size_t size_bytes;
	uint8_t *bytes = elf_fixture_full(&(struct elf_writer_options){ 0 }, &size_bytes);

	for (size_t size = 0; size < size_bytes; size++) {
		struct image_file file;
		int rc = image_file_from_bytes(bytes, size, "cut", &file, NULL);

		if (size < 64 + 4 * 56) {
			assert_int_equal(rc, -ENOEXEC);	/* in the middle of the headers */
			continue;
		}
		assert_int_equal(rc, 0);
		image_file_fini(&file);
	}
	free(bytes);
}

/* Two layouts: two segments that share a page (lld), and segments on separate pages (GNU ld). */
static void offsets_become_addresses_by_the_page(void **state)
{
	struct elf_segment shared[] = {
		{ .offset = 0, .file_size_bytes = 0x7a0, .vaddr = 0 },
		{ .offset = 0x7a0, .file_size_bytes = 0x900, .vaddr = 0x17a0, .executable = true },
		{ .offset = 0x10a0, .file_size_bytes = 0x10, .vaddr = 0x30a0 },
	};
	struct image_file file = { .fd = -1 };
	uint64_t vaddr = 1;

	file.segments.at = shared;
	file.segments.count = 3;
	assert_true(image_file_vaddr(&file, 0x7a0, &vaddr));
	assert_int_equal(vaddr, 0x17a0);
	assert_true(image_file_vaddr(&file, 0, &vaddr));	/* start of the mapping */
	assert_int_equal(vaddr, 0x1000);
	assert_true(image_file_vaddr(&file, 0x10a8, &vaddr));	/* in the padding of the code */
	assert_int_equal(vaddr, 0x20a8);
	assert_true(image_file_vaddr(&file, 0x1fff, &vaddr));
	assert_int_equal(vaddr, 0x2fff);
	assert_false(image_file_vaddr(&file, 0x2000, &vaddr));
	file.segments.count = 1;
	assert_true(image_file_vaddr(&file, 0x7a0, &vaddr));
	assert_int_equal(vaddr, 0x7a0);
	shared[0].file_size_bytes = 0;
	assert_false(image_file_vaddr(&file, 0, &vaddr));
}

static void assert_code(const struct image_file *file, const char *image, uint64_t vaddr,
			size_t size_bytes, const char *wanted)
{
	char code[8] = "";

	assert_int_equal(image_file_code(file, image, vaddr, size_bytes, code),
			 wanted ? 0 : -ENOENT);
	assert_string_equal(code, wanted ? wanted : "");
}

/* Adjacent segments, segments after gaps, and addresses that are not code. */
static void code_is_that_of_its_segment(void **state)
{
	static const char image[] = "abcdefghijklmnopqrstuvwxyz";
	struct elf_segment segments[] = {
		{ .offset = 0, .file_size_bytes = 4, .vaddr = 0x1000, .executable = true },
		{ .offset = 4, .file_size_bytes = 4, .vaddr = 0x1004, .executable = true },
		{ .offset = 8, .file_size_bytes = 4, .vaddr = 0x2000 },
		{ .offset = 12, .file_size_bytes = 4, .vaddr = 0x3000, .executable = true },
		{ .offset = 24, .file_size_bytes = 4, .vaddr = UINT64_MAX - 3, .executable = true },
	};
	struct image_file file = { .fd = -1, .size_bytes = sizeof(image) - 1 };

	assert_null(image_file_segment(&file, 0x1000));
	file.segments.at = segments;
	file.segments.count = 5;
	assert_code(&file, image, 0xfff, 1, NULL);
	assert_code(&file, image, 0x1000, 4, "abcd");
	assert_code(&file, image, 0x1002, 3, NULL);	/* half of it belongs to the next segment */
	assert_code(&file, image, 0x1004, 4, "efgh");
	assert_code(&file, image, 0x1008, 1, NULL);
	assert_code(&file, image, 0x2000, 1, NULL);
	assert_code(&file, image, 0x3003, 1, "p");
	assert_code(&file, image, 0x3004, 1, NULL);
	assert_code(&file, image, UINT64_MAX - 3, 2, "yz");
	assert_int_not_equal(image_file_code(&file, image, UINT64_MAX, 1, &(char){ 0 }), 0);
	for (size_t i = 0; i < 5; i++)
		assert_ptr_equal(image_file_segment(&file, segments[i].vaddr + 3), &segments[i]);
	assert_null(image_file_segment(&file, 0x2004));
}

/* In the order of /proc/kcore: vsyscall, text, vmalloc, modules, memory. */
static void segments_may_come_in_any_order(void **state)
{
	static const uint64_t starts[] = { 0xffffffffff600000, 0xffffffff81000000,
					   0xffffc90000000000, 0xffffffffc0000000,
					   0xffff888000001000 };
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr phdrs[5];
		char bytes[5];
	} kcore = {
		.header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_CORE,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 5 },
		.bytes = "abcde",
	};
	struct image_file file;
	struct err err = { 0 };

	for (size_t i = 0; i < 5; i++)
		kcore.phdrs[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
					       .p_flags = PF_R | PF_X,
					       .p_offset = offsetof(typeof(kcore), bytes) + i,
					       .p_vaddr = starts[i],
					       .p_filesz = 1,
					       .p_memsz = 1 };
	assert_int_equal(
		image_file_from_bytes((uint8_t *)&kcore, sizeof(kcore), "kcore", &file, &err), 0);
	for (size_t i = 0; i < 5; i++)
		assert_code(&file, (const char *)&kcore, starts[i], 1, (char[]){ "abcde"[i], 0 });
	image_file_fini(&file);
}

static void finds_the_build_id_among_notes(void **state)
{
	/*
	 * A note of the same type from another owner, whose name has 5 bytes, then the right note.
	 */
	static const uint8_t notes[] = {
		5, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 'A', 'B', 'C', 'D', 0,   0, 0,    0,    9, 0,
		0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0,	 0,   'G', 'N', 'U', 0, 0xaa, 0xbb, 0, 0,
	};
	static const uint8_t too_long[] = {
		4, 0, 0, 0, 21, 0,  0,	0,  3,	0,  0,	0,  'G', 'N', 'U', 0,  1,  2, 3, 4,
		5, 6, 7, 8, 9,	10, 11, 12, 13, 14, 15, 16, 17,	 18,  19,  20, 21, 0, 0, 0,
	};
	uint8_t id[IMAGE_BUILD_ID_MAX];

	assert_int_equal(elf_note_build_id(notes, sizeof(notes), false, id), 2);
	assert_int_equal(id[0], 0xaa);
	assert_int_equal(elf_note_build_id(notes, sizeof(notes), true, id), 0);
	assert_int_equal(elf_note_build_id(notes, sizeof(notes) - 3, false, id), 0);
	assert_int_equal(elf_note_build_id(too_long, sizeof(too_long), false, id), 0);
	assert_int_equal(elf_note_build_id(notes, 0, false, id), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_classes_and_byte_orders),
		cmocka_unit_test(tells_programs_from_libraries),
		cmocka_unit_test(has_identity_of_the_open_file),
		cmocka_unit_test(refuses_what_is_no_image),
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(closes_the_descriptor_when_it_fails),
		cmocka_unit_test(a_truncated_image_is_refused_or_read),
		cmocka_unit_test(offsets_become_addresses_by_the_page),
		cmocka_unit_test(code_is_that_of_its_segment),
		cmocka_unit_test(segments_may_come_in_any_order),
		cmocka_unit_test(finds_the_build_id_among_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
