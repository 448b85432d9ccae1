/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "elf/symbol_sources.h"

int symtab_load(const struct elf_source *source, const struct elf_sections *sections, uint32_t type,
		struct symbol_table *table, struct symtab *ret_symtab)
{
	const struct elf_header *h = &sections->header;
	struct symtab symtab = { .is_elf64 = h->is_elf64, .swapped = h->swapped };
	const struct elf_shdr *shdr = NULL, *strings;
	_cleanup_free_ uint8_t *bytes = NULL;
	uint8_t *names;
	int rc;

	*ret_symtab = symtab;
	for (size_t i = 0; i < sections->shdrs.count && !shdr; i++)
		if (sections->shdrs.at[i].type == type)
			shdr = &sections->shdrs.at[i];
	if (!shdr)
		return 0;
	if (shdr->link >= sections->shdrs.count)
		return -ENOEXEC;
	strings = &sections->shdrs.at[shdr->link];
	rc = elf_section_load(source, shdr, TABLE_MAX_BYTES, &bytes, &symtab.size_bytes);
	if (rc < 0)
		return rc;
	rc = elf_section_load(source, strings, TABLE_MAX_BYTES, &names, &symtab.strings_size_bytes);
	if (rc < 0)
		return rc;
	rc = symbol_table_own(table, names);
	if (rc < 0)
		return rc;
	symtab.count = symtab.size_bytes / elf_sym_size(h->is_elf64);
	symtab.strings = (const char *)names;
	symtab.bytes = TAKE_PTR(bytes);
	*ret_symtab = symtab;
	return 0;
}

void symtab_fini(struct symtab *symtab)
{
	free(symtab->bytes);
	symtab->bytes = NULL;
}

static const char *name_at(const struct symtab *symtab, uint32_t offset)
{
	return offset < symtab->strings_size_bytes ? symtab->strings + offset : "";
}

const char *symtab_name(const struct symtab *symtab, uint64_t index)
{
	struct byte_reader r = byte_reader_of(symtab->bytes, symtab->size_bytes);

	if (index >= symtab->count)
		return "";
	r.swapped = symtab->swapped;
	byte_reader_seek(&r, index * elf_sym_size(symtab->is_elf64));
	return name_at(symtab, elf_sym_next(&r, symtab->is_elf64).name);
}

/*
 * Returns true for the mapping symbols of the ARM assemblers, such as "$x" and "$d.3". They mark
 * bytes as code or data and are not names of functions.
 */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (name[2] == '\0' || name[2] == '.');
}

/*
 * Returns true if a label names code. The label must be in an executable section, and its name must
 * not be one that tools generate (such as ".L1" or "$x").
 */
static bool is_code_label(const struct elf_sym *sym, const char *name,
			  const struct elf_sections *sections)
{
	const struct elf_shdr *shdr;

	if (sym->section >= sections->shdrs.count || name[0] == '.' || is_mapping_symbol(name))
		return false;
	shdr = &sections->shdrs.at[sym->section];
	return (shdr->flags & SHF_EXECINSTR) && sym->value >= shdr->vaddr &&
	       sym->value - shdr->vaddr < shdr->size_bytes;
}

static bool is_function(const struct elf_sym *sym, const char *name,
			const struct elf_sections *sections)
{
	if (sym->section == SHN_UNDEF || sym->value == 0 || name[0] == '\0' ||
	    (name[0] == '.' && name[1] == 'L'))
		return false;
	switch (ELF64_ST_TYPE(sym->info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		return is_code_label(sym, name, sections);
	default:
		return false;
	}
}

static uint32_t rank(const struct elf_sym *sym)
{
	unsigned int binding = ELF64_ST_BIND(sym->info);
	uint32_t rank = 0;

	if (ELF64_ST_TYPE(sym->info) == STT_NOTYPE)
		rank += RANK_NOTYPE;
	if (sym->size_bytes == 0)
		rank += RANK_NO_SIZE;
	if (binding == STB_WEAK)
		rank += RANK_WEAK;
	else if (binding == STB_LOCAL)
		rank += RANK_LOCAL;
	return rank;
}

int symtab_functions(const struct symtab *symtab, const struct elf_sections *sections,
		     enum symbol_source as, struct symbol_table *table, size_t *ret_count)
{
	struct byte_reader r = byte_reader_of(symtab->bytes, symtab->size_bytes);
	/* On ARM, bit 0 of a function's address only marks Thumb code. */
	uint64_t address_mask = sections->header.machine == EM_ARM ? ~UINT64_C(1) : UINT64_MAX;
	size_t before = table->symbols.count;

	r.swapped = symtab->swapped;
	for (size_t i = 0; i < symtab->count; i++) {
		struct elf_sym sym = elf_sym_next(&r, symtab->is_elf64);
		const char *name = name_at(symtab, sym.name);
		int rc;

		if (!is_function(&sym, name, sections))
			continue;
		rc = symbol_table_add(table, &(struct symbol){
						     .vaddr = sym.value & address_mask,
						     .size_bytes = sym.size_bytes,
						     .name = name,
						     .source = as,
						     .is_resolver = ELF64_ST_TYPE(sym.info) ==
								    STT_GNU_IFUNC,
						     .rank = rank(&sym),
					     });
		if (rc < 0)
			return rc;
	}
	*ret_count = table->symbols.count - before;
	return 0;
}
