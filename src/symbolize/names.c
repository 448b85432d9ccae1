/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "symbolize/demangle.h"
#include "symbolize/roots.h"

/*
 * Limit on each neighbor's name in "a->b:vaddr", so that the whole name stays below NAME_MAX_BYTES.
 */
#define NEIGHBOUR_MAX 490

#define PLT_SUFFIX "@plt"

/*
 * Returns the length that @text has when cut to at most @max bytes. @text itself is not changed.
 * @length is the number of readable bytes at @text. Counts LOSS_STRING_CUT if @text is longer than
 * @max.
 */
static size_t cut(struct model *model, const char *text, size_t length, size_t max)
{
	length = strnlen(text, length < max + 1 ? length : max + 1);
	if (length <= max)
		return length;
	loss_add(&model->losses, LOSS_STRING_CUT, 1);
	return max;
}

uint32_t name_intern(struct model *model, const char *text, size_t length)
{
	uint32_t id = 0;

	length = cut(model, text, length, NAME_MAX_BYTES);
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
	int length = (int)cut(hits->model, target, SIZE_MAX, NAME_MAX_BYTES - strlen(PLT_SUFFIX));

	if (asprintf(&text, "%.*s" PLT_SUFFIX, length, target) < 0)
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

/*
 * Returns the name of a neighboring symbol, or @without if there is no symbol. The caller frees the
 * string. Returns NULL if out of memory.
 */
static char *neighbour_name(const struct image_hits *hits, const struct symbol *symbol,
			    const char *without)
{
	_cleanup_free_ char *readable = symbol ? demangle_if_asked(hits, symbol->name) : NULL;
	const char *name = readable ? readable : symbol ? symbol->name : without;
	const char *suffix = symbol && symbol->source == SYMBOL_PLT ? PLT_SUFFIX : "";
	int length = (int)cut(hits->model, name, SIZE_MAX, NEIGHBOUR_MAX);
	char *text;

	return asprintf(&text, "%.*s%s", length, name, suffix) < 0 ? NULL : text;
}

static void name_between(const struct image_hits *hits, const struct symbol_answer *answer,
			 struct function *function)
{
	_cleanup_free_ char *before = neighbour_name(hits, answer->before, "[start]");
	_cleanup_free_ char *after = neighbour_name(hits, answer->after, "[end]");
	_cleanup_free_ char *text = NULL;
	char vaddr[20] = "";

	if (answer->bounds_from_fde)
		(void)snprintf(vaddr, sizeof(vaddr), ":%" PRIx64, answer->start_vaddr);
	if (before && after && asprintf(&text, "%s->%s%s", before, after, vaddr) >= 0)
		function->name = name_intern(hits->model, text, SIZE_MAX);
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
	char vaddr_name[24];

	if (answer->symbol) {
		name_symbol(hits, answer->symbol, &function);
	} else if (answer->before || answer->after) {
		function.quality = QUALITY_BRACKET;
		name_between(hits, answer, &function);
	} else if (answer->bounds_from_fde) {
		function.quality = QUALITY_BOUNDS;
		(void)snprintf(vaddr_name, sizeof(vaddr_name), "fn_%" PRIx64, answer->start_vaddr);
		function.name = model_intern(hits->model, vaddr_name);
	}
	return name_function_id(hits, &function);
}

static bool same_answer(const struct symbol_answer *a, const struct symbol_answer *b)
{
	return a->symbol == b->symbol && a->before == b->before && a->after == b->after &&
	       a->start_vaddr == b->start_vaddr && a->end_vaddr == b->end_vaddr;
}

void names_from_table(const struct image_hits *hits, const struct named_code *code)
{
	struct symbol_answer answer, last = { 0 };
	uint32_t function = 0;

	for (size_t i = 0; i < hits->count; i++) {
		symbol_table_lookup(code->table, hits->hits[i].vaddr - code->bias, &answer);
		if (!same_answer(&answer, &last))
			function = answer_function(hits, code, &answer);
		last = answer;
		*hits_function(hits, i) = function;
	}
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
