/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/function_job.h"

#include <stdlib.h>

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "base/cleanup.h"
#include "base/pattern.h"
#include "base/write_all.h"
#include "elf/go_functions.h"
#include "elf/image_file.h"
#include "elf/symbols.h"
#include "symbolize/debug_access.h"
#include "symbolize/demangle.h"
#include "symbolize/function_exits.h"

#define REPLY_BYTES_MAX (UINT64_C(64) << 20)

enum { IS_GO = 1, HAS_ALL_NAMES = 2, HAS_RESOLVER = 4 };

/* ---- in the reader ---- */

static bool matches(const struct pattern *pattern, const char *mangled, const char *demangled)
{
	return pattern_matches(pattern, mangled) ||
	       (demangled && pattern_matches(pattern, demangled));
}

/* What is needed to find the functions of one image. */
struct search {
	const struct image_file *file;
	const struct symbol_table *table;
	const struct pattern *pattern;
	struct exit_search exits;
	bool has_resolver;
};

static uint64_t offset_of(const struct search *search, uint64_t vaddr)
{
	const struct elf_segment *segment = image_file_segment(search->file, vaddr);

	return segment ? vaddr - segment->vaddr + segment->offset : 0;
}

static void write_function(struct search *search, const struct symbol *symbol, const char *name,
			   struct byte_writer *w)
{
	struct exit_search *exits = &search->exits;
	uint8_t code[FUNCTION_CODE_BYTES] = { 0 };
	size_t size_bytes = sizeof(code);

	if (symbol->size_bytes && symbol->size_bytes < size_bytes)
		size_bytes = (size_t)symbol->size_bytes;
	(void)image_file_code(search->file, NULL, symbol->vaddr, size_bytes, code);
	exit_search_run(exits, symbol, FUNCTION_EXITS_MAX);
	byte_writer_u64(w, symbol->vaddr);
	byte_writer_u64(w, offset_of(search, symbol->vaddr));
	byte_writer_u64(w, symbol->size_bytes);
	byte_writer_bytes(w, code, sizeof(code));
	byte_writer_u32(w, exits->is_decoded);
	byte_writer_u32(w, (uint32_t)exits->exits.count);
	for (size_t i = 0; i < exits->exits.count; i++)
		byte_writer_u64(w, offset_of(search, exits->exits.at[i]));
	byte_writer_string(w, name);
}

/* Returns the number of functions, or a negative errno. An address is written once. */
static int write_functions(struct search *search, struct byte_writer *w)
{
	const struct symbol_table *table = search->table;
	uint64_t last_vaddr = 0;
	int count = 0;

	for (size_t i = 0; i < table->symbols.count; i++) {
		const struct symbol *symbol = &table->symbols.at[i];
		const struct elf_segment *segment = image_file_segment(search->file, symbol->vaddr);
		_cleanup_free_ char *demangled = NULL;

		if (symbol->source == SYMBOL_PLT || !segment || !segment->executable ||
		    (count && symbol->vaddr == last_vaddr))
			continue;
		demangled = demangle(symbol->name);
		if (!matches(search->pattern, symbol->name, demangled))
			continue;
		search->has_resolver |= symbol->is_resolver;
		if (symbol->is_resolver)
			continue;
		if (count == (int)FUNCTIONS_FOUND_MAX)
			return -E2BIG;
		write_function(search, symbol, demangled ? demangled : symbol->name, w);
		last_vaddr = symbol->vaddr;
		count++;
	}
	return w->failed ? -ENOMEM : count;
}

static bool is_go(const struct image_file *file)
{
	struct go_functions functions;
	bool found;

	if (go_functions_read(file, NULL, &functions) < 0)
		return false;
	found = functions.bytes != NULL;
	go_functions_fini(&functions);
	return found;
}

static int reply(struct search *search, int reply_fd)
{
	_cleanup_(byte_writer_fini) struct byte_writer list = { 0 };
	uint32_t head[3] = { search->file->machine };
	int rc = write_functions(search, &list);

	if (rc < 0)
		return rc;
	head[1] = (is_go(search->file) ? IS_GO : 0u) |
		  (search->table->complete ? HAS_ALL_NAMES : 0u) |
		  (search->has_resolver ? HAS_RESOLVER : 0u);
	head[2] = (uint32_t)rc;
	rc = write_all(reply_fd, head, sizeof(head));
	return rc < 0 ? rc : write_all(reply_fd, list.bytes.at, list.bytes.count);
}

static int answer(int fd, const struct debug_request *debug, const char *text, int reply_fd)
{
	const struct symbols_options options = { .places = debug_request_places(debug),
						 .all_names = true };
	_cleanup_(image_file_fini) struct image_file file = { .fd = -1 };
	_cleanup_(symbol_table_fini) struct symbol_table table = { 0 };
	struct search search = { .file = &file, .table = &table };
	struct pattern pattern = { 0 };
	int rc = image_file_from_fd(fd, "image", &file, NULL);

	if (rc == 0)
		rc = symbol_table_read(&file, &options, &table, NULL);
	if (rc == 0)
		rc = pattern_compile(text, PATTERN_NAME, &pattern, NULL);
	if (rc < 0)
		return rc;
	search.pattern = &pattern;
	exit_search_init(&search.exits, &file, &table);
	rc = reply(&search, reply_fd);
	exit_search_fini(&search.exits);
	pattern_fini(&pattern);
	return rc;
}

static int run(struct reader_task *task)
{
	struct byte_reader r = byte_reader_of(task->request, task->request_bytes);
	struct debug_request debug;
	size_t length;
	const char *text;

	if (!debug_request_read(&r, &debug))
		return -EBADMSG;
	text = byte_reader_string(&r, &length);
	return r.failed ? -EBADMSG : answer(TAKE_FD(task->file_fd), &debug, text, task->reply_fd);
}

const struct reader_job function_job = { .run = run };

/* ---- in the session ---- */

static int read_function(struct byte_reader *r, struct found_functions *functions,
			 struct found_function *function)
{
	const void *code;
	size_t length;

	function->vaddr = byte_reader_u64(r);
	function->offset = byte_reader_u64(r);
	function->size_bytes = byte_reader_u64(r);
	code = byte_reader_bytes(r, sizeof(function->code));
	function->is_decoded = byte_reader_u32(r) != 0;
	function->first_exit = (uint32_t)functions->exits.count;
	function->exit_count = byte_reader_u32(r);
	if (r->failed || function->exit_count > FUNCTION_EXITS_MAX)
		return -EBADMSG;
	memcpy(function->code, code, sizeof(function->code));
	for (uint32_t i = 0; i < function->exit_count; i++) {
		uint64_t *slot = vec_push(&functions->exits);

		if (!slot)
			return -ENOMEM;
		*slot = byte_reader_u64(r);
	}
	function->name = byte_reader_string(r, &length);
	return r->failed ? -EBADMSG : 0;
}

int functions_take(uint8_t *reply, size_t size_bytes, struct found_functions *functions)
{
	struct byte_reader r = byte_reader_of(reply, size_bytes);
	uint32_t flags, count;
	int rc = 0;

	functions->reply = reply;
	functions->machine = (uint16_t)byte_reader_u32(&r);
	flags = byte_reader_u32(&r);
	functions->is_go = flags & IS_GO;
	functions->has_all_names = flags & HAS_ALL_NAMES;
	functions->has_resolver = flags & HAS_RESOLVER;
	count = byte_reader_u32(&r);
	if (r.failed || count > FUNCTIONS_FOUND_MAX)
		return -EBADMSG;
	if (vec_reserve(&functions->list, count) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && rc == 0; i++) {
		rc = read_function(&r, functions, &functions->list.at[i]);
		functions->list.count++;
	}
	return rc;
}

int functions_find(struct readers *readers, int fd, const char *pattern,
		   struct found_functions *ret_functions)
{
	_cleanup_(byte_writer_fini) struct byte_writer w = { 0 };
	struct found_functions functions = { 0 };
	uint8_t *bytes;
	size_t size_bytes;
	int rc;

	byte_writer_string(&w, pattern);
	rc = debug_access_ask(readers, &function_job, fd, &w, REPLY_BYTES_MAX, &bytes, &size_bytes);
	if (rc == 0)
		rc = functions_take(bytes, size_bytes, &functions);
	if (rc < 0)
		found_functions_fini(&functions);
	else
		*ret_functions = functions;
	return rc;
}

void found_functions_fini(struct found_functions *functions)
{
	vec_free(&functions->list);
	vec_free(&functions->exits);
	free(functions->reply);
	*functions = (struct found_functions){ 0 };
}
