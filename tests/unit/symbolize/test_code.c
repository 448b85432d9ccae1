/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a function: they come from the file that ran and from no other. */
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "fixture.h"
#include "support/elf_writer.h"
#include "support/temp.h"
#include "symbolize/code.h"

static const struct code_options by_path = { 0 };

/*
 * Makes a library with code from 0x1000 to 0x1100 that consists only of @fill, and with "callee" at
 * 0x1080.
 */
static const char *library(struct temp_dir *dir, uint8_t fill, const char *build_id)
{
	struct elf_writer writer;
	unsigned int text;
	const char *path;
	uint8_t *bytes;
	size_t size_bytes;

	elf_writer_init(&writer, &(struct elf_writer_options){ 0 });
	text = elf_writer_text(&writer, ".text", 0x1000, 0x100);
	memset(writer.sections.at[text].content.data.at, fill, 0x100);
	elf_writer_symbol(&writer, SHT_SYMTAB,
			  &(struct writer_symbol){ "_ZN1a6calleeEv", 0x1080, 0x80, STB_GLOBAL,
						   STT_FUNC, text });
	if (build_id)
		elf_writer_build_id(&writer, build_id, strlen(build_id));
	bytes = elf_writer_finish(&writer, &size_bytes);
	path = temp_file(dir, "lib.so", bytes, size_bytes);
	free(bytes);
	return path;
}

static struct function function_of_image(struct model *model, uint32_t image, uint64_t size_bytes)
{
	return (struct function){ .name = model_intern(model, "caller"),
				  .image = image,
				  .vaddr = 0x1000,
				  .size_bytes = size_bytes };
}

static int read_of(struct model *model, uint32_t image, uint64_t size_bytes, struct code *code,
		   struct err *err)
{
	struct function function = function_of_image(model, image, size_bytes);

	*err = (struct err){ 0 };
	return code_read(model, &function, &by_path, code, err);
}

static void the_file_that_ran_is_read(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, library(&dir, 0xc3, "abcd"));
	struct code code;
	struct err err;

	assert_int_equal(read_of(model, image, 0x80, &code, &err), 0);
	assert_int_equal(code.machine, EM_X86_64);
	assert_int_equal(code.size_bytes, 0x80);
	assert_int_equal(code.vaddr, 0x1000);
	for (size_t i = 0; i < code.size_bytes; i++)
		assert_int_equal(code.bytes[i], 0xc3);
	code_fini(&code);
	temp_dir_remove(&dir);
}

static void another_file_is_refused_with_both_ids(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, library(&dir, 0xc3, "abcd"));
	struct code code;
	struct err err;

	(void)library(&dir, 0x90, "abce");
	assert_int_equal(read_of(model, image, 0x80, &code, &err), -ESTALE);
	assert_non_null(strstr(err.text, "61626364"));
	assert_non_null(strstr(err.text, "61626365"));
	temp_dir_remove(&dir);
	assert_int_equal(read_of(model, image, 0x80, &code, &err), -ENOENT);
	assert_non_null(strstr(err.text, "lib.so"));
}

static void sizes_that_cannot_be_are_refused(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, library(&dir, 0xc3, "abcd"));
	struct code code;
	struct err err;

	assert_int_equal(read_of(model, image, 0, &code, &err), -ENODATA);
	assert_int_equal(read_of(model, image, 0x101, &code, &err), -ENODATA);
	assert_int_equal(read_of(model, image, CODE_BYTES_MAX + 1u, &code, &err), -EFBIG);
	assert_int_equal(read_of(model, image, UINT64_MAX, &code, &err), -EFBIG);
	temp_dir_remove(&dir);
}

static void what_is_in_no_file_is_said(void **state)
{
	static const enum image_kind kinds[] = { IMAGE_JIT, IMAGE_BPF, IMAGE_UNKNOWN };
	struct model *model = fixture_model();
	struct code code;
	struct err err;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint32_t image = fixture_image(model, kinds[i], "//anon");

		assert_int_equal(read_of(model, image, 16, &code, &err), -ENODATA);
		assert_non_null(strstr(err.text, image_kind_name(kinds[i])));
	}
	assert_int_equal(read_of(model, fixture_image(model, IMAGE_KERNEL, "[kernel]"), 16, &code,
				 &err),
			 -ESTALE);
}

static void the_vdso_is_our_own_by_its_id(void **state)
{
	const uint8_t *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct model *model = fixture_model();
	uint32_t image = fixture_image(model, IMAGE_VDSO, "[vdso]");
	struct function function;
	struct image_file own;
	struct code code;
	struct err err;

	if (!vdso)
		skip();
	assert_int_equal(image_file_from_bytes(vdso, 4096, "[vdso]", &own, NULL), 0);
	model->images.at[image].build_id_size = own.build_id_size;
	memcpy(model->images.at[image].build_id, own.build_id, own.build_id_size);
	function = function_of_image(model, image, 16);
	function.vaddr = own.entry_vaddr ? own.entry_vaddr : own.segments.at[0].vaddr + 0x800;
	assert_int_equal(code_read(model, &function, &by_path, &code, &err), 0);
	assert_memory_equal(code.bytes, vdso + function.vaddr, 16);
	code_fini(&code);
	model->images.at[image].build_id[0] ^= 1;
	assert_int_equal(code_read(model, &function, &by_path, &code, &err), -ESTALE);
	image_file_fini(&own);
}

/*
 * Makes a file like the one in which a kernel shows itself: its running code in an ELF file of type
 * ET_CORE.
 */
static const char *core(struct temp_dir *dir, uint64_t addr)
{
	struct elf_writer writer;
	unsigned int text;
	const char *path;
	uint8_t *bytes;
	size_t size_bytes;

	elf_writer_init(&writer, &(struct elf_writer_options){ .type = ET_CORE });
	text = elf_writer_text(&writer, ".text", addr, 0x100);
	memset(writer.sections.at[text].content.data.at, 0xcc, 0x100);
	bytes = elf_writer_finish(&writer, &size_bytes);
	path = temp_file(dir, "kcore", bytes, size_bytes);
	free(bytes);
	return path;
}

static void kernel_code_is_that_of_the_same_function(void **state)
{
	static const char symbols[] = "ffffffff81000000 T _stext\n"
				      "ffffffff81000000 T caller\n"
				      "ffffffff81000040 T other\n"
				      "ffffffff81000100 T _etext\n";
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t image = fixture_image(model, IMAGE_KERNEL, "[kernel]");
	struct function function = function_of_image(model, image, 0x40);
	struct kallsyms kallsyms;
	struct code_options options = { .kallsyms = &kallsyms };
	struct err err = { 0 };
	struct code code;

	assert_int_equal(kallsyms_read(temp_file(&dir, "kallsyms", symbols, strlen(symbols)),
				       &kallsyms, NULL),
			 0);
	options.kcore = core(&dir, 0xffffffff81000000);
	function.vaddr = 0xffffffff81000000;
	assert_int_equal(code_read(model, &function, &options, &code, &err), 0);
	assert_int_equal(code.bytes[0x3f], 0xcc);
	code_fini(&code);
	function.vaddr = 0xffffffff81000040;
	assert_int_equal(code_read(model, &function, &options, &code, &err), -ESTALE);
	assert_non_null(strstr(err.text, "caller of [kernel] is not at its recorded address"));
	options.kcore = "/nonexistent";
	function.vaddr = 0xffffffff81000000;
	assert_int_equal(code_read(model, &function, &options, &code, &err), -ENOENT);
	assert_non_null(strstr(err.text, "vmlinux"));
	kallsyms_fini(&kallsyms);
	temp_dir_remove(&dir);
}

static const char *vmlinux(struct temp_dir *dir, const char *name, const char *build_id)
{
	struct elf_writer writer;
	unsigned int text;
	const char *path;
	uint8_t *bytes;
	size_t size_bytes;

	elf_writer_init(&writer, &(struct elf_writer_options){ .type = ET_EXEC });
	text = elf_writer_text(&writer, ".text", 0xffffffff81000000, 0x100);
	memset(writer.sections.at[text].content.data.at + 0x40, 0xf4, 0x40);
	for (unsigned int i = 0; i < 2; i++)
		elf_writer_symbol(&writer, SHT_SYMTAB,
				  &(struct writer_symbol){ i ? name : "twice",
							   0xffffffff81000000 + 0x40 * i, 0x40,
							   STB_GLOBAL, STT_FUNC, text });
	elf_writer_symbol(&writer, SHT_SYMTAB,
			  &(struct writer_symbol){ "twice", 0xffffffff81000080, 0x40, STB_LOCAL,
						   STT_FUNC, text });
	elf_writer_build_id(&writer, build_id, strlen(build_id));
	bytes = elf_writer_finish(&writer, &size_bytes);
	path = temp_file(dir, "vmlinux", bytes, size_bytes);
	free(bytes);
	return path;
}

/*
 * The kernel ran at another address than it was linked at, so functions are looked up in its file
 * by name.
 */
static void a_vmlinux_is_asked_by_name(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t image = fixture_image(model, IMAGE_KERNEL, "[kernel]");
	struct code_options options = { .vmlinux = vmlinux(&dir, "caller", "abcd") };
	struct function function = function_of_image(model, image, 0x40);
	struct err err = { 0 };
	struct code code;

	model->images.at[image].build_id_size = 4;
	memcpy(model->images.at[image].build_id, "abcd", 4);
	function.vaddr = 0xffffffff99000040;
	assert_int_equal(code_read(model, &function, &options, &code, &err), 0);
	assert_int_equal(code.bytes[0], 0xf4);
	assert_int_equal(code.vaddr, 0xffffffff99000040);
	code_fini(&code);
	function.name = model_intern(model, "twice");
	assert_int_equal(code_read(model, &function, &options, &code, &err), -ENODATA);
	model->images.at[image].build_id[0] = 'b';
	assert_int_equal(code_read(model, &function, &options, &code, &err), -ESTALE);
	temp_dir_remove(&dir);
}

static struct code_names *names_of(struct model *model, uint32_t image)
{
	struct function function = function_of_image(model, image, 0x40);
	struct code_names *names;

	assert_int_not_equal(model_function_id(model, &function), 0);
	assert_int_equal(code_names_new(model, image, &by_path, &names), 0);
	return names;
}

static void addresses_have_names_and_offsets(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, library(&dir, 0xc3, "abcd"));
	struct code_names *names = names_of(model, image);
	char text[64];

	assert_true(code_name_at(names, 0x1000, text, sizeof(text)));
	assert_string_equal(text, "caller");
	assert_true(code_name_at(names, 0x103f, text, sizeof(text)));
	assert_string_equal(text, "caller+0x3f");
	assert_true(code_name_at(names, 0x1082, text, sizeof(text)));
	assert_string_equal(text, "a::callee+0x2");
	assert_false(code_name_at(names, 0x1040, text, sizeof(text)));
	code_names_free(names);

	(void)library(&dir, 0xc3, "abce");
	names = names_of(model, image);
	assert_true(code_name_at(names, 0x1000, text, sizeof(text)));
	assert_false(code_name_at(names, 0x1082, text, sizeof(text)));
	code_names_free(names);
	temp_dir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_that_ran_is_read),
		cmocka_unit_test(another_file_is_refused_with_both_ids),
		cmocka_unit_test(sizes_that_cannot_be_are_refused),
		cmocka_unit_test(what_is_in_no_file_is_said),
		cmocka_unit_test(the_vdso_is_our_own_by_its_id),
		cmocka_unit_test(kernel_code_is_that_of_the_same_function),
		cmocka_unit_test(a_vmlinux_is_asked_by_name),
		cmocka_unit_test(addresses_have_names_and_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
