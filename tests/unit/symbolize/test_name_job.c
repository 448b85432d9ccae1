/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that a reader finds are those that this process finds, and a reader that lies finds none.
 */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/byte_writer.h"
#include "fixture.h"
#include "support/elf_writer.h"
#include "support/temp.h"
#include "symbolize/hits.h"
#include "symbolize/debug_access.h"
#include "symbolize/name_job.h"

#define ADDRESSES_MAX 20000u
#define STEP 611u
#define ID "\x01\x23\x45\x67\x89\xab\xcd\xef"

static const struct reader_job *const jobs[] = { &name_job };

static struct readers *start(void)
{
	struct readers *readers;

	assert_int_equal(readers_new(jobs, 1, &readers), 0);
	return readers;
}

/* ---- names of real files ---- */

/* Adds locations all over the code of the file. Returns their number, or 0 if there is no file. */
static size_t hit_all_over(struct model *model, const char *path)
{
	struct image_file file;
	uint32_t image;
	size_t count = 0;

	if (image_file_open(AT_FDCWD, path, &file, NULL) < 0)
		return 0;
	image = fixture_file_image(model, path);
	for (size_t i = 0; i < file.segments.count; i++) {
		const struct elf_segment *segment = &file.segments.at[i];

		for (uint64_t at = 0;
		     segment->executable && at < segment->file_size_bytes && count < ADDRESSES_MAX;
		     at += STEP, count++)
			fixture_hit(model, image, segment->vaddr + at);
	}
	image_file_fini(&file);
	return count;
}

/* Writes all that symbolize() found into one text. */
static char *describe(const struct model *model)
{
	char *text = NULL;
	size_t size_bytes;
	FILE *out = open_memstream(&text, &size_bytes);

	assert_non_null(out);
	for (size_t i = 1; i < model->locations.count; i++) {
		const struct location *location = &model->locations.at[i];
		const struct function *f = &model->functions.at[location->function];

		(void)fprintf(out, "%llx: %llx+%llx %s%s %s|%s|%s|%s\n",
			      (unsigned long long)location->vaddr, (unsigned long long)f->vaddr,
			      (unsigned long long)f->size_bytes, quality_name(f->quality),
			      f->root ? " root" : "", model_string(model, f->name),
			      model_string(model, f->linkage_name), model_string(model, f->before),
			      model_string(model, f->after));
	}
	for (int i = 0; i < LOSS_COUNT; i++)
		(void)fprintf(out, "%llu ", (unsigned long long)model->losses.count[i]);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *named_by(struct readers *readers, const char *path, bool demangle)
{
	const struct symbolize_options options = { .readers = readers, .demangle = demangle };
	struct model *model = fixture_model();

	if (!hit_all_over(model, path))
		return NULL;
	assert_int_equal(symbolize(model, &options, NULL), 0);
	return describe(model);
}

static int compare(struct readers *readers, const char *path, bool demangle)
{
	char *here = named_by(NULL, path, demangle), *there = named_by(readers, path, demangle);

	if (!here)
		return 0;
	assert_string_equal(here, there);
	free(here);
	free(there);
	return 1;
}

static void names_are_equal(void **state)
{
	static const char *const paths[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/usr/bin/git",
		"/usr/bin/python3",
	};
	struct readers *readers = start();
	int compared = compare(readers, "/proc/self/exe", true);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		compared += compare(readers, paths[i], true);
		compared += compare(readers, paths[i], false);
	}
	assert_true(compared > 2);
	readers_free(readers);
}

/* The second time, the reader has the table, and needs no file. */
static void tables_are_kept(void **state)
{
	struct readers *readers = start();
	struct symbol_cache *symbols;
	struct symbolize_options options = { .readers = readers };
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, "/proc/self/exe");
	char *first, *second;

	assert_int_equal(symbol_cache_new(1 << 20, &symbols), 0);
	options.symbols = symbols;
	fixture_hit(model, image, 0x1000);
	for (int i = 0; i < 3; i++) {
		model->locations.at[1].function = 0;
		assert_int_equal(symbolize(model, &options, NULL), 0);
		second = describe(model);
		if (i > 0)
			assert_string_equal(first, second);
		if (i > 0)
			free(first);
		first = second;
	}
	free(first);
	symbol_cache_free(symbols);
	readers_free(readers);
}

/* ---- debug files ---- */

static const char *put_elf(struct temp_dir *dir, const char *name, bool has_symbol)
{
	static const struct elf_writer_options x86_64 = { .machine = EM_X86_64 };
	struct elf_writer w;
	size_t size_bytes;
	unsigned int text;
	const char *path;
	uint8_t *bytes;

	elf_writer_init(&w, &x86_64);
	elf_writer_build_id(&w, ID, 8);
	text = elf_writer_text(&w, ".text", 0x1000, 0x200);
	if (has_symbol)
		(void)elf_writer_symbol(&w, SHT_SYMTAB,
					&(struct writer_symbol){ "from_debug_file", 0x1040, 0x20,
								 STB_LOCAL, STT_FUNC, text });
	bytes = elf_writer_finish(&w, &size_bytes);
	path = temp_file(dir, name, bytes, size_bytes);
	free(bytes);
	return path;
}

static void debug_files_are_found(void **state)
{
	struct readers *readers = start();
	struct temp_dir dir = temp_dir_make();
	const char *path = put_elf(&dir, "x.so", false), *dirs[] = { NULL, NULL };
	const struct symbolize_options options = { .readers = readers, .debug_dirs = dirs };
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, path);
	char debug[128];

	(void)snprintf(debug, sizeof(debug), "%s/debug", dir.path);
	dirs[0] = debug;
	fixture_hit(model, image, 0x1050);
	(void)put_elf(&dir, "debug/.build-id/01/23456789abcdef.debug", true);
	assert_int_equal(symbolize(model, &options, NULL), 0);
	assert_string_equal(fixture_name(model, image, 0x1050), "from_debug_file");
	temp_dir_remove(&dir);
	readers_free(readers);
}

struct server {
	const char *path;
	int asked;
};

static int serve(void *context, const char *name, const uint8_t *build_id, size_t size)
{
	struct server *server = context;

	server->asked++;
	assert_int_equal(size, 8);
	assert_memory_equal(build_id, ID, 8);
	return open(server->path, O_RDONLY | O_CLOEXEC);
}

static void a_source_of_debug_files_is_asked(void **state)
{
	struct readers *readers = start();
	struct temp_dir dir = temp_dir_make();
	const char *path = put_elf(&dir, "x.so", false);
	struct server server = { .path = put_elf(&dir, "elsewhere", true) };
	const struct debug_source source = { &server, serve };
	const struct symbolize_options options = { .readers = readers, .debug_source = &source };
	struct model *model = fixture_model();
	uint32_t image = fixture_file_image(model, path);

	fixture_hit(model, image, 0x1050);
	assert_int_equal(symbolize(model, &options, NULL), 0);
	assert_string_equal(fixture_name(model, image, 0x1050), "from_debug_file");
	assert_int_equal(server.asked, 1);
	temp_dir_remove(&dir);
	readers_free(readers);
}

static void only_debug_files_may_be_opened(void **state)
{
	static const char *const dirs[] = { "/usr/lib/debug", "/opt/debug", NULL };
	static const struct {
		const char *image_dir, *path;
		bool allowed;
	} cases[] = {
		{ "/usr/lib", "/usr/lib/debug/.build-id/01/23.debug", true },
		{ "/usr/lib", "/opt/debug/usr/lib/x.debug", true },
		{ "/usr/lib", "/opt/debug/../../etc/shadow", false },
		{ "/usr/lib", "/opt/debugged/x", false },
		{ "/usr/lib", "/opt/debug", false },
		{ "/usr/lib", "/usr/lib/x.debug", true },
		{ "/usr/lib", "/usr/lib/.debug/x.debug", true },
		{ "/usr/lib", "/usr/lib/other/x.debug", false },
		{ "/usr/lib", "/usr/lib/.debug/other/x", false },
		{ "/usr/lib", "/usr/library", false },
		{ "/usr/lib", "/etc/shadow", false },
		{ "/usr/lib", "usr/lib/x", false },
		{ "/usr/lib", "", false },
		{ "", "/x.debug", false },
		{ "", "/usr/lib/debug/x", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (debug_access_allows(dirs, cases[i].image_dir, cases[i].path) !=
		    cases[i].allowed)
			fail_msg("%s for %s", cases[i].path, cases[i].image_dir);
}

/* ---- replies ---- */

/* A model with two addresses of an image that nobody has named. */
static struct image_hits two_hits(struct hit hits[static 2])
{
	static const struct symbolize_options options;
	struct model *model = fixture_model();
	uint32_t image = fixture_image(model, IMAGE_FILE, "/a");

	for (uint32_t i = 0; i < 2; i++) {
		fixture_hit(model, image, 0x10 * (i + 1));
		hits[i] = (struct hit){ 0x10 * (i + 1), image, i + 1 };
	}
	return (struct image_hits){ model, &options, image, hits, 2 };
}

static void put_reply(struct byte_writer *w, uint32_t reason, uint32_t quality, uint32_t count,
		      uint32_t number)
{
	byte_writer_u32(w, 1);
	byte_writer_u32(w, reason);
	byte_writer_u64(w, 3);
	byte_writer_u32(w, count);
	for (uint32_t i = 0; i < count; i++) {
		byte_writer_u64(w, 0x10 + i);
		byte_writer_u64(w, 0x20);
		byte_writer_u32(w, quality);
		byte_writer_u32(w, 1);
		byte_writer_string(w, "name");
		byte_writer_string(w, "");
		byte_writer_string(w, "before");
		byte_writer_string(w, "");
	}
	byte_writer_u32(w, number);
	byte_writer_u32(w, 0);
}

static int take(uint32_t reason, uint32_t quality, uint32_t count, uint32_t number, size_t cut)
{
	struct hit memory[2];
	struct image_hits hits = two_hits(memory);
	struct byte_writer w = { 0 };
	int rc;

	put_reply(&w, reason, quality, count, number);
	rc = name_job_take(&hits, w.bytes.at, w.bytes.count - cut);
	byte_writer_fini(&w);
	if (rc < 0) {
		assert_int_equal(*hits_function(&hits, 0), 0);
		for (int i = 0; i < LOSS_COUNT; i++)
			assert_int_equal(hits.model->losses.count[i], 0);
	} else {
		const struct function *f = fixture_function(hits.model, hits.image, 0x10);

		assert_int_equal(*hits_function(&hits, 1), 0);
		assert_string_equal(model_string(hits.model, f->name), "name");
		assert_string_equal(model_string(hits.model, f->before), "before");
		assert_int_equal(f->image, hits.image);
		assert_int_equal(f->vaddr, 0x10);
		assert_int_equal(hits.model->losses.count[reason], 3);
	}
	return rc;
}

static void replies_are_checked(void **state)
{
	assert_int_equal(take(LOSS_STRING_CUT, QUALITY_SYMTAB, 1, 1, 0), 0);
	assert_int_equal(take(LOSS_STRING_CUT, QUALITY_BRACKET, 2, 1, 0), 0);
	assert_int_equal(take(LOSS_COUNT, QUALITY_SYMTAB, 1, 1, 0), -EBADMSG);
	assert_int_equal(take(LOSS_STRING_CUT, QUALITY_JIT, 1, 1, 0), -EBADMSG);
	assert_int_equal(take(LOSS_STRING_CUT, QUALITY_COUNT, 1, 1, 0), -EBADMSG);
	assert_int_equal(take(LOSS_STRING_CUT, QUALITY_SYMTAB, 3, 1, 0), -EBADMSG);
	assert_int_equal(take(LOSS_STRING_CUT, QUALITY_SYMTAB, 1, 2, 0), -EBADMSG);
	for (size_t cut = 1; cut < 60; cut++)
		assert_int_equal(take(LOSS_STRING_CUT, QUALITY_SYMTAB, 1, 1, cut), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_equal),
		cmocka_unit_test(tables_are_kept),
		cmocka_unit_test(debug_files_are_found),
		cmocka_unit_test(a_source_of_debug_files_is_asked),
		cmocka_unit_test(only_debug_files_may_be_opened),
		cmocka_unit_test(replies_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
