/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names PLT stubs, which are small pieces of code for calls into other files.
 *
 * No symbol table lists the stubs. But each stub jumps through one slot of the global offset table
 * (GOT), and the dynamic relocation of that slot names the function. So this code decodes the stubs
 * to find their slots. This way it does not rely on the order in which a linker places the stubs,
 * or on the kinds of PLT sections that it creates.
 */
#include <elf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "elf/symbol_sources.h"

#define STUBS_MAX_BYTES (UINT64_C(64) << 20)

/* A slot of the global offset table. The dynamic linker stores the address of @symbol there. */
struct slot {
	uint64_t vaddr;
	uint64_t symbol;	/* index in .dynsym */
};

struct naming {
	const struct elf_source *source;
	const struct elf_sections *sections;
	const struct symtab *dynsym;
	VEC(struct slot) slots;	/* sorted by vaddr */
	struct symbol_table *table;
};

struct stub {
	uint64_t vaddr;
	uint64_t size_bytes;
	uint64_t slot_vaddr;
};

static int add_slots(struct naming *naming, const uint8_t *bytes, size_t size_bytes)
{
	const struct elf_sections *sections = naming->sections;
	bool arm = sections->header.machine == EM_AARCH64;
	uint32_t jump_slot = arm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT;
	uint32_t data_slot = arm ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT;
	struct byte_reader r = byte_reader_of(bytes, size_bytes);

	r.swapped = sections->header.swapped;
	while (byte_reader_left(&r) > 0) {
		struct slot slot = { .vaddr = byte_reader_u64(&r) };
		uint64_t info = byte_reader_u64(&r);
		struct slot *added;

		byte_reader_skip(&r, 8);	/* r_addend */
		slot.symbol = ELF64_R_SYM(info);
		if (slot.symbol == 0 ||
		    (ELF64_R_TYPE(info) != jump_slot && ELF64_R_TYPE(info) != data_slot))
			continue;
		added = vec_push(&naming->slots);
		if (!added)
			return -ENOMEM;
		*added = slot;
	}
	return r.failed ? -ENOEXEC : 0;
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

/*
 * Reads the GOT slots from the relocations. The relocation sections of a valid file do not overlap,
 * so their total size may not exceed the size of the file.
 */
static int read_slots(struct naming *naming)
{
	const struct elf_sections *sections = naming->sections;
	uint64_t budget_bytes = naming->source->size_bytes < TABLE_MAX_BYTES
					? naming->source->size_bytes
					: TABLE_MAX_BYTES;

	for (size_t i = 0; i < sections->shdrs.count; i++) {
		const struct elf_shdr *shdr = &sections->shdrs.at[i];
		_cleanup_free_ uint8_t *bytes = NULL;
		size_t size_bytes = 0;
		int rc;

		if (shdr->type != SHT_RELA || shdr->link >= sections->shdrs.count ||
		    sections->shdrs.at[shdr->link].type != SHT_DYNSYM)
			continue;
		rc = elf_section_load(naming->source, shdr, budget_bytes, &bytes, &size_bytes);
		if (rc < 0)
			return rc;
		rc = add_slots(naming, bytes, size_bytes);
		if (rc < 0)
			return rc;
		budget_bytes -= size_bytes;
	}
	if (naming->slots.count > 1)
		qsort(naming->slots.at, naming->slots.count, sizeof(*naming->slots.at),
		      compare_slots);
	return 0;
}

/* Decodes "[endbr64] [bnd] jmp *slot(%rip)" in an entry of fixed size. */
static bool decode_x86_64(struct byte_reader *r, uint64_t vaddr, struct stub *ret_stub)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t jump[] = { 0xff, 0x25 };
	const uint8_t *bytes = r->bytes + r->at;
	size_t left = byte_reader_left(r), at = 0;
	struct byte_reader operand;

	if (left >= sizeof(endbr64) && memcmp(bytes, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (at < left && bytes[at] == 0xf2)
		at++;
	if (left - at < 6 || memcmp(bytes + at, jump, sizeof(jump)) != 0)
		return false;
	operand = byte_reader_part(r, r->at + at + sizeof(jump), 4);
	ret_stub->vaddr = vaddr;
	ret_stub->slot_vaddr = vaddr + at + 6 +
			       (uint64_t)(int64_t)(int32_t)byte_reader_u32(&operand);
	return true;
}

/*
 * Decodes "[bti c] adrp x16, page; ldr x17, [x16, #slot]; ...". This sequence may begin at any
 * 4-byte word.
 */
static bool decode_aarch64(struct byte_reader *r, uint64_t vaddr, struct stub *ret_stub)
{
	struct byte_reader words = *r;
	uint32_t adrp = byte_reader_u32(&words);
	bool bti = adrp == 0xd503245f;
	uint64_t page;
	uint32_t ldr;

	if (bti)
		adrp = byte_reader_u32(&words);
	ldr = byte_reader_u32(&words);
	if (words.failed || (adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (adrp >> 29 & 3) | (uint64_t)(adrp >> 5 & 0x7ffff) << 2;
	page = ((page ^ 0x100000) - 0x100000) << 12;	/* sign-extends 21 bits */
	ret_stub->vaddr = vaddr;
	ret_stub->size_bytes = bti ? 24 : 16;
	ret_stub->slot_vaddr = ((vaddr + (bti ? 4 : 0)) & ~UINT64_C(0xfff)) + page +
			       (uint64_t)(ldr >> 10 & 0xfff) * 8;
	return true;
}

/* Returns the name of the function whose address the GOT slot at @vaddr holds, or "". */
static const char *slot_name(const struct naming *naming, uint64_t vaddr)
{
	struct slot key = { .vaddr = vaddr };
	const struct slot *slot = NULL;

	if (naming->slots.count > 0)
		slot = bsearch(&key, naming->slots.at, naming->slots.count,
			       sizeof(*naming->slots.at), compare_slots);
	return slot ? symtab_name(naming->dynsym, slot->symbol) : "";
}

static int add_stub(const struct stub *stub, const char *name, struct symbol_table *table)
{
	return symbol_table_add(table, &(struct symbol){
					       .vaddr = stub->vaddr,
					       .size_bytes = stub->size_bytes,
					       .name = name,
					       .source = SYMBOL_PLT,
					       .rank = RANK_LOCAL,
				       });
}

/*
 * Returns the distance between two addresses at which a stub can begin. On x86_64 all entries of a
 * section have the same size. On aarch64 a stub may begin at any 4-byte word, so the distance is
 * one word.
 */
static uint64_t entry_size(const struct elf_sections *sections, const struct elf_shdr *shdr)
{
	if (sections->header.machine == EM_AARCH64)
		return 4;
	if (shdr->entry_size_bytes == 8 || shdr->entry_size_bytes == 16)
		return shdr->entry_size_bytes;
	return strcmp(elf_section_name(sections, shdr), ".plt.got") == 0 ? 8 : 16;
}

static int read_stubs(const struct naming *naming, const struct elf_shdr *shdr)
{
	const struct elf_header *header = &naming->sections->header;
	size_t step = entry_size(naming->sections, shdr), size_bytes = 0;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct byte_reader r;
	int rc;

	rc = elf_section_load(naming->source, shdr, STUBS_MAX_BYTES, &bytes, &size_bytes);
	if (rc < 0)
		return rc;
	r = byte_reader_of(bytes, size_bytes);
	for (; byte_reader_left(&r) >= step; byte_reader_skip(&r, step)) {
		struct stub stub = { .size_bytes = step };
		uint64_t vaddr = shdr->vaddr + r.at;
		bool decoded = header->machine == EM_AARCH64 ? decode_aarch64(&r, vaddr, &stub)
							     : decode_x86_64(&r, vaddr, &stub);
		const char *name = decoded ? slot_name(naming, stub.slot_vaddr) : "";

		if (!name[0])
			continue;
		rc = add_stub(&stub, name, naming->table);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void naming_fini(struct naming *naming)
{
	vec_free(&naming->slots);
}

int plt_functions(const struct elf_source *source, const struct elf_sections *sections,
		  const struct symtab *dynsym, struct symbol_table *table)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got" };
	const struct elf_header *header = &sections->header;
	_cleanup_(naming_fini) struct naming naming = {
		.source = source,
		.sections = sections,
		.dynsym = dynsym,
		.table = table,
	};
	int rc;

	if ((header->machine != EM_X86_64 && header->machine != EM_AARCH64) || !header->is_elf64 ||
	    dynsym->count == 0)
		return 0;
	rc = read_slots(&naming);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct elf_shdr *shdr = elf_section_find(sections, names[i]);

		if (!shdr)
			continue;
		rc = read_stubs(&naming, shdr);
		if (rc < 0)
			return rc;
	}
	return 0;
}
