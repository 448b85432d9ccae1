/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "symbolize/demangle.h"
#include "symbolize/roots.h"

#define PLT_SUFFIX "@plt"

/* How much is kept of the beginning and of the end of a name that is too long. */
#define NAME_HEAD_BYTES 620
#define NAME_TAIL_BYTES 382

_Static_assert(NAME_HEAD_BYTES + NAME_TAIL_BYTES + 2 * 3 + 16 <= NAME_MAX_BYTES,
	       "a name without its middle fits");

/*
 * Long names of one program often differ only in the middle. So a hash stands for the middle, and
 * different names stay different.
 */
static int without_middle(const char *text, size_t length, char ret_text[static NAME_MAX_BYTES + 1])
{
	return snprintf(ret_text, NAME_MAX_BYTES + 1, "%.*s...%016" PRIx64 "...%.*s",
			NAME_HEAD_BYTES, text, hash_bytes(text, length), NAME_TAIL_BYTES,
			text + length - NAME_TAIL_BYTES);
}

uint32_t name_intern(struct model *model, const char *text, size_t length)
{
	char shorter[NAME_MAX_BYTES + 1];
	uint32_t id = 0;

	length = strnlen(text, length);
	if (length > NAME_MAX_BYTES) {
		loss_add(&model->losses, LOSS_STRING_CUT, 1);
		length = (size_t)without_middle(text, length, shorter);
		text = shorter;
	}
	if (strpool_intern(&model->strings, text, length, &id) < 0)
		loss_add(&model->losses, LOSS_MEMORY, 1);
	return id;
}

uint32_t name_function_id(const struct image_hits *hits, const struct function *function)
{
	return function->name ? model_function_id(hits->model, function) : 0;
}

static char *demangle_if_asked(const struct image_hits *hits, const char *name)
{
	return hits->options->demangle ? demangle(name) : NULL;
}

void name_function(const struct image_hits *hits, const char *linkage_name,
		   struct function *function)
{
	_cleanup_free_ char *readable = demangle_if_asked(hits, linkage_name);
	uint32_t id = name_intern(hits->model, linkage_name, SIZE_MAX);

	function->name = id;
	function->linkage_name = 0;
	if (readable) {
		function->name = name_intern(hits->model, readable, SIZE_MAX);
		function->linkage_name = id;
	}
}

static uint32_t intern_plt(const struct image_hits *hits, const char *target)
{
	_cleanup_free_ char *text = NULL;

	if (asprintf(&text, "%s" PLT_SUFFIX, target) < 0)
		return 0;
	return name_intern(hits->model, text, SIZE_MAX);
}

static void name_plt(const struct image_hits *hits, const char *target, struct function *function)
{
	_cleanup_free_ char *readable = demangle_if_asked(hits, target);

	function->name = intern_plt(hits, target);
	if (readable) {
		function->linkage_name = function->name;
		function->name = intern_plt(hits, readable);
	}
}

/* Returns the string id of a neighbouring symbol's name, or 0 if there is no symbol. */
static uint32_t neighbour_name(const struct image_hits *hits, const struct symbol *symbol)
{
	_cleanup_free_ char *readable = symbol ? demangle_if_asked(hits, symbol->name) : NULL;
	const char *name;

	if (!symbol)
		return 0;
	name = readable ? readable : symbol->name;
	return symbol->source == SYMBOL_PLT ? intern_plt(hits, name)
					    : name_intern(hits->model, name, SIZE_MAX);
}

/*
 * Names code that no symbol covers by its address, which is the only thing that is certain. The
 * neighbours only help to find the code, so they are not part of the name.
 */
static void name_by_address(const struct image_hits *hits, const struct symbol_answer *answer,
			    struct function *function)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%s_%" PRIx64, answer->bounds_from_fde ? "fn" : "gap",
		       answer->start_vaddr);
	function->name = model_intern(hits->model, text);
	function->before = neighbour_name(hits, answer->before);
	function->after = neighbour_name(hits, answer->after);
	function->quality = answer->before || answer->after ? QUALITY_BRACKET : QUALITY_BOUNDS;
}

static void name_symbol(const struct image_hits *hits, const struct symbol *symbol,
			struct function *function)
{
	static const enum quality qualities[] = {
		[SYMBOL_SYMTAB] = QUALITY_SYMTAB,
		[SYMBOL_DYNSYM] = QUALITY_DYNSYM,
		[SYMBOL_PLT] = QUALITY_PLT,
	};

	function->quality = qualities[symbol->source];
	if (symbol->source == SYMBOL_PLT)
		name_plt(hits, symbol->name, function);
	else
		name_function(hits, symbol->name, function);
}

static bool starts_threads(const struct image_hits *hits, const struct named_code *code,
			   const struct symbol_answer *answer)
{
	if (code->entry_vaddr && answer->start_vaddr == code->entry_vaddr)
		return true;
	if (!answer->symbol)
		return root_is_between(answer);
	if (answer->symbol->source == SYMBOL_PLT)
		return false;
	return hits_image(hits)->kind == IMAGE_KERNEL ? root_is_kernel_name(answer->symbol->name)
						      : root_is_user_name(answer->symbol->name);
}

/*
 * Returns the id of the function for the result of a symbol lookup. Returns 0 if the result
 * contains neither a symbol nor neighbors nor bounds.
 */
static uint32_t answer_function(const struct image_hits *hits, const struct named_code *code,
				const struct symbol_answer *answer)
{
	struct function function = {
		.image = hits->image,
		.vaddr = answer->start_vaddr + code->bias,
		.size_bytes = answer->end_vaddr - answer->start_vaddr,
		.root = starts_threads(hits, code, answer),
	};

	if (answer->symbol)
		name_symbol(hits, answer->symbol, &function);
	else if (answer->before || answer->after || answer->bounds_from_fde)
		name_by_address(hits, answer, &function);
	return name_function_id(hits, &function);
}

static bool same_answer(const struct symbol_answer *a, const struct symbol_answer *b)
{
	return a->symbol == b->symbol && a->before == b->before && a->after == b->after &&
	       a->start_vaddr == b->start_vaddr && a->end_vaddr == b->end_vaddr;
}

/*
 * A caller is looked up one byte before its return address, so that a call at the very end of a
 * function gets this function's name. But the kernel returns from a signal handler to the first
 * byte of __restore_rt, and the byte before it is in no function. Such a byte gets the name of the
 * function after it if it cannot end another function: the symbol table names all functions, or the
 * FDE of the function after it begins at this byte, as that of __restore_rt does.
 */
static void look_up(const struct symbol_table *table, uint64_t vaddr, struct symbol_answer *answer)
{
	bool begins_function;

	symbol_table_lookup(table, vaddr, answer);
	begins_function = table->complete ||
			  (answer->bounds_from_fde && answer->start_vaddr == vaddr);
	if (!answer->symbol && begins_function && answer->after &&
	    answer->after->vaddr == vaddr + 1)
		symbol_table_lookup(table, vaddr + 1, answer);
}

void names_from_table(const struct image_hits *hits, const struct named_code *code)
{
	struct symbol_answer answer, last = { 0 };
	uint32_t function = 0;

	for (size_t i = 0; i < hits->count; i++) {
		look_up(code->table, hits->hits[i].vaddr - code->bias, &answer);
		if (!same_answer(&answer, &last))
			function = answer_function(hits, code, &answer);
		last = answer;
		*hits_function(hits, i) = function;
	}
}

int names_from_file(const struct image_hits *hits, const struct image_file *file,
		    const struct symbols_options *options, struct symbol_cache *cache, uint32_t key)
{
	struct named_code code = {
		.table = symbol_cache_find(cache, key),
		.entry_vaddr = file->entry_vaddr,
	};
	struct symbol_table fresh;
	int rc;

	if (code.table) {
		names_from_table(hits, &code);
		return 0;
	}
	rc = symbol_table_read(file, options, &fresh, NULL);
	if (rc < 0)
		return rc;
	code.table = &fresh;
	names_from_table(hits, &code);
	symbol_cache_keep(cache, key, &fresh);
	return 0;
}

/*
 * Returns the string id of the image's name, such as "[libc.so.6]". If the name already has
 * brackets, adds none.
 */
static uint32_t image_name(const struct image_hits *hits)
{
	const char *path = hits_path(hits), *slash = strrchr(path, '/');
	_cleanup_free_ char *text = NULL;
	const char *base = slash ? slash + 1 : path;
	int length;

	if (base[0] == '[')
		length = asprintf(&text, "%s", base);
	else
		length = asprintf(&text, "[%s]", base[0] ? base : "unknown");
	return length < 0 ? 0 : name_intern(hits->model, text, SIZE_MAX);
}

void names_from_image(const struct image_hits *hits)
{
	struct function function = { .image = hits->image, .quality = QUALITY_NONE };
	uint32_t id = 0;

	for (size_t i = 0; i < hits->count; i++) {
		if (*hits_function(hits, i))
			continue;
		if (!id) {
			function.name = image_name(hits);
			id = name_function_id(hits, &function);
		}
		*hits_function(hits, i) = id;
	}
}
