/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "support/elf_writer.h"
#include "support/temp.h"

/* A kernel that was linked at LINKED and runs at RUNNING. */
#define LINKED UINT64_C(0xffffffff81000000)
#define RUNNING UINT64_C(0xffffffff9e000000)

static const char symbols[] = "ffffffff9e000000 T _stext\n"
			      "ffffffff9e000000 T _text\n"
			      "ffffffff9e000000 T first\n"
			      "ffffffff9e000100 T do_work\n"
			      "ffffffff9e000200 t entry_SYSCALL_64\n"
			      "ffffffff9e000300 T ret_from_fork_asm\n"
			      "ffffffff9e000400 T common_startup_64\n"
			      "ffffffff9e000500 T _etext\n"
			      "ffffffffc0001000 t mod_first\t[mod_a]\n"
			      "ffffffffc0001100 t mod_last\t[mod_a]\n"
			      "ffffffffc0900000 t bpf_prog_0123_filter\t[bpf]\n";

struct fixture {
	struct temp_dir dir;
	struct kallsyms kallsyms;
	struct symbolize_options options;
	struct model *model;
	uint32_t kernel;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .dir = temp_dir_make(), .model = fixture_model() };
	assert_int_equal(kallsyms_read(temp_file(&f->dir, "kallsyms", symbols, strlen(symbols)),
				       &f->kallsyms, NULL),
			 0);
	f->options.kallsyms = &f->kallsyms;
	f->kernel = fixture_image(f->model, IMAGE_KERNEL, "[kernel]");
}

static void end(struct fixture *f)
{
	kallsyms_fini(&f->kallsyms);
	temp_dir_remove(&f->dir);
}

static const struct function *name_hit(struct fixture *f, uint32_t image, uint64_t addr)
{
	fixture_hit(f->model, image, addr);
	assert_int_equal(symbolize(f->model, &f->options, NULL), 0);
	return fixture_function(f->model, image, addr);
}

static void kallsyms_gives_names_and_bounds(void **state)
{
	struct fixture f;
	const struct function *function;

	begin(&f);
	function = name_hit(&f, f.kernel, RUNNING + 0x1f0);
	assert_string_equal(model_string(f.model, function->name), "do_work");
	assert_int_equal(function->quality, QUALITY_SYMTAB);
	assert_int_equal(function->vaddr, RUNNING + 0x100);
	assert_int_equal(function->size_bytes, 0x100);
	function = name_hit(&f, f.kernel, RUNNING + 0x100000);
	assert_string_equal(model_string(f.model, function->name), "[kernel]");
	end(&f);
}

static void many_hits_find_their_own_functions(void **state)
{
	struct fixture f;

	begin(&f);
	for (uint64_t at = 0x500; at > 0; at -= 8)
		fixture_hit(f.model, f.kernel, RUNNING + at - 8);
	assert_int_equal(symbolize(f.model, &f.options, NULL), 0);
	for (uint64_t at = 0; at < 0x500; at += 8)
		assert_int_equal(fixture_function(f.model, f.kernel, RUNNING + at)->vaddr,
				 RUNNING + (at & ~UINT64_C(0xff)));
	assert_int_equal(f.model->functions.count, 1 + 5);
	end(&f);
}

static void kernel_threads_start_in_roots(void **state)
{
	struct fixture f;

	begin(&f);
	assert_false(name_hit(&f, f.kernel, RUNNING + 0x100)->root);
	assert_false(name_hit(&f, f.kernel, RUNNING + 0x210)->root);
	assert_true(name_hit(&f, f.kernel, RUNNING + 0x310)->root);
	assert_true(name_hit(&f, f.kernel, RUNNING + 0x410)->root);
	end(&f);
}

static void modules_and_programs_are_named_too(void **state)
{
	struct fixture f;
	struct image module = { .kind = IMAGE_MODULE, .base_addr = 0xffffffffc0001000 };
	uint32_t mod_a, bpf;

	begin(&f);
	module.path = model_intern(f.model, "[mod_a]");
	mod_a = model_image_id(f.model, &module);
	bpf = fixture_image(f.model, IMAGE_BPF, "[bpf]");
	(void)name_hit(&f, mod_a, 0xffffffffc0001010);
	(void)name_hit(&f, bpf, 0xffffffffc0900004);
	assert_string_equal(fixture_name(f.model, mod_a, 0xffffffffc0001010), "mod_first");
	assert_string_equal(fixture_name(f.model, bpf, 0xffffffffc0900004), "bpf_prog_0123_filter");
	end(&f);
}

/* kallsyms no longer has a program that was unloaded, but its image has the name of the program. */
static void an_unloaded_program_keeps_its_name(void **state)
{
	struct fixture f;
	struct image program = { .kind = IMAGE_BPF, .base_addr = 0xffffffffc0a00000 };
	uint32_t gone;

	begin(&f);
	program.path = model_intern(f.model, "[bpf_prog_4567_gone]");
	gone = model_image_id(f.model, &program);
	(void)name_hit(&f, gone, 0xffffffffc0a00010);
	assert_string_equal(fixture_name(f.model, gone, 0xffffffffc0a00010), "bpf_prog_4567_gone");
	end(&f);
}

/* A module that was loaded after kallsyms was read must not get the name of the symbol below it. */
static void a_later_module_is_not_its_neighbour(void **state)
{
	struct fixture f;
	struct image module = { .kind = IMAGE_MODULE, .base_addr = 0xffffffffc0001180 };
	uint32_t later;

	begin(&f);
	module.path = model_intern(f.model, "[later]");
	later = model_image_id(f.model, &module);
	(void)name_hit(&f, later, 0xffffffffc0001190);
	assert_string_equal(fixture_name(f.model, later, 0xffffffffc0001190), "[later]");
	end(&f);
}

/* ---- vmlinux ---- */

static const char *write_vmlinux(struct temp_dir *dir, const char *build_id)
{
	struct elf_writer writer;
	const char *path;
	uint8_t *bytes;
	size_t size_bytes;
	unsigned int text;

	elf_writer_init(&writer, &(struct elf_writer_options){ .type = ET_EXEC });
	text = elf_writer_text(&writer, ".text", LINKED, 0x500);
	elf_writer_symbol(&writer, SHT_SYMTAB,
			  &(struct writer_symbol){ "first", LINKED, 0x80, STB_GLOBAL, STT_FUNC,
						   text });
	elf_writer_symbol(&writer, SHT_SYMTAB,
			  &(struct writer_symbol){ "do_work", LINKED + 0x100, 0x40, STB_GLOBAL,
						   STT_FUNC, text });
	if (build_id)
		elf_writer_build_id(&writer, build_id, strlen(build_id));
	bytes = elf_writer_finish(&writer, &size_bytes);
	path = temp_file(dir, "vmlinux", bytes, size_bytes);
	free(bytes);
	return path;
}

static void vmlinux_is_moved_to_where_the_kernel_runs(void **state)
{
	struct fixture f;
	const struct function *function;

	begin(&f);
	f.options.vmlinux = write_vmlinux(&f.dir, "abcd");
	function = name_hit(&f, f.kernel, RUNNING + 0x110);
	assert_string_equal(model_string(f.model, function->name), "do_work");
	assert_int_equal(function->vaddr, RUNNING + 0x100);
	assert_int_equal(function->size_bytes, 0x40);
	end(&f);
}

static void kallsyms_is_enough_when_vmlinux_is_gone(void **state)
{
	struct fixture f;

	begin(&f);
	f.options.vmlinux = "/nonexistent/vmlinux";
	(void)name_hit(&f, f.kernel, RUNNING + 0x110);
	assert_string_equal(fixture_name(f.model, f.kernel, RUNNING + 0x110), "do_work");
	assert_int_equal(f.model->losses.count[LOSS_IMAGE_UNREADABLE], 1);
	end(&f);
}

static void only_the_recorded_vmlinux_is_accepted(void **state)
{
	struct temp_dir dir = temp_dir_make();
	const char *path = write_vmlinux(&dir, "abcd");
	struct err err = { 0 };

	assert_int_equal(symbolize_check_vmlinux(path, (const uint8_t *)"abcd", 4, &err), 0);
	assert_int_equal(symbolize_check_vmlinux(path, (const uint8_t *)"abce", 4, &err), -ESTALE);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, "61626364"));
	assert_non_null(strstr(err.text, "61626365"));
	assert_int_equal(symbolize_check_vmlinux(path, (const uint8_t *)"abcde", 5, &err), -ESTALE);
	assert_int_equal(symbolize_check_vmlinux(path, NULL, 0, &err), -ESTALE);
	path = write_vmlinux(&dir, NULL);
	assert_int_equal(symbolize_check_vmlinux(path, NULL, 0, &err), -ESTALE);
	assert_non_null(strstr(err.text, "none"));
	assert_int_equal(symbolize_check_vmlinux("/nonexistent", NULL, 0, &err), -ENOENT);
	temp_dir_remove(&dir);
}

/* ---- the running kernel ---- */

static void the_running_kernel_has_a_build_id(void **state)
{
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	struct err err = { 0 };
	size_t size = 0;

	if (symbolize_kernel_build_id(build_id, &size, &err) < 0) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_true(size > 0 && size <= IMAGE_BUILD_ID_MAX);
}

static void only_this_boots_kallsyms_is_accepted(void **state)
{
	struct temp_dir dir = temp_dir_make();
	struct kallsyms running;
	struct err err = { 0 };
	char line[64];
	int length;

	if (kallsyms_read("/proc/kallsyms", &running, &err) < 0) {
		print_message("skipped: %s\n", err.text);
		temp_dir_remove(&dir);
		skip();
	}
	length = snprintf(line, sizeof(line), "%llx T _stext\n",
			  (unsigned long long)running.text_start_addr);
	assert_int_equal(
		symbolize_check_kallsyms(temp_file(&dir, "same", line, (size_t)length), &err), 0);
	length = snprintf(line, sizeof(line), "%llx T _stext\n",
			  (unsigned long long)running.text_start_addr + 0x200000);
	assert_int_equal(symbolize_check_kallsyms(temp_file(&dir, "moved", line, (size_t)length),
						  &err),
			 -ESTALE);
	assert_non_null(strstr(err.text, "moved"));
	kallsyms_fini(&running);
	temp_dir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kallsyms_gives_names_and_bounds),
		cmocka_unit_test(many_hits_find_their_own_functions),
		cmocka_unit_test(kernel_threads_start_in_roots),
		cmocka_unit_test(modules_and_programs_are_named_too),
		cmocka_unit_test(an_unloaded_program_keeps_its_name),
		cmocka_unit_test(a_later_module_is_not_its_neighbour),
		cmocka_unit_test(vmlinux_is_moved_to_where_the_kernel_runs),
		cmocka_unit_test(kallsyms_is_enough_when_vmlinux_is_gone),
		cmocka_unit_test(only_the_recorded_vmlinux_is_accepted),
		cmocka_unit_test(the_running_kernel_has_a_build_id),
		cmocka_unit_test(only_this_boots_kallsyms_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
