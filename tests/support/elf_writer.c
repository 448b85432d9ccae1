/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_writer.h"

#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

void elf_writer_put_bytes(struct writer_bytes *bytes, const void *more, size_t size_bytes)
{
	if (vec_reserve(&bytes->data, bytes->data.count + size_bytes + 1) < 0)
		abort();
	if (more)
		memcpy(bytes->data.at + bytes->data.count, more, size_bytes);
	else
		memset(bytes->data.at + bytes->data.count, 0, size_bytes);
	bytes->data.count += size_bytes;
}

void elf_writer_put(const struct elf_writer *writer, struct writer_bytes *bytes, uint64_t value,
		    size_t size_bytes)
{
	bool little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != writer->options.swapped;

	for (size_t i = 0; i < size_bytes; i++) {
		size_t place = little ? i : size_bytes - 1 - i;
		uint8_t byte = (uint8_t)(value >> (8 * place));

		elf_writer_put_bytes(bytes, &byte, 1);
	}
}

static size_t word_size(const struct elf_writer *writer)
{
	return writer->options.is_elf32 ? 4 : 8;
}

static void put_word(const struct elf_writer *writer, struct writer_bytes *bytes, uint64_t value)
{
	elf_writer_put(writer, bytes, value, word_size(writer));
}

void elf_writer_init(struct elf_writer *writer, const struct elf_writer_options *options)
{
	*writer = (struct elf_writer){ .options = *options };
	if (!writer->options.type)
		writer->options.type = ET_DYN;
	if (!writer->options.machine)
		writer->options.machine = EM_X86_64;
	if (!writer->options.entry_vaddr)
		writer->options.entry_vaddr = 0x1000;
	(void)elf_writer_section(writer, &(struct writer_section){ .name = "" }, NULL, 0);
}

unsigned int elf_writer_section(struct elf_writer *writer, const struct writer_section *section,
				const void *bytes, size_t size_bytes)
{
	struct writer_section *added = must(vec_push(&writer->sections));

	*added = *section;
	elf_writer_put_bytes(&added->content, bytes, size_bytes);
	return (unsigned int)writer->sections.count - 1;
}

unsigned int elf_writer_text(struct elf_writer *writer, const char *name, uint64_t vaddr,
			     size_t size_bytes)
{
	struct writer_section text = {
		.name = name,
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR,
		.vaddr = vaddr,
	};

	return elf_writer_section(writer, &text, NULL, size_bytes);
}

void elf_writer_build_id(struct elf_writer *writer, const void *id, size_t size_bytes)
{
	struct writer_section section = {
		.name = ".note.gnu.build-id",
		.type = SHT_NOTE,
		.flags = SHF_ALLOC,
	};

	elf_writer_put(writer, &section.content, sizeof(ELF_NOTE_GNU), 4);
	elf_writer_put(writer, &section.content, size_bytes, 4);
	elf_writer_put(writer, &section.content, NT_GNU_BUILD_ID, 4);
	elf_writer_put_bytes(&section.content, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU));
	elf_writer_put_bytes(&section.content, id, size_bytes);
	elf_writer_put_bytes(&section.content, NULL, -size_bytes & 3);
	(void)elf_writer_section(writer, &section, NULL, 0);
}

static unsigned int find_section(const struct elf_writer *writer, const char *name)
{
	for (size_t i = 1; i < writer->sections.count; i++)
		if (strcmp(writer->sections.at[i].name, name) == 0)
			return (unsigned int)i;
	return 0;
}

/* Adds a symbol table followed by its string table. Both begin with their empty entry. */
static unsigned int make_symtab(struct elf_writer *writer, uint32_t table)
{
	bool dynamic = table == SHT_DYNSYM;
	struct writer_section symbols = {
		.name = dynamic ? ".dynsym" : ".symtab",
		.type = table,
		.entry_size_bytes = writer->options.is_elf32 ? 16 : 24,
		.link = (uint32_t)writer->sections.count + 1,
	};
	struct writer_section strings = {
		.name = dynamic ? ".dynstr" : ".strtab",
		.type = SHT_STRTAB,
	};
	unsigned int index = elf_writer_section(writer, &symbols, NULL,
						(size_t)symbols.entry_size_bytes);

	(void)elf_writer_section(writer, &strings, "", 1);
	return index;
}

unsigned int elf_writer_symbol(struct elf_writer *writer, uint32_t table,
			       const struct writer_symbol *symbol)
{
	unsigned int index = find_section(writer, table == SHT_DYNSYM ? ".dynsym" : ".symtab");
	struct writer_bytes *strings, *bytes;
	uint64_t info = symbol->binding << 4 | symbol->type;
	uint64_t name;

	if (!index)
		index = make_symtab(writer, table);
	bytes = &writer->sections.at[index].content;
	strings = &writer->sections.at[index + 1].content;
	name = strings->data.count;
	elf_writer_put_bytes(strings, symbol->name, strlen(symbol->name) + 1);
	elf_writer_put(writer, bytes, name, 4);
	if (writer->options.is_elf32) {
		elf_writer_put(writer, bytes, symbol->vaddr, 4);
		elf_writer_put(writer, bytes, symbol->size_bytes, 4);
	}
	elf_writer_put(writer, bytes, info, 1);
	elf_writer_put(writer, bytes, 0, 1);
	elf_writer_put(writer, bytes, symbol->section, 2);
	if (!writer->options.is_elf32) {
		elf_writer_put(writer, bytes, symbol->vaddr, 8);
		elf_writer_put(writer, bytes, symbol->size_bytes, 8);
	}
	return (unsigned int)(bytes->data.count / (writer->options.is_elf32 ? 16 : 24)) - 1;
}

void elf_writer_relocation(struct elf_writer *writer, uint64_t slot_vaddr, uint32_t type,
			   unsigned int symbol)
{
	unsigned int index = find_section(writer, ".rela.plt");
	struct writer_section section = {
		.name = ".rela.plt",
		.type = SHT_RELA,
		.entry_size_bytes = 24,
		.link = find_section(writer, ".dynsym"),
	};
	struct writer_bytes *bytes;

	if (!index)
		index = elf_writer_section(writer, &section, NULL, 0);
	bytes = &writer->sections.at[index].content;
	elf_writer_put(writer, bytes, slot_vaddr, 8);
	elf_writer_put(writer, bytes, (uint64_t)symbol << 32 | type, 8);
	elf_writer_put(writer, bytes, 0, 8);
}

/* Writes a CIE: version 1, augmentation "zR", addresses as pcrel sdata4. */
static void put_cie(const struct elf_writer *writer, struct writer_bytes *bytes)
{
	static const uint8_t body[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0 };

	elf_writer_put(writer, bytes, 4 + sizeof(body), 4);
	elf_writer_put(writer, bytes, 0, 4);
	elf_writer_put_bytes(bytes, body, sizeof(body));
}

void elf_writer_fde(struct elf_writer *writer, uint64_t eh_frame_vaddr, uint64_t start_vaddr,
		    uint32_t size_bytes)
{
	unsigned int index = find_section(writer, ".eh_frame");
	struct writer_section section = {
		.name = ".eh_frame",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC,
		.vaddr = eh_frame_vaddr,
	};
	struct writer_bytes *bytes;

	if (!index) {
		index = elf_writer_section(writer, &section, NULL, 0);
		put_cie(writer, &writer->sections.at[index].content);
	}
	bytes = &writer->sections.at[index].content;
	elf_writer_put(writer, bytes, 16, 4);
	/* distance to the CIE at offset 0 */
	elf_writer_put(writer, bytes, bytes->data.count, 4);
	elf_writer_put(writer, bytes, start_vaddr - eh_frame_vaddr - bytes->data.count, 4);
	elf_writer_put(writer, bytes, size_bytes, 4);
	elf_writer_put(writer, bytes, 0, 4);
}

static void put_header(const struct elf_writer *writer, struct writer_bytes *out, size_t phdr_count,
		       uint64_t shdr_offset)
{
	bool little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != writer->options.swapped;
	uint8_t ident[EI_NIDENT] = { ELFMAG0,
				     ELFMAG1,
				     ELFMAG2,
				     ELFMAG3,
				     writer->options.is_elf32 ? ELFCLASS32 : ELFCLASS64,
				     little ? ELFDATA2LSB : ELFDATA2MSB,
				     EV_CURRENT };
	size_t ehdr_bytes = writer->options.is_elf32 ? 52 : 64;
	size_t shdr_count = shdr_offset ? writer->sections.count : 0;

	elf_writer_put_bytes(out, ident, sizeof(ident));
	elf_writer_put(writer, out, writer->options.type, 2);
	elf_writer_put(writer, out, writer->options.machine, 2);
	elf_writer_put(writer, out, EV_CURRENT, 4);
	put_word(writer, out, writer->options.entry_vaddr);
	put_word(writer, out, ehdr_bytes);
	put_word(writer, out, shdr_offset);
	elf_writer_put(writer, out, 0, 4);
	elf_writer_put(writer, out, ehdr_bytes, 2);
	elf_writer_put(writer, out, writer->options.is_elf32 ? 32 : 56, 2);
	elf_writer_put(writer, out, phdr_count, 2);
	elf_writer_put(writer, out, writer->options.is_elf32 ? 40 : 64, 2);
	elf_writer_put(writer, out, shdr_count, 2);
	elf_writer_put(writer, out, shdr_count ? shdr_count - 1 : 0, 2);
}

static uint32_t type_of(const struct writer_section *section)
{
	if (strcmp(section->name, ".eh_frame_hdr") == 0)
		return PT_GNU_EH_FRAME;
	if (strcmp(section->name, ".interp") == 0)
		return PT_INTERP;
	return section->type == SHT_NOTE ? PT_NOTE : PT_LOAD;
}

static void put_phdr(const struct elf_writer *writer, struct writer_bytes *out,
		     const struct writer_section *section)
{
	uint32_t flags = PF_R | (section->flags & SHF_EXECINSTR ? PF_X : 0);

	elf_writer_put(writer, out, type_of(section), 4);
	if (!writer->options.is_elf32)
		elf_writer_put(writer, out, flags, 4);
	put_word(writer, out, section->offset);
	put_word(writer, out, section->vaddr);
	put_word(writer, out, section->vaddr);
	put_word(writer, out, section->content.data.count);
	put_word(writer, out, section->content.data.count);
	if (writer->options.is_elf32)
		elf_writer_put(writer, out, flags, 4);
	put_word(writer, out, 4);
}

static void put_shdr(const struct elf_writer *writer, struct writer_bytes *out,
		     const struct writer_section *section, uint32_t name)
{
	elf_writer_put(writer, out, name, 4);
	elf_writer_put(writer, out, section->type, 4);
	put_word(writer, out, section->flags);
	put_word(writer, out, section->vaddr);
	put_word(writer, out, section->offset);
	put_word(writer, out, section->content.data.count);
	elf_writer_put(writer, out, section->link, 4);
	elf_writer_put(writer, out, section->info, 4);
	put_word(writer, out, 8);
	put_word(writer, out, section->entry_size_bytes);
}

/*
 * Adds the section of section names, which lists the names in section order, with its own name
 * last.
 */
static void add_names(struct elf_writer *writer)
{
	struct writer_section names = { .name = ".shstrtab", .type = SHT_STRTAB };

	for (size_t i = 0; i < writer->sections.count; i++)
		elf_writer_put_bytes(&names.content, writer->sections.at[i].name,
				     strlen(writer->sections.at[i].name) + 1);
	elf_writer_put_bytes(&names.content, names.name, strlen(names.name) + 1);
	(void)elf_writer_section(writer, &names, NULL, 0);
}

/* Assigns an offset to each section. Returns the offset of the section headers. */
static uint64_t place_sections(struct elf_writer *writer, uint64_t offset)
{
	for (size_t i = 1; i < writer->sections.count; i++) {
		writer->sections.at[i].offset = offset;
		offset = (offset + writer->sections.at[i].content.data.count + 7) & ~UINT64_C(7);
	}
	return offset;
}

static void put_shdrs(const struct elf_writer *writer, struct writer_bytes *out)
{
	uint32_t name = 0;

	for (size_t i = 0; i < writer->sections.count; i++) {
		put_shdr(writer, out, &writer->sections.at[i], name);
		name += (uint32_t)strlen(writer->sections.at[i].name) + 1;
	}
}

uint8_t *elf_writer_finish(struct elf_writer *writer, size_t *ret_size_bytes)
{
	size_t head_bytes = writer->options.is_elf32 ? 52 : 64, phdr_count = 0;
	struct writer_bytes out = { 0 };
	uint64_t shdr_offset;

	add_names(writer);
	for (size_t i = 0; i < writer->sections.count; i++)
		phdr_count += writer->sections.at[i].flags & SHF_ALLOC ? 1 : 0;
	head_bytes += phdr_count * (writer->options.is_elf32 ? 32 : 56);
	shdr_offset = place_sections(writer, (head_bytes + 7) & ~(size_t)7);
	put_header(writer, &out, phdr_count, writer->options.no_sections ? 0 : shdr_offset);
	for (size_t i = 0; i < writer->sections.count; i++)
		if (writer->sections.at[i].flags & SHF_ALLOC)
			put_phdr(writer, &out, &writer->sections.at[i]);
	for (size_t i = 1; i < writer->sections.count; i++) {
		struct writer_section *section = &writer->sections.at[i];

		elf_writer_put_bytes(&out, NULL, section->offset - out.data.count);
		elf_writer_put_bytes(&out, section->content.data.at, section->content.data.count);
	}
	elf_writer_put_bytes(&out, NULL, shdr_offset - out.data.count);
	if (!writer->options.no_sections)
		put_shdrs(writer, &out);
	for (size_t i = 0; i < writer->sections.count; i++)
		vec_free(&writer->sections.at[i].content.data);
	vec_free(&writer->sections);
	*ret_size_bytes = out.data.count;
	return out.data.at;
}
