/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names code of the kernel, its modules and BPF programs, from kallsyms and from a vmlinux if there
 * is one.
 */
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/symbols.h"
#include "symbolize/hits.h"
#include "symbolize/names.h"
#include "symbolize/roots.h"

/*
 * Maximum number of vmlinux symbols to look up in kallsyms. The first few functions of a vmlinux
 * are global symbols, so kallsyms lists them too.
 */
#define SLIDE_TRIES 64

/*
 * Computes the slide, which is the address of a symbol in the running kernel minus the address of
 * the same symbol in the vmlinux. Returns false if no symbol is found in both.
 */
static bool find_slide(const struct kallsyms *kallsyms, const struct symbol_table *table,
		       uint64_t *ret_slide)
{
	for (size_t i = 0; i < table->symbols.count && i < SLIDE_TRIES; i++) {
		const struct symbol *symbol = &table->symbols.at[i];
		uint64_t addr = kallsyms_addr(kallsyms, symbol->name);

		if (addr) {
			*ret_slide = addr - symbol->vaddr;
			return true;
		}
	}
	return false;
}

static void name_from_vmlinux(const struct image_hits *hits)
{
	struct symbols_options options = { .places.dirs = hits->options->debug_dirs };
	struct image_file file;
	struct symbol_table table;
	struct named_code code = { .table = &table };

	if (image_file_open(AT_FDCWD, hits->options->vmlinux, &file, NULL) < 0) {
		hits_loss(hits, LOSS_IMAGE_UNREADABLE);
		return;
	}
	if (symbol_table_read(&file, &options, &table, NULL) < 0) {
		hits_loss(hits, LOSS_IMAGE_DAMAGED);
	} else {
		if (table.complete && find_slide(hits->options->kallsyms, &table, &code.bias))
			names_from_table(hits, &code);
		symbol_table_fini(&table);
	}
	image_file_fini(&file);
}

/*
 * Returns true if @symbol belongs to @image. If the image was loaded after kallsyms was read,
 * kallsyms has no symbols for it. A lookup then finds a symbol of other code, which begins before
 * the image.
 */
static bool is_of_image(const struct kernel_symbol *symbol, const struct image *image)
{
	return image->kind == IMAGE_KERNEL || symbol->addr >= image->base_addr;
}

static uint32_t kallsyms_function(const struct image_hits *hits, const struct kernel_symbol *symbol,
				  uint64_t end_addr)
{
	const char *name = kallsyms_string(hits->options->kallsyms, symbol->name);
	struct function function = {
		.image = hits->image,
		.quality = QUALITY_SYMTAB,
		.root = root_is_kernel_name(name),
		.vaddr = symbol->addr,
		.size_bytes = end_addr - symbol->addr,
	};

	name_function(hits, name, &function);
	return name_function_id(hits, &function);
}

static void name_from_kallsyms(const struct image_hits *hits)
{
	const struct image *image = hits_image(hits);
	uint64_t end_addr = 0; /* end of the function found last */
	uint32_t function = 0;

	for (size_t i = 0; i < hits->count; i++) {
		uint64_t addr = hits->hits[i].vaddr;
		const struct kernel_symbol *symbol;

		if (*hits_function(hits, i))
			continue;
		if (!function || addr >= end_addr) {
			symbol = kallsyms_lookup(hits->options->kallsyms, addr, &end_addr);
			function = symbol && is_of_image(symbol, image)
					   ? kallsyms_function(hits, symbol, end_addr)
					   : 0;
		}
		*hits_function(hits, i) = function;
	}
}

/*
 * A BPF program is one function, and its image has the name that the kernel gave the program when
 * it was loaded. A program that was unloaded since is not in kallsyms any more.
 */
static void name_from_program(const struct image_hits *hits)
{
	const struct image *image = hits_image(hits);
	/* A copy: interning moves the model's strings. */
	_cleanup_free_ char *path = strdup(model_string(hits->model, image->path));
	struct function function = {
		.image = hits->image,
		.quality = QUALITY_SYMTAB,
		.vaddr = image->base_addr,
	};

	if (!path || image->kind != IMAGE_BPF || strncmp(path, "[bpf_", 5) != 0)
		return;
	function.name = name_intern(hits->model, path + 1, strlen(path) - 2);
	for (size_t i = 0; i < hits->count; i++)
		if (!*hits_function(hits, i))
			*hits_function(hits, i) = name_function_id(hits, &function);
}

void kernel_image_name(const struct image_hits *hits)
{
	if (hits->options->kallsyms && hits->options->vmlinux &&
	    hits_image(hits)->kind == IMAGE_KERNEL)
		name_from_vmlinux(hits);
	if (hits->options->kallsyms)
		name_from_kallsyms(hits);
	name_from_program(hits);
}
