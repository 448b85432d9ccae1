/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/data_symbols.h"

#include <elf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "elf/symbol_sources.h"

#define NAME_COMPARE_MAX 256
/* number of symbols to check; more than one because a struct's members can have symbols, too */
#define LOOK_BACK 16

static bool is_object(const struct elf_sym *sym, const struct elf_sections *sections)
{
	return ELF64_ST_TYPE(sym->info) == STT_OBJECT && sym->section != SHN_UNDEF &&
	       sym->section < sections->shdrs.count && sym->value && sym->size_bytes;
}

/*
 * Returns the rank of a symbol; lower is better. The RANK_* values of symbol_sources.h are only for
 * functions.
 */
static uint32_t rank(const struct elf_sym *sym)
{
	unsigned int binding = ELF64_ST_BIND(sym->info);

	return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static int add_objects(const struct elf_source *source, const struct elf_sections *sections,
		       uint32_t type, struct symbol_table *table)
{
	_cleanup_(symtab_fini) struct symtab symtab = { 0 };
	struct byte_reader r;
	int rc = symtab_load(source, sections, type, table, &symtab);

	if (rc < 0)
		return rc;
	r = byte_reader_of(symtab.bytes, symtab.size_bytes);
	r.swapped = symtab.swapped;
	for (size_t i = 0; i < symtab.count; i++) {
		struct elf_sym sym = elf_sym_next(&r, symtab.is_elf64);
		const char *name = symtab_name(&symtab, i);

		if (!is_object(&sym, sections) || !name[0])
			continue;
		rc = symbol_table_add(table, &(struct symbol){ .vaddr = sym.value,
							       .size_bytes = sym.size_bytes,
							       .name = name,
							       .rank = rank(&sym) });
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int add_debug_objects(const struct image_file *file, const struct elf_source *source,
			     const struct elf_sections *sections, const char *const *debug_dirs,
			     struct symbol_table *table)
{
	const struct debug_places places = { .dirs = debug_dirs };
	struct elf_source other = { 0 };
	_cleanup_(elf_sections_fini) struct elf_sections others = { 0 };
	_cleanup_(image_file_fini) struct image_file debug = { .fd = -1 };
	int rc = debug_file_open(file, source, sections, &places, &debug);

	if (rc < 0)
		return rc;
	other.fd = debug.fd;
	other.size_bytes = debug.size_bytes;
	rc = elf_sections_read(&other, &others);
	if (rc < 0)
		return rc;
	return add_objects(&other, &others, SHT_SYMTAB, table);
}

static int add_sections(const struct elf_sections *sections, struct data_symbols *data)
{
	for (size_t i = 0; i < sections->shdrs.count; i++) {
		const struct elf_shdr *shdr = &sections->shdrs.at[i];
		const char *name = elf_section_name(sections, shdr);
		struct symbol *section;

		if (!(shdr->flags & SHF_ALLOC) || (shdr->flags & (SHF_EXECINSTR | SHF_TLS)) ||
		    !shdr->vaddr || !shdr->size_bytes || !name[0])
			continue;
		section = vec_push(&data->sections);
		if (!section)
			return -ENOMEM;
		*section = (struct symbol){ .vaddr = shdr->vaddr,
					    .size_bytes = shdr->size_bytes,
					    .name = name };
	}
	return 0;
}

/*
 * Orders symbols by address. If addresses are equal, the symbol with the better rank comes last. If
 * the ranks are equal, too, the larger symbol comes last. The search goes backwards, so it finds
 * the last symbol first.
 */
static int compare(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	if (left->vaddr != right->vaddr)
		return left->vaddr < right->vaddr ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank > right->rank ? -1 : 1;
	if (left->size_bytes != right->size_bytes)
		return left->size_bytes < right->size_bytes ? -1 : 1;
	return strncmp(right->name, left->name, NAME_COMPARE_MAX);
}

/* Treats a damaged table as missing: returns 0 for all errors except -ENOMEM. */
static int forgive(int rc)
{
	return rc == -ENOMEM ? rc : 0;
}

static int read_all(const struct image_file *file, const struct elf_source *source,
		    const char *const *debug_dirs, struct data_symbols *data)
{
	_cleanup_(elf_sections_fini) struct elf_sections sections = { 0 };
	struct symbol_table *table = &data->objects;
	bool has_symtab;
	int rc = elf_sections_read(source, &sections);

	if (rc < 0)
		return rc;
	rc = forgive(add_objects(source, &sections, SHT_SYMTAB, table));
	if (rc < 0)
		return rc;
	has_symtab = table->symbols.count > 0;
	rc = forgive(add_objects(source, &sections, SHT_DYNSYM, table));
	if (rc < 0)
		return rc;
	if (!has_symtab && file && file->fd >= 0) {
		rc = forgive(add_debug_objects(file, source, &sections, debug_dirs, table));
		if (rc < 0)
			return rc;
	}
	rc = add_sections(&sections, data);
	if (rc < 0)
		return rc;
	/* the names in data->sections point into this memory, so keep it */
	rc = symbol_table_own(table, TAKE_PTR(sections.names));
	if (rc < 0)
		return rc;
	if (table->symbols.count)
		qsort(table->symbols.at, table->symbols.count, sizeof(*table->symbols.at), compare);
	if (data->sections.count)
		qsort(data->sections.at, data->sections.count, sizeof(*data->sections.at), compare);
	return 0;
}

static int make(const struct image_file *file, const struct elf_source *source,
		const char *const *debug_dirs, struct data_symbols *ret_data)
{
	struct data_symbols data = {
		.objects = { .storage = calloc(1, sizeof(*data.objects.storage)) }
	};
	int rc = data.objects.storage ? read_all(file, source, debug_dirs, &data) : -ENOMEM;

	if (rc < 0) {
		data_symbols_fini(&data);
		return rc;
	}
	*ret_data = data;
	return 0;
}

int data_symbols_read(const struct image_file *file, const char *const *debug_dirs,
		      struct data_symbols *ret_data)
{
	const struct elf_source source = { .fd = file->fd, .size_bytes = file->size_bytes };

	return make(file, &source, debug_dirs, ret_data);
}

int data_symbols_from_bytes(const void *bytes, size_t size_bytes, struct data_symbols *ret_data)
{
	const struct elf_source source = { .fd = -1, .bytes = bytes, .size_bytes = size_bytes };

	return make(NULL, &source, NULL, ret_data);
}

void data_symbols_fini(struct data_symbols *data)
{
	symbol_table_fini(&data->objects);
	vec_free(&data->sections);
}

static const struct symbol *find(const struct symbol *list, size_t count, uint64_t vaddr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < LOOK_BACK && low > i; i++) {
		const struct symbol *symbol = &list[low - 1 - i];

		if (vaddr - symbol->vaddr < symbol->size_bytes)
			return symbol;
	}
	return NULL;
}

const struct symbol *data_symbols_lookup(const struct data_symbols *data, uint64_t vaddr)
{
	const struct symbol *object = find(data->objects.symbols.at, data->objects.symbols.count,
					   vaddr);

	return object ? object : find(data->sections.at, data->sections.count, vaddr);
}
