/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sections as servers send them: a note, whose size is the first byte, and another section, which
 * is also passed as the symbols.
 */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/elf_format.h"
#include "fetch/section_file.h"
#include "fuzz.h"

#define NAME ".debug_info"
#define SEED_NOTE_BYTES 24

static int file_of(const uint8_t *bytes, size_t size_bytes)
{
	int fd = memfd_create("section", MFD_CLOEXEC);

	if (fd < 0 || (size_bytes && write(fd, bytes, size_bytes) != (ssize_t)size_bytes))
		abort();
	return fd;
}

/*
 * Checks that the output is an ELF file that contains the sections uncut. A packed section may grow
 * by 12 bytes.
 */
static void check(int fd, size_t note_bytes, size_t other_bytes)
{
	struct elf_source source = { .fd = fd, .size_bytes = (uint64_t)lseek(fd, 0, SEEK_END) };
	const struct elf_shdr *note, *other, *symbols;
	struct elf_sections sections;

	if (elf_sections_read(&source, &sections) < 0)
		abort();
	note = elf_section_find(&sections, SECTION_FILE_NOTE);
	other = elf_section_find(&sections, NAME);
	if (!note || !other || note->size_bytes != note_bytes ||
	    (other->size_bytes != other_bytes && other->size_bytes != other_bytes + 12) ||
	    other->offset > source.size_bytes ||
	    other->size_bytes > source.size_bytes - other->offset)
		abort();
	symbols = elf_section_find(&sections, SECTION_FILE_SYMBOLS);
	if (!symbols ||
	    (symbols->type == SHT_SYMTAB && (symbols->size_bytes % elf_sym_size(true) ||
					     sections.shdrs.at[symbols->link].type != SHT_STRTAB)))
		abort();
	elf_sections_fini(&sections);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	size_t note_bytes = size_bytes ? bytes[0] : 0;
	struct section_part parts[] = {
		{ .name = SECTION_FILE_NOTE },
		{ .name = NAME },
		{ .name = SECTION_FILE_SYMBOLS },
		{ .name = SECTION_FILE_STRINGS },
	};
	int out = file_of(NULL, 0);

	if (size_bytes == 0 || note_bytes > size_bytes - 1)
		note_bytes = 0;
	size_bytes -= size_bytes ? 1 : 0;
	parts[0].fd = file_of(bytes + 1, note_bytes);
	parts[1].fd = file_of(bytes + 1 + note_bytes, size_bytes - note_bytes);
	parts[2].fd = parts[1].fd;
	parts[3].fd = parts[0].fd;
	if (section_file_write(parts, 4, out) == 0)
		check(out, note_bytes, size_bytes - note_bytes);
	(void)close(parts[0].fd);
	(void)close(parts[1].fd);
	(void)close(out);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const struct {
		const char *note, *other;
		size_t other_bytes;
	} seeds[] = {
		/* not packed; packed in 64-bit and 32-bit files; of the other byte order */
		{ "\4\0\0\0\10\0\0\0\3\0\0\0GNU\0abcdefgh", "\40\0\0\0\5\0\1\10\0\0\0\0", 12 },
		{ "\4\0\0\0\10\0\0\0\3\0\0\0GNU\0abcdefgh",
		  "\1\0\0\0\0\0\0\0\20\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x78\x9c\1\2\3", 29 },
		{ "\4\0\0\0\10\0\0\0\3\0\0\0GNU\0abcdefgh",
		  "\2\0\0\0\20\0\0\0\4\0\0\0\x28\xb5\x2f\xfd\1\2", 18 },
		{ "\0\0\0\4\0\0\0\10\0\0\0\3GNU\0abcdefgh",
		  "\0\0\0\1\0\0\0\20\0\0\0\1\x78\x9c\1\2\3", 17 },
		/* symbols: the null symbol and a function */
		{ "\4\0\0\0\10\0\0\0\3\0\0\0GNU\0abcdefgh",
		  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		  "\1\0\0\0\22\0\1\0\0\20\0\0\0\0\0\0\20\0\0\0\0\0\0\0",
		  48 },
	};
	uint8_t *bytes;

	if (i >= sizeof(seeds) / sizeof(seeds[0]))
		return -1;
	*ret_size_bytes = 1 + SEED_NOTE_BYTES + seeds[i].other_bytes;
	bytes = malloc(*ret_size_bytes);
	if (!bytes)
		abort();
	bytes[0] = SEED_NOTE_BYTES;
	memcpy(bytes + 1, seeds[i].note, SEED_NOTE_BYTES);
	memcpy(bytes + 1 + SEED_NOTE_BYTES, seeds[i].other, seeds[i].other_bytes);
	*ret_bytes = bytes;
	return 0;
}
