/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file the names of an image come from, and what happens if it is not the file that ran. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/symbols.h"
#include "fixture.h"
#include "support/elf_writer.h"
#include "support/temp.h"

static const struct symbolize_options by_path = { 0 };

/* Makes a library whose only function has the name @function and is at 0x1000. */
static const char *library(struct temp_dir *dir, const char *path, const char *function,
			   const char *build_id)
{
	struct elf_writer writer;
	unsigned int text;
	const char *made;
	uint8_t *bytes;
	size_t size_bytes;

	elf_writer_init(&writer, &(struct elf_writer_options){ 0 });
	text = elf_writer_text(&writer, ".text", 0x1000, 0x100);
	elf_writer_symbol(&writer, SHT_SYMTAB,
			  &(struct writer_symbol){ function, 0x1000, 0x100, STB_GLOBAL, STT_FUNC,
						   text });
	if (build_id)
		elf_writer_build_id(&writer, build_id, strlen(build_id));
	bytes = elf_writer_finish(&writer, &size_bytes);
	made = temp_file(dir, path, bytes, size_bytes);
	free(bytes);
	return made;
}

static void name_hit(struct model *model, uint32_t image, const struct symbolize_options *options)
{
	fixture_hit(model, image, 0x1010);
	assert_int_equal(symbolize(model, options, NULL), 0);
}

static void assert_unnamed(struct model *model, uint32_t image, enum loss reason)
{
	assert_string_equal(fixture_name(model, image, 0x1010), "[lib.so]");
	assert_int_equal(fixture_function(model, image, 0x1010)->quality, QUALITY_NONE);
	for (int i = 0; i < LOSS_COUNT; i++)
		assert_int_equal(model->losses.count[i], i == (int)reason);
}

static void the_file_that_ran_is_used(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t by_id = fixture_file_image(model, library(&dir, "a/lib.so", "alpha", "abcd"));
	uint32_t by_inode = fixture_file_image(model, library(&dir, "b/lib.so", "beta", NULL));

	fixture_hit(model, by_inode, 0x1010);
	name_hit(model, by_id, &by_path);
	assert_string_equal(fixture_name(model, by_id, 0x1010), "alpha");
	assert_string_equal(fixture_name(model, by_inode, 0x1010), "beta");
	temp_dir_remove(&dir);
}

static void another_build_id_is_another_file(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, library(&dir, "lib.so", "alpha", "abcd"));

	(void)library(&dir, "lib.so", "beta", "abce");
	name_hit(model, image, &by_path);
	assert_unnamed(model, image, LOSS_IMAGE_REPLACED);
	temp_dir_remove(&dir);
}

static void another_mtime_is_another_file(void **state)
{
	const struct timespec epoch[2] = { { 0 } };
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	const char *path = library(&dir, "lib.so", "alpha", NULL);
	uint32_t image = fixture_file_image(model, path);

	assert_int_equal(utimensat(AT_FDCWD, path, epoch, 0), 0);
	name_hit(model, image, &by_path);
	assert_unnamed(model, image, LOSS_IMAGE_REPLACED);
	temp_dir_remove(&dir);
}

static void an_image_of_unknown_identity_proves_nothing(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	const char *path = library(&dir, "lib.so", "alpha", NULL);
	uint32_t image = fixture_image(model, IMAGE_FILE, path);

	name_hit(model, image, &by_path);
	assert_unnamed(model, image, LOSS_IMAGE_UNVERIFIED);
	temp_dir_remove(&dir);
}

static void gone_and_damaged_files_are_counted(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, library(&dir, "lib.so", "alpha", "abcd"));

	temp_dir_remove(&dir);
	name_hit(model, image, &by_path);
	assert_unnamed(model, image, LOSS_IMAGE_UNREADABLE);

	dir = temp_dir_make();
	model = fixture_model();
	image = fixture_image(model, IMAGE_FILE, temp_file(&dir, "lib.so", "#!/bin/sh\n", 10));
	name_hit(model, image, &by_path);
	assert_unnamed(model, image, LOSS_IMAGE_DAMAGED);
	temp_dir_remove(&dir);
}

static void a_fifo_in_place_of_a_file_does_not_block(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	const char *path = library(&dir, "lib.so", "alpha", "abcd");
	uint32_t image = fixture_file_image(model, path);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	name_hit(model, image, &by_path);
	assert_unnamed(model, image, LOSS_IMAGE_UNREADABLE);
	temp_dir_remove(&dir);
}

static void paths_are_taken_below_the_sysroot(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	const struct symbolize_options options = { .sysroot = dir.path };
	uint32_t image = fixture_file_image(model, library(&dir, "usr/lib.so", "alpha", "abcd"));

	model->images.at[image].path = model_intern(model, "/usr/lib.so");
	name_hit(model, image, &options);
	assert_string_equal(fixture_name(model, image, 0x1010), "alpha");
	temp_dir_remove(&dir);
}

static const struct image_file *pinned_file(void *context, uint32_t image)
{
	return context;
}

static void a_pinned_file_outlives_its_name(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	const char *path = library(&dir, "lib.so", "alpha", "abcd");
	uint32_t image = fixture_file_image(model, path);
	struct image_file file;
	struct symbolize_options options = {
		.image_file = pinned_file,
		.image_file_context = &file,
	};

	assert_int_equal(image_file_open(AT_FDCWD, path, &file, NULL), 0);
	temp_dir_remove(&dir);
	name_hit(model, image, &options);
	assert_string_equal(fixture_name(model, image, 0x1010), "alpha");
	image_file_fini(&file);
}

static void images_without_a_file_are_called_by_their_name(void **state)
{
	static const struct {
		enum image_kind kind;
		const char *path, *name;
	} cases[] = {
		{ IMAGE_UNKNOWN, "", "[unknown]" },   { IMAGE_KERNEL, "[kernel]", "[kernel]" },
		{ IMAGE_MODULE, "[ext4]", "[ext4]" }, { IMAGE_BPF, "[bpf]", "[bpf]" },
		{ IMAGE_JIT, "//anon", "[anon]" },
	};
	struct model *model = fixture_model();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t image = fixture_image(model, cases[i].kind, cases[i].path);

		name_hit(model, image, &by_path);
		assert_string_equal(fixture_name(model, image, 0x1010), cases[i].name);
		assert_int_equal(fixture_function(model, image, 0x1010)->quality, QUALITY_NONE);
	}
}

/* ---- the vdso ---- */

static uint64_t own_vdso_function(const char *name)
{
	const uint8_t *bytes = (const void *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)bytes;
	struct symbol_table table;
	uint64_t vaddr = 0;

	if (!bytes ||
	    symbol_table_from_bytes(bytes, header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr),
				    &table, NULL) < 0)
		return 0;
	for (size_t i = 0; i < table.symbols.count; i++)
		if (strstr(table.symbols.at[i].name, name))
			vaddr = table.symbols.at[i].vaddr;
	symbol_table_fini(&table);
	return vaddr;
}

static void set_boot_id(struct model *model)
{
	char boot_id[64] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	assert_non_null(file);
	assert_non_null(fgets(boot_id, sizeof(boot_id), file));
	(void)fclose(file);
	boot_id[strcspn(boot_id, "\n")] = '\0';
	model_fact_set(model, FACT_BOOT_ID, "%s", boot_id);
}

static void the_vdso_is_named_on_the_same_boot_only(void **state)
{
	uint64_t vaddr = own_vdso_function("clock_gettime");
	struct model *model = fixture_model();
	uint32_t image = fixture_image(model, IMAGE_VDSO, "[vdso]");

	if (!vaddr) {
		print_message("skipped: no vdso with symbols here\n");
		skip();
	}
	fixture_hit(model, image, vaddr);
	model_fact_set(model, FACT_BOOT_ID, "11111111-2222-3333-4444-555555555555");
	assert_int_equal(symbolize(model, &by_path, NULL), 0);
	assert_string_equal(fixture_name(model, image, vaddr), "[vdso]");
	fixture_hit(model, image, vaddr + 1);
	set_boot_id(model);
	assert_int_equal(symbolize(model, &by_path, NULL), 0);
	assert_non_null(strstr(fixture_name(model, image, vaddr + 1), "clock_gettime"));
}

/* This process's vdso does not describe the code that 32-bit processes or old binaries get. */
static void only_the_vdso_has_its_names(void **state)
{
	static const char *const others[] = { "[vdso32]", "[vsyscall]" };
	uint64_t vaddr = own_vdso_function("clock_gettime");

	for (size_t i = 0; i < 2; i++) {
		struct model *model = fixture_model();
		uint32_t image = fixture_image(model, IMAGE_VDSO, others[i]);

		set_boot_id(model);
		fixture_hit(model, image, vaddr);
		assert_int_equal(symbolize(model, &by_path, NULL), 0);
		assert_string_equal(fixture_name(model, image, vaddr), others[i]);
	}
}

static void a_vdso_with_another_build_id_is_not_ours(void **state)
{
	struct model *model = fixture_model();
	struct image other = { .kind = IMAGE_VDSO, .build_id_size = 4, .build_id = "abcd" };
	uint32_t image;

	set_boot_id(model);
	other.path = model_intern(model, "[vdso]");
	image = model_image_id(model, &other);
	fixture_hit(model, image, own_vdso_function("clock_gettime"));
	assert_int_equal(symbolize(model, &by_path, NULL), 0);
	assert_string_equal(model_string(model, model->functions.at[1].name), "[vdso]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_that_ran_is_used),
		cmocka_unit_test(another_build_id_is_another_file),
		cmocka_unit_test(another_mtime_is_another_file),
		cmocka_unit_test(an_image_of_unknown_identity_proves_nothing),
		cmocka_unit_test(gone_and_damaged_files_are_counted),
		cmocka_unit_test(a_fifo_in_place_of_a_file_does_not_block),
		cmocka_unit_test(paths_are_taken_below_the_sysroot),
		cmocka_unit_test(a_pinned_file_outlives_its_name),
		cmocka_unit_test(images_without_a_file_are_called_by_their_name),
		cmocka_unit_test(the_vdso_is_named_on_the_same_boot_only),
		cmocka_unit_test(only_the_vdso_has_its_names),
		cmocka_unit_test(a_vdso_with_another_build_id_is_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
