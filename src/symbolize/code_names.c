/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "elf/data_symbols.h"
#include "symbolize/code.h"
#include "symbolize/demangle.h"
#include "symbolize/recorded.h"

struct code_names {
	const struct model *model;
	/*
	 * NULL if the image is not part of the kernel, or if the machine may have rebooted since
	 * the recording
	 */
	const struct kallsyms *kallsyms;
	/* copies of the image's functions, sorted by address */
	VEC(struct function) functions;
	/* symbols of the image's file; empty if the file is missing */
	struct symbol_table table;
	/* data symbols of that file; empty if the file is missing */
	struct data_symbols data;
};

static int compare_functions(const void *a, const void *b)
{
	uint64_t left = ((const struct function *)a)->vaddr;
	uint64_t right = ((const struct function *)b)->vaddr;

	return (left > right) - (left < right);
}

/*
 * Collects the functions whose bounds are known. Skips all other functions, because their names
 * would only be a guess for addresses near their start.
 */
static int collect_functions(struct code_names *names, uint32_t image)
{
	const struct model *model = names->model;

	for (size_t i = 1; i < model->functions.count; i++) {
		const struct function *function = &model->functions.at[i];
		struct function *slot;

		if (function->image != image || function->size_bytes == 0)
			continue;
		slot = vec_push(&names->functions);
		if (!slot)
			return -ENOMEM;
		*slot = *function;
	}
	if (names->functions.count)
		qsort(names->functions.at, names->functions.count, sizeof(*names->functions.at),
		      compare_functions);
	return 0;
}

static void read_table(struct code_names *names, const struct image *image,
		       const struct code_options *options)
{
	const char *path = model_string(names->model, image->path);
	_cleanup_free_ char *below = NULL;
	struct image_file file;
	struct symbol_table table;
	struct data_symbols data;
	bool is_it;

	if (image->kind != IMAGE_FILE || path[0] != '/')
		return;
	below = recorded_path_below(options->sysroot, path);
	if (!below || image_file_open(AT_FDCWD, below, &file, NULL) < 0)
		return;
	is_it = recorded_file_is(image, &file);
	if (is_it && symbol_table_read(&file, NULL, &table, NULL) == 0)
		names->table = table;
	if (is_it && data_symbols_read(&file, NULL, &data) == 0)
		names->data = data;
	image_file_fini(&file);
}

int code_names_new(const struct model *model, uint32_t image, const struct code_options *options,
		   struct code_names **ret_names)
{
	const struct image *row = &model->images.at[image];
	struct code_names *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	names->model = model;
	if (row->kind == IMAGE_KERNEL || row->kind == IMAGE_MODULE || row->kind == IMAGE_BPF)
		names->kallsyms = options->kallsyms;
	if (collect_functions(names, image) < 0) {
		code_names_free(names);
		return -ENOMEM;
	}
	read_table(names, row, options);
	*ret_names = names;
	return 0;
}

void code_names_free(struct code_names *names)
{
	if (!names)
		return;
	vec_free(&names->functions);
	symbol_table_fini(&names->table);
	data_symbols_fini(&names->data);
	free(names);
}

static void put(char *text, size_t size_bytes, const char *name, uint64_t offset)
{
	if (offset)
		(void)snprintf(text, size_bytes, "%s+0x%" PRIx64, name, offset);
	else
		(void)snprintf(text, size_bytes, "%s", name);
}

static bool recorded_name(const struct code_names *names, uint64_t vaddr, char *text,
			  size_t size_bytes)
{
	size_t low = 0, high = names->functions.count;
	const struct function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->functions.at[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	function = low ? &names->functions.at[low - 1] : NULL;
	if (!function || vaddr - function->vaddr >= function->size_bytes)
		return false;
	put(text, size_bytes, model_string(names->model, function->name), vaddr - function->vaddr);
	return true;
}

static bool file_name(const struct code_names *names, uint64_t vaddr, char *text, size_t size_bytes)
{
	_cleanup_free_ char *demangled = NULL;
	struct symbol_answer answer;
	char name[DEMANGLE_INPUT_MAX];

	if (!names->table.symbols.count)
		return false;
	symbol_table_lookup(&names->table, vaddr, &answer);
	if (!answer.symbol)
		return false;
	(void)snprintf(name, sizeof(name), "%s%s", answer.symbol->name,
		       answer.symbol->source == SYMBOL_PLT ? "@plt" : "");
	if (answer.symbol->source != SYMBOL_PLT)
		demangled = demangle(name);
	put(text, size_bytes, demangled ? demangled : name, vaddr - answer.symbol->vaddr);
	return true;
}

static bool data_name(const struct code_names *names, uint64_t vaddr, char *text, size_t size_bytes)
{
	const struct symbol *symbol = data_symbols_lookup(&names->data, vaddr);
	_cleanup_free_ char *demangled = NULL;
	char name[DEMANGLE_INPUT_MAX];

	if (!symbol)
		return false;
	(void)snprintf(name, sizeof(name), "%s", symbol->name);
	demangled = demangle(name);
	put(text, size_bytes, demangled ? demangled : name, vaddr - symbol->vaddr);
	return true;
}

static bool kernel_name(const struct code_names *names, uint64_t addr, char *text,
			size_t size_bytes)
{
	const struct kernel_symbol *symbol;
	uint64_t end_addr;

	if (!names->kallsyms)
		return false;
	symbol = kallsyms_lookup(names->kallsyms, addr, &end_addr);
	if (!symbol)
		return false;
	put(text, size_bytes, kallsyms_string(names->kallsyms, symbol->name), addr - symbol->addr);
	return true;
}

bool code_name_at(void *context, uint64_t vaddr, char *text, size_t size_bytes)
{
	const struct code_names *names = context;

	return recorded_name(names, vaddr, text, size_bytes) ||
	       file_name(names, vaddr, text, size_bytes) ||
	       data_name(names, vaddr, text, size_bytes) ||
	       kernel_name(names, vaddr, text, size_bytes);
}
