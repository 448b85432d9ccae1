/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of code with and without symbols, in libraries made for this test. */
#include "support/test.h"

#include "fixture.h"
#include "support/elf_fixtures.h"
#include "support/temp.h"

#define TEXT_VADDR 0x1000
#define TEXT_SIZE 0x400

static const struct symbolize_options plain = { 0 }, readable = { .demangle = true };

struct fixture {
	struct temp_dir dir;
	struct elf_writer writer;
	unsigned int text;
	uint64_t entry_vaddr; /* entry point in the ELF header */
	struct model *model;
	uint32_t image;
};

static struct fixture begin(void)
{
	struct fixture f = { .dir = temp_dir_make(), .model = fixture_model() };

	elf_writer_init(&f.writer, &(struct elf_writer_options){ 0 });
	f.text = elf_writer_text(&f.writer, ".text", TEXT_VADDR, TEXT_SIZE);
	return f;
}

static void export(struct fixture *f, const char *name, uint64_t vaddr, uint64_t size_bytes)
{
	elf_writer_symbol(&f->writer, SHT_DYNSYM,
			  &(struct writer_symbol){ name, vaddr, size_bytes, STB_GLOBAL, STT_FUNC,
						   f->text });
}

static void fde(struct fixture *f, uint64_t start_vaddr, uint32_t size_bytes)
{
	elf_writer_fde(&f->writer, 0x8000, start_vaddr, size_bytes);
}

/* Writes the file, hits each function of .text every 16 bytes and names the hits. */
static void name_all(struct fixture *f, const struct symbolize_options *options)
{
	size_t size_bytes;
	uint8_t *bytes = elf_writer_finish(&f->writer, &size_bytes);

	memcpy(bytes + offsetof(Elf64_Ehdr, e_entry), &f->entry_vaddr, sizeof(f->entry_vaddr));
	f->image = fixture_file_image(f->model, temp_file(&f->dir, "libx.so", bytes, size_bytes));
	free(bytes);
	for (uint64_t at = TEXT_SIZE; at > 0; at -= 16)
		fixture_hit(f->model, f->image, TEXT_VADDR + at - 16);
	assert_int_equal(symbolize(f->model, options, NULL), 0);
}

static void assert_name(struct fixture *f, uint64_t vaddr, const char *name, enum quality quality)
{
	assert_string_equal(fixture_name(f->model, f->image, vaddr), name);
	assert_int_equal(fixture_function(f->model, f->image, vaddr)->quality, quality);
}

static void assert_between(struct fixture *f, uint64_t vaddr, const char *before, const char *after)
{
	const struct function *function = fixture_function(f->model, f->image, vaddr);

	assert_string_equal(model_string(f->model, function->before), before);
	assert_string_equal(model_string(f->model, function->after), after);
}

static void assert_bounds(struct fixture *f, uint64_t vaddr, uint64_t start, uint64_t size_bytes)
{
	const struct function *function = fixture_function(f->model, f->image, vaddr);

	assert_int_equal(function->vaddr, start);
	assert_int_equal(function->size_bytes, size_bytes);
}

static void neighbours_do_not_lend_their_names(void **state)
{
	struct fixture f = begin();

	export(&f, "alpha", 0x1100, 0x40);
	export(&f, "beta", 0x1200, 0x40);
	name_all(&f, &plain);
	assert_name(&f, 0x1000, "gap_1000", QUALITY_BRACKET);
	assert_between(&f, 0x1000, "", "alpha");
	assert_name(&f, 0x1100, "alpha", QUALITY_DYNSYM);
	assert_name(&f, 0x1130, "alpha", QUALITY_DYNSYM);
	assert_name(&f, 0x1140, "gap_1140", QUALITY_BRACKET);
	assert_between(&f, 0x1140, "alpha", "beta");
	assert_bounds(&f, 0x1140, 0x1140, 0xc0);
	assert_name(&f, 0x1200, "beta", QUALITY_DYNSYM);
	assert_name(&f, 0x13f0, "gap_1240", QUALITY_BRACKET);
	assert_between(&f, 0x13f0, "beta", "");
	assert_int_equal(f.model->functions.count, 1 + 5);
	temp_dir_remove(&f.dir);
}

/*
 * A signal handler returns to the first byte of a function; its caller is one byte before. Without
 * an FDE that begins there, the byte can be the end of a function that no table names.
 */
static void the_byte_before_a_function_gets_its_name(void **state)
{
	struct fixture f = begin();

	export(&f, "alpha", 0x1100, 0x40);
	export(&f, "restore", 0x1200, 0x10);
	export(&f, "marked", 0x1280, 0x10);
	export(&f, "after_unnamed", 0x1300, 0x40);
	export(&f, "adjacent", 0x1340, 0x40);
	fde(&f, 0x127f, 0x11);
	fde(&f, 0x12f0, 0x10);
	name_all(&f, &plain);
	for (size_t i = 0; i < 5; i++) {
		static const uint64_t hits[] = { 0x11fe, 0x11ff, 0x127f, 0x12ff, 0x133f };

		fixture_hit(f.model, f.image, hits[i]);
	}
	assert_int_equal(symbolize(f.model, &plain, NULL), 0);
	assert_name(&f, 0x11fe, "gap_1140", QUALITY_BRACKET);
	assert_name(&f, 0x11ff, "gap_1140", QUALITY_BRACKET);
	assert_name(&f, 0x127f, "marked", QUALITY_DYNSYM);
	assert_ptr_equal(fixture_function(f.model, f.image, 0x127f),
			 fixture_function(f.model, f.image, 0x1280));
	assert_name(&f, 0x12ff, "fn_12f0", QUALITY_BRACKET);
	assert_name(&f, 0x133f, "after_unnamed", QUALITY_DYNSYM);
	temp_dir_remove(&f.dir);
}

static void unwind_bounds_tell_functions_apart(void **state)
{
	struct fixture f = begin();

	export(&f, "alpha", 0x1100, 0x40);
	export(&f, "beta", 0x1200, 0x40);
	fde(&f, 0x1140, 0x20);
	fde(&f, 0x1180, 0x40);
	name_all(&f, &plain);
	assert_name(&f, 0x1140, "fn_1140", QUALITY_BRACKET);
	assert_name(&f, 0x1150, "fn_1140", QUALITY_BRACKET);
	assert_between(&f, 0x1150, "alpha", "beta");
	assert_bounds(&f, 0x1150, 0x1140, 0x20);
	assert_name(&f, 0x1180, "fn_1180", QUALITY_BRACKET);
	assert_bounds(&f, 0x11b0, 0x1180, 0x40);
	assert_name(&f, 0x1160, "gap_1140", QUALITY_BRACKET);
	assert_ptr_not_equal(fixture_function(f.model, f.image, 0x1140),
			     fixture_function(f.model, f.image, 0x1180));
	temp_dir_remove(&f.dir);
}

static void bounds_alone_make_a_number(void **state)
{
	struct fixture f = begin();

	fde(&f, 0x1140, 0x20);
	name_all(&f, &plain);
	assert_name(&f, 0x1150, "fn_1140", QUALITY_BOUNDS);
	assert_name(&f, 0x1300, "[libx.so]", QUALITY_NONE);
	assert_bounds(&f, 0x1300, 0, 0);
	assert_ptr_equal(fixture_function(f.model, f.image, 0x1000),
			 fixture_function(f.model, f.image, 0x1300));
	temp_dir_remove(&f.dir);
}

static void names_are_demangled_when_asked(void **state)
{
	struct fixture f = begin();
	const struct function *function;

	export(&f, "_ZN3foo3barEi", 0x1100, 0x40);
	export(&f, "plain", 0x1200, 0x40);
	name_all(&f, &readable);
	assert_name(&f, 0x1100, "foo::bar", QUALITY_DYNSYM);
	function = fixture_function(f.model, f.image, 0x1100);
	assert_string_equal(model_string(f.model, function->linkage_name), "_ZN3foo3barEi");
	assert_between(&f, 0x1180, "foo::bar", "plain");
	assert_int_equal(fixture_function(f.model, f.image, 0x1200)->linkage_name, 0);
	temp_dir_remove(&f.dir);

	f = begin();
	export(&f, "_ZN3foo3barEi", 0x1100, 0x40);
	name_all(&f, &plain);
	assert_name(&f, 0x1100, "_ZN3foo3barEi", QUALITY_DYNSYM);
	assert_int_equal(fixture_function(f.model, f.image, 0x1100)->linkage_name, 0);
	temp_dir_remove(&f.dir);
}

static void long_names_are_cut_and_counted(void **state)
{
	struct fixture f = begin();
	char *name = malloc(100001);

	memset(name, 'x', 100000);
	name[100000] = '\0';
	export(&f, name, 0x1100, 0x40);
	name_all(&f, &readable);
	assert_int_equal(strlen(fixture_name(f.model, f.image, 0x1100)), 1024);
	assert_string_equal(model_string(f.model,
					 fixture_function(f.model, f.image, 0x1000)->after),
			    fixture_name(f.model, f.image, 0x1100));
	assert_int_equal(f.model->losses.count[LOSS_STRING_CUT], 3);
	free(name);
	temp_dir_remove(&f.dir);
}

/* Two long names that differ only in the middle stay different. */
static void long_names_stay_different(void **state)
{
	struct fixture f = begin();
	char name[5001], other[5001];

	memset(name, 'x', 5000);
	name[5000] = '\0';
	memcpy(other, name, sizeof(other));
	other[2500] = 'y';
	export(&f, name, 0x1100, 0x40);
	export(&f, other, 0x1200, 0x40);
	name_all(&f, &plain);
	assert_int_equal(strlen(fixture_name(f.model, f.image, 0x1200)), 1024);
	assert_string_not_equal(fixture_name(f.model, f.image, 0x1100),
				fixture_name(f.model, f.image, 0x1200));
	temp_dir_remove(&f.dir);
}

/* f<unsigned long, unsigned long, ...>() is longer than its mangled name. */
static void long_readable_names_are_cut_too(void **state)
{
	struct fixture f = begin();
	char name[1024] = "_Z1fIJ";
	const struct function *function;

	memset(name + 6, 'm', 500);	/* "m" is unsigned long */
	memcpy(name + 506, "EEvv", 5);
	export(&f, name, 0x1100, 0x40);
	name_all(&f, &readable);
	function = fixture_function(f.model, f.image, 0x1100);
	assert_int_equal(strlen(model_string(f.model, function->name)), 1024);
	assert_string_equal(model_string(f.model, function->linkage_name), name);
	temp_dir_remove(&f.dir);
}

static void the_plt_says_so(void **state)
{
	const struct elf_writer_options options = { 0 };
	struct temp_dir dir = temp_dir_make();
	struct model *model = fixture_model();
	size_t size_bytes;
	uint8_t *bytes = elf_fixture_full(&options, &size_bytes);
	uint32_t image = fixture_file_image(model, temp_file(&dir, "libf.so", bytes, size_bytes));

	for (uint64_t vaddr = 0x2000; vaddr < 0x2040; vaddr += 4)
		fixture_hit(model, image, vaddr);
	fixture_hit(model, image, 0x1080);
	assert_int_equal(symbolize(model, &readable, NULL), 0);
	assert_string_equal(fixture_name(model, image, 0x2010), "puts@plt");
	assert_int_equal(fixture_function(model, image, 0x2010)->quality, QUALITY_PLT);
	assert_string_equal(fixture_name(model, image, 0x2004), "gap_2000");
	assert_int_equal(fixture_function(model, image, 0x1080)->quality, QUALITY_SYMTAB);
	assert_string_equal(fixture_name(model, image, 0x1080), "hidden");
	free(bytes);
	temp_dir_remove(&dir);
}

/* A stub for a function is not that function, because no thread begins in clone@plt. */
static void stubs_keep_their_target_apart(void **state)
{
	struct fixture f = begin();
	struct writer_section plt = { .name = ".plt", .type = SHT_PROGBITS, .vaddr = 0x1400 };
	const char *const names[] = { "clone", "_ZN3foo3barEi", NULL };

	plt.flags = SHF_ALLOC | SHF_EXECINSTR;
	plt.entry_size_bytes = 16;
	for (unsigned int i = 0; names[i]; i++) {
		struct writer_symbol symbol = { names[i], 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF };

		elf_fixture_stub_x86_64(&plt.content, 0x1400 + 16 * i, 0x4018 + 8 * i);
		elf_writer_relocation(&f.writer, 0x4018 + 8 * i, R_X86_64_JUMP_SLOT,
				      elf_writer_symbol(&f.writer, SHT_DYNSYM, &symbol));
	}
	(void)elf_writer_section(&f.writer, &plt, NULL, 0);
	name_all(&f, &plain);
	fixture_hit(f.model, f.image, 0x1400);
	fixture_hit(f.model, f.image, 0x1410);
	assert_int_equal(symbolize(f.model, &readable, NULL), 0);
	assert_name(&f, 0x1400, "clone@plt", QUALITY_PLT);
	assert_false(fixture_function(f.model, f.image, 0x1400)->root);
	assert_name(&f, 0x1410, "foo::bar@plt", QUALITY_PLT);
	assert_string_equal(model_string(f.model,
					 fixture_function(f.model, f.image, 0x1410)->linkage_name),
			    "_ZN3foo3barEi@plt");
	temp_dir_remove(&f.dir);
}

static bool is_root(struct fixture *f, uint64_t vaddr)
{
	return fixture_function(f->model, f->image, vaddr)->root;
}

static void threads_start_in_roots(void **state)
{
	struct fixture f = begin();

	export(&f, "_start", 0x1000, 0x20);
	export(&f, "main", 0x1020, 0x20);
	export(&f, "clone3", 0x1040, 0x20);
	export(&f, "gnu_get_libc_version", 0x1080, 0x20);
	fde(&f, 0x10a0, 0x20);
	fde(&f, 0x10c0, 0x3b);
	export(&f, "__libc_start_main", 0x1100, 0x20);
	export(&f, "runtime.mcall", 0x1120, 0x20);
	export(&f, "runtime.main", 0x1140, 0x20);
	name_all(&f, &plain);
	assert_true(is_root(&f, 0x1010));
	assert_false(is_root(&f, 0x1020));
	assert_true(is_root(&f, 0x1040));
	assert_false(is_root(&f, 0x10a0));
	assert_true(is_root(&f, 0x10d0));
	assert_string_equal(fixture_name(f.model, f.image, 0x10d0), "fn_10c0");
	assert_true(is_root(&f, 0x1100));
	assert_true(is_root(&f, 0x1130));
	assert_false(is_root(&f, 0x1150));
	temp_dir_remove(&f.dir);
}

/*
 * In a stripped file only the ELF header names the entry point. The code around it stays unnamed.
 */
static void the_entry_point_is_a_root(void **state)
{
	struct fixture f = begin();

	export(&f, "main", 0x1200, 0x40);
	fde(&f, 0x1040, 0x20);
	fde(&f, 0x1060, 0x20);
	f.entry_vaddr = 0x1040;
	name_all(&f, &plain);
	assert_string_equal(fixture_name(f.model, f.image, 0x1050), "fn_1040");
	assert_true(is_root(&f, 0x1050));
	assert_false(is_root(&f, 0x1060));
	temp_dir_remove(&f.dir);

	f = begin();
	export(&f, "main", 0x1200, 0x40);
	f.entry_vaddr = 0x1040;
	name_all(&f, &plain);
	assert_false(is_root(&f, 0x1040));
	temp_dir_remove(&f.dir);
}

static void what_has_a_name_is_left_alone(void **state)
{
	struct fixture f = begin();
	const struct function *function;
	size_t count;

	export(&f, "alpha", 0x1100, 0x40);
	name_all(&f, &plain);
	function = fixture_function(f.model, f.image, 0x1100);
	count = f.model->functions.count;
	temp_dir_remove(&f.dir);
	fixture_hit(f.model, f.image, 0x1101);
	assert_int_equal(symbolize(f.model, &plain, NULL), 0);
	assert_ptr_equal(fixture_function(f.model, f.image, 0x1100), function);
	assert_name(&f, 0x1101, "[libx.so]", QUALITY_NONE);
	assert_int_equal(f.model->functions.count, count + 1);
	assert_int_equal(f.model->losses.count[LOSS_IMAGE_UNREADABLE], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_do_not_lend_their_names),
		cmocka_unit_test(the_byte_before_a_function_gets_its_name),
		cmocka_unit_test(unwind_bounds_tell_functions_apart),
		cmocka_unit_test(bounds_alone_make_a_number),
		cmocka_unit_test(names_are_demangled_when_asked),
		cmocka_unit_test(long_names_are_cut_and_counted),
		cmocka_unit_test(long_names_stay_different),
		cmocka_unit_test(long_readable_names_are_cut_too),
		cmocka_unit_test(the_plt_says_so),
		cmocka_unit_test(stubs_keep_their_target_apart),
		cmocka_unit_test(threads_start_in_roots),
		cmocka_unit_test(the_entry_point_is_a_root),
		cmocka_unit_test(what_has_a_name_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
