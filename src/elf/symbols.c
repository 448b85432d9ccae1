/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/symbols.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/symbol_sources.h"

/* A table that is being built, and the file that it is built from. */
struct making {
	const struct image_file *file;
	const struct symbols_options *options;	/* may be NULL */
	struct elf_source source;
	struct elf_sections sections;
	struct symbol_table *table;
};

static int compare_starts(const void *left, const void *right)
{
	const struct code_range *a = left, *b = right;

	return a->start_vaddr < b->start_vaddr ? -1 : a->start_vaddr > b->start_vaddr;
}

static int add_section(struct symbol_table *table, uint64_t vaddr, uint64_t size_bytes)
{
	struct code_range *section;

	if (size_bytes == 0 || size_bytes > UINT64_MAX - vaddr)
		return 0;
	section = vec_push(&table->sections);
	if (!section)
		return -ENOMEM;
	*section = (struct code_range){ .start_vaddr = vaddr, .end_vaddr = vaddr + size_bytes };
	return 0;
}

/* Adds the executable sections, or the executable segments if the file has no section headers. */
static int add_sections(const struct making *making)
{
	const struct elf_sections *sections = &making->sections;
	const struct image_file *file = making->file;
	struct symbol_table *table = making->table;
	bool has_sections = sections->shdrs.count > 0;
	uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;

	for (size_t i = 0; i < sections->shdrs.count; i++) {
		const struct elf_shdr *shdr = &sections->shdrs.at[i];

		if ((shdr->flags & wanted) == wanted && shdr->type != SHT_NULL &&
		    add_section(table, shdr->vaddr, shdr->size_bytes) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; !has_sections && i < file->segments.count; i++) {
		const struct elf_segment *segment = &file->segments.at[i];

		if (segment->executable &&
		    add_section(table, segment->vaddr, segment->file_size_bytes) < 0)
			return -ENOMEM;
	}
	if (table->sections.count > 1)
		qsort(table->sections.at, table->sections.count, sizeof(*table->sections.at),
		      compare_starts);
	return 0;
}

/*
 * Adds the functions of .symtab. *@ret_count is their number, or 0 if .symtab is missing or
 * damaged.
 */
static int add_symtab(const struct elf_source *source, const struct elf_sections *sections,
		      struct symbol_table *table, size_t *ret_count)
{
	_cleanup_(symtab_fini) struct symtab symtab = { 0 };
	int rc = symtab_load(source, sections, SHT_SYMTAB, table, &symtab);

	*ret_count = 0;
	if (rc < 0)
		return rc;
	return symtab_functions(&symtab, sections, SYMBOL_SYMTAB, table, ret_count);
}

/* Adds the .symtab of @source, an ELF file that describes the same code as the image. */
static int add_other_symtab(const struct elf_source *source, struct symbol_table *table,
			    size_t *ret_count)
{
	struct elf_sections sections;
	int rc = elf_sections_read(source, &sections);

	*ret_count = 0;
	if (rc < 0)
		return rc;
	rc = add_symtab(source, &sections, table, ret_count);
	elf_sections_fini(&sections);
	return rc;
}

static int add_debug_file(const struct making *making, size_t *ret_count)
{
	const struct symbols_options *options = making->options;
	const struct debug_places places = options ? options->places : (struct debug_places){ 0 };
	struct elf_source source = { 0 };
	struct image_file debug;
	int rc;

	*ret_count = 0;
	if (making->file->fd < 0 || (options && options->no_debug_files))
		return 0;
	rc = debug_file_open(making->file, &making->source, &making->sections, &places, &debug);
	if (rc < 0)
		return rc;
	source.fd = debug.fd;
	source.size_bytes = debug.size_bytes;
	rc = add_other_symtab(&source, making->table, ret_count);
	image_file_fini(&debug);
	return rc;
}

static int add_minidebug(const struct making *making)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct elf_source source = { .fd = -1 };
	size_t size_bytes, count;
	int rc = minidebug_load(&making->source, &making->sections, &bytes, &size_bytes);

	if (rc < 0)
		return rc;
	source.bytes = bytes;
	source.size_bytes = size_bytes;
	return add_other_symtab(&source, making->table, &count);
}

static int add_dynsym(const struct making *making, size_t *ret_count)
{
	struct symbol_table *table = making->table;
	_cleanup_(symtab_fini) struct symtab dynsym = { 0 };
	int rc = symtab_load(&making->source, &making->sections, SHT_DYNSYM, table, &dynsym);

	*ret_count = 0;
	if (rc < 0)
		return rc;
	rc = symtab_functions(&dynsym, &making->sections, SYMBOL_DYNSYM, table, ret_count);
	if (rc < 0)
		return rc;
	return plt_functions(&making->source, &making->sections, &dynsym, table);
}

/* Treats a damaged table as missing: returns 0 for all errors except -ENOMEM. */
static int forgive(int rc)
{
	return rc == -ENOMEM ? rc : 0;
}

/*
 * Adds the symbols of all sources that are needed. If .symtab has fewer functions than .dynsym, the
 * file was partially stripped, so .symtab does not name all functions of the file. Then further
 * sources are read: the debug file and, if that is not complete either, .gnu_debugdata, Go's table
 * of functions and .eh_frame.
 */
static int add_all(const struct making *making)
{
	struct symbol_table *table = making->table;
	size_t symtab, debug = 0, dynsym;
	int rc;

	rc = forgive(add_sections(making));
	if (rc < 0)
		return rc;
	rc = forgive(add_symtab(&making->source, &making->sections, table, &symtab));
	if (rc < 0)
		return rc;
	rc = forgive(add_dynsym(making, &dynsym));
	if (rc < 0)
		return rc;
	if (symtab == 0 || symtab < dynsym) {
		rc = forgive(add_debug_file(making, &debug));
		if (rc < 0)
			return rc;
	}
	table->complete = (symtab > 0 && symtab >= dynsym) || (debug > 0 && debug >= dynsym);
	if (table->complete)
		return symbol_table_finish(table, making->options && making->options->all_names);
	rc = forgive(add_minidebug(making));
	if (rc < 0)
		return rc;
	rc = forgive(go_symbols(making->file, &making->source, &making->sections, table));
	if (rc < 0)
		return rc;
	rc = forgive(eh_frame_ranges(making->file, &making->source, &making->sections, table));
	if (rc < 0)
		return rc;
	return symbol_table_finish(table, making->options && making->options->all_names);
}

static int fill_table(struct making *making)
{
	int rc;

	if (!making->table->storage)
		return -ENOMEM;
	rc = elf_sections_read(&making->source, &making->sections);
	if (rc < 0)
		return rc;
	if (making->sections.header.type != ET_EXEC && making->sections.header.type != ET_DYN)
		return -ENOEXEC;	/* the symbols of object files have no addresses yet */
	return add_all(making);
}

static int make_table(struct making *making, const char *name, struct symbol_table *ret_table,
		      struct err *err)
{
	struct symbol_table table = { .storage = calloc(1, sizeof(*table.storage)) };
	int rc;

	making->table = &table;
	rc = fill_table(making);
	elf_sections_fini(&making->sections);
	if (rc == 0) {
		*ret_table = table;
		return 0;
	}
	symbol_table_fini(&table);
	if (rc == -ENOEXEC)
		return err_set(err, rc, "%s: no symbols: the ELF file is damaged", name);
	return err_sys(err, rc, "cannot read the symbols of %s", name);
}

int symbol_table_read(const struct image_file *file, const struct symbols_options *options,
		      struct symbol_table *ret_table, struct err *err)
{
	struct making making = {
		.file = file,
		.options = options,
		.source = { .fd = file->fd, .size_bytes = file->size_bytes },
	};
	char link[64], name[PATH_MAX];
	ssize_t length;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	length = readlink(link, name, sizeof(name) - 1);
	name[length > 0 ? length : 0] = '\0';
	return make_table(&making, name, ret_table, err);
}

int symbol_table_from_bytes(const void *bytes, size_t size_bytes, struct symbol_table *ret_table,
			    struct err *err)
{
	struct making making = { .source = { .bytes = bytes, .size_bytes = size_bytes } };
	struct image_file file;
	int rc = image_file_from_bytes(bytes, size_bytes, "image in memory", &file, err);

	if (rc < 0)
		return rc;
	making.file = &file;
	making.source.fd = -1;
	rc = make_table(&making, "image in memory", ret_table, err);
	image_file_fini(&file);
	return rc;
}

void symbol_table_fini(struct symbol_table *table)
{
	struct symbol_storage *storage = table->storage;

	vec_free(&table->symbols);
	vec_free(&table->ranges);
	vec_free(&table->sections);
	if (storage) {
		for (size_t i = 0; i < storage->blocks.count; i++)
			free(storage->blocks.at[i]);
		vec_free(&storage->blocks);
		vec_free(&storage->outer);
	}
	free(storage);
	table->storage = NULL;
}

size_t symbol_table_bytes(const struct symbol_table *table)
{
	const struct symbol_storage *storage = table->storage;
	size_t bytes = table->symbols.capacity * sizeof(*table->symbols.at) +
		       table->ranges.capacity * sizeof(*table->ranges.at) +
		       table->sections.capacity * sizeof(*table->sections.at);

	if (!storage)
		return bytes;
	for (size_t i = 0; i < storage->blocks.count; i++)
		bytes += malloc_usable_size(storage->blocks.at[i]);
	return bytes + sizeof(*storage) + storage->outer.capacity * sizeof(*storage->outer.at) +
	       storage->blocks.capacity * sizeof(*storage->blocks.at);
}
