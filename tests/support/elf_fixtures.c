/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_fixtures.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

void elf_fixture_stub_x86_64(struct writer_bytes *code, uint64_t vaddr, uint64_t slot_vaddr)
{
	uint32_t displacement = (uint32_t)(slot_vaddr - (vaddr + 6));

	elf_writer_put_bytes(code, "\xff\x25", 2);
	elf_writer_put_bytes(code, &displacement, sizeof(displacement));
	elf_writer_put_bytes(code, "\x68\0\0\0\0\xe9\0\0\0\0", 10);	/* push; jmp */
}

void elf_fixture_stub_aarch64(struct writer_bytes *code, uint64_t vaddr, uint64_t slot_vaddr)
{
	uint64_t pages = (slot_vaddr >> 12) - (vaddr >> 12);
	uint32_t words[] = {
		0x90000010 | (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7ffff) << 5,
		0xf9400211 | (uint32_t)((slot_vaddr & 0xfff) / 8) << 10,
		0x91000210,	/* add x16, x16, ... */
		0xd61f0220,	/* br x17 */
	};

	elf_writer_put_bytes(code, words, sizeof(words));
}

void elf_fixture_xz(struct writer_bytes *packed, const uint8_t *bytes, size_t size_bytes)
{
	size_t bound = lzma_stream_buffer_bound(size_bytes), used = 0;
	uint8_t *buffer = malloc(bound);

	if (!buffer || lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, bytes, size_bytes, buffer,
					       &used, bound) != LZMA_OK)
		abort();
	elf_writer_put_bytes(packed, buffer, used);
	free(buffer);
}

static void add_plt(struct elf_writer *w, unsigned int puts)
{
	struct writer_section plt = {
		.name = ".plt",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR,
		.vaddr = 0x2000,
		.entry_size_bytes = 16,
	};
	bool arm = w->options.machine == EM_AARCH64;

	elf_writer_put_bytes(&plt.content, NULL, 16);
	if (arm)
		elf_fixture_stub_aarch64(&plt.content, 0x2010, 0x4018);
	else
		elf_fixture_stub_x86_64(&plt.content, 0x2010, 0x4018);
	(void)elf_writer_section(w, &plt, NULL, 0);
	elf_writer_relocation(w, 0x4018, arm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT, puts);
}

static void add_minidebug(struct elf_writer *w)
{
	struct writer_section section = { .name = ".gnu_debugdata", .type = SHT_PROGBITS };
	struct elf_writer mini;
	size_t size_bytes;
	uint8_t *bytes;

	elf_writer_init(&mini, &w->options);
	mini.options.no_sections = false;
	(void)elf_writer_symbol(&mini, SHT_SYMTAB,
				&(struct writer_symbol){
					.name = "hidden",
					.vaddr = 0x1080,
					.size_bytes = 0x20,
					.type = STT_FUNC,
					.section = elf_writer_text(&mini, ".text", 0x1000, 0x200),
				});
	bytes = elf_writer_finish(&mini, &size_bytes);
	elf_fixture_xz(&section.content, bytes, size_bytes);
	free(bytes);
	(void)elf_writer_section(w, &section, NULL, 0);
}

uint8_t *elf_fixture_full(const struct elf_writer_options *options, size_t *ret_size_bytes)
{
	struct writer_section link = { .name = ".gnu_debuglink", .type = SHT_PROGBITS };
	unsigned int text, puts;
	struct elf_writer w;

	elf_writer_init(&w, options);
	elf_writer_build_id(&w, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	text = elf_writer_text(&w, ".text", 0x1000, 0x200);
	(void)elf_writer_symbol(&w, SHT_DYNSYM,
				&(struct writer_symbol){ "first", 0x1000, 0x40, STB_GLOBAL,
							 STT_FUNC, text });
	(void)elf_writer_symbol(&w, SHT_DYNSYM,
				&(struct writer_symbol){ "last", 0x1180, 0x40, STB_WEAK,
							 STT_GNU_IFUNC, text });
	puts = elf_writer_symbol(&w, SHT_DYNSYM,
				 &(struct writer_symbol){ "puts", 0, 0, STB_GLOBAL, STT_FUNC,
							  SHN_UNDEF });
	elf_writer_fde(&w, 0x3000, 0x1000, 0x40);
	elf_writer_fde(&w, 0x3000, 0x1080, 0x20);
	elf_writer_fde(&w, 0x3000, 0x1100, 0x60);
	add_plt(&w, puts);
	add_minidebug(&w);
	elf_writer_put_bytes(&link.content, "fixture.debug\0\0\0\x12\x34\x56\x78", 20);
	(void)elf_writer_section(&w, &link, NULL, 0);
	return elf_writer_finish(&w, ret_size_bytes);
}

static void put_probe(const struct elf_writer *writer, struct writer_bytes *notes,
		      const struct fixture_probe *probe)
{
	const char *const texts[] = { probe->provider, probe->name, probe->arguments };
	size_t size_bytes = 3 * sizeof(uint64_t);

	for (size_t i = 0; i < 3; i++)
		size_bytes += strlen(texts[i]) + 1;
	elf_writer_put(writer, notes, sizeof("stapsdt"), 4);
	elf_writer_put(writer, notes, size_bytes, 4);
	elf_writer_put(writer, notes, 3, 4);
	elf_writer_put_bytes(notes, "stapsdt", sizeof("stapsdt"));
	elf_writer_put(writer, notes, probe->vaddr, 8);
	elf_writer_put(writer, notes, probe->base_vaddr, 8);
	elf_writer_put(writer, notes, probe->semaphore_vaddr, 8);
	for (size_t i = 0; i < 3; i++)
		elf_writer_put_bytes(notes, texts[i], strlen(texts[i]) + 1);
	while (notes->data.count % 4)
		elf_writer_put(writer, notes, 0, 1);
}

void elf_fixture_probes(struct elf_writer *writer, const struct fixture_probe *probes, size_t count)
{
	const struct writer_section section = { .name = ".note.stapsdt", .type = SHT_NOTE };
	struct writer_bytes notes = { 0 };

	for (size_t i = 0; i < count; i++)
		put_probe(writer, &notes, &probes[i]);
	(void)elf_writer_section(writer, &section, notes.data.at, notes.data.count);
	vec_free(&notes.data);
}
