/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch/section_file.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/byte_reader.h"
#include "base/cleanup.h"

#define SYMBOLS_LOOKED_AT 64
#define COPY_BYTES (256 * 1024)
#define NAMES_MAX_BYTES 1024
/* compression header, and magic number of the data */
#define HEAD_BYTES (sizeof(Elf64_Chdr) + 4)
#define ALIGN_MAX 4096
#define PACKED_ZSTD 2	/* ELFCOMPRESS_ZSTD, which older versions of <elf.h> lack */
#define FLAG_COMPRESSED (1 << 11)

/* How a section is compressed; head_bytes is 0 if the section is not compressed. */
struct packing {
	uint32_t type;
	uint64_t size_bytes, align;
	size_t head_bytes;
};

struct placed {
	uint32_t name, type, link;
	uint64_t flags, offset, size_bytes;
};

struct writer {
	int fd;
	bool swapped;
	uint64_t offset;
	/* the null section, the parts, and the section that contains the section names */
	struct placed sections[SECTION_FILE_PARTS_MAX + 2];
	size_t count;
	char names[NAMES_MAX_BYTES];
	size_t names_bytes;
};

/* ---- properties derived from the bytes ---- */

static bool begins_packed(uint32_t type, const uint8_t *bytes)
{
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };

	if (type == ELFCOMPRESS_ZLIB)
		return (bytes[0] & 0x0f) == 8 && (bytes[0] << 8 | bytes[1]) % 31 == 0;
	return type == PACKED_ZSTD && memcmp(bytes, zstd, sizeof(zstd)) == 0;
}

static bool is_packed_as(const uint8_t *head, size_t size_bytes, bool swapped, bool is_elf64,
			 struct packing *ret_packing)
{
	struct byte_reader r = byte_reader_of(head, size_bytes);
	struct packing packing;
	const uint8_t *magic;
	uint32_t reserved;

	r.swapped = swapped;
	packing.type = byte_reader_u32(&r);
	reserved = is_elf64 ? byte_reader_u32(&r) : 0;
	packing.size_bytes = is_elf64 ? byte_reader_u64(&r) : byte_reader_u32(&r);
	packing.align = is_elf64 ? byte_reader_u64(&r) : byte_reader_u32(&r);
	packing.head_bytes = is_elf64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	magic = byte_reader_bytes(&r, 4);
	if (r.failed || reserved || !packing.size_bytes || packing.align > ALIGN_MAX ||
	    (packing.align & (packing.align - 1)) || !begins_packed(packing.type, magic))
		return false;
	*ret_packing = packing;
	return true;
}

static int read_at(int fd, uint64_t offset, void *bytes, size_t size_bytes)
{
	size_t done = 0;

	while (done < size_bytes) {
		ssize_t n = pread(fd, (uint8_t *)bytes + done, size_bytes - done,
				  (off_t)(offset + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EIO;	/* the file was truncated while we read it */
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int read_packing(int fd, uint64_t size_bytes, bool swapped, struct packing *ret_packing)
{
	uint8_t head[HEAD_BYTES];
	size_t head_bytes = size_bytes < sizeof(head) ? (size_t)size_bytes : sizeof(head);
	int rc = read_at(fd, 0, head, head_bytes);

	*ret_packing = (struct packing){ 0 };
	if (rc < 0)
		return rc;
	if (!is_packed_as(head, head_bytes, swapped, true, ret_packing))
		(void)is_packed_as(head, head_bytes, swapped, false, ret_packing);
	return 0;
}

/*
 * Finds the byte order from the build-id note. The first number in the note is the size of its name
 * "GNU", which is always 4.
 */
static int read_order(int fd, bool *ret_swapped)
{
	uint32_t name_bytes;

	if (read_at(fd, 0, &name_bytes, sizeof(name_bytes)) < 0)
		return -EBADMSG;
	*ret_swapped = name_bytes == __builtin_bswap32(sizeof(ELF_NOTE_GNU));
	return *ret_swapped || name_bytes == sizeof(ELF_NOTE_GNU) ? 0 : -EBADMSG;
}

/*
 * Returns true if the first entries are valid 64-bit symbols. The very first symbol must be all
 * zeros.
 */
static bool are_symbols(int fd, uint64_t size_bytes, bool swapped)
{
	uint8_t bytes[SYMBOLS_LOOKED_AT * sizeof(Elf64_Sym)];
	size_t looked_at = size_bytes < sizeof(bytes) ? (size_t)size_bytes : sizeof(bytes);
	static const uint8_t zeros[sizeof(Elf64_Sym)];
	struct byte_reader r = byte_reader_of(bytes, looked_at);

	if (size_bytes < sizeof(Elf64_Sym) || size_bytes % sizeof(Elf64_Sym) ||
	    read_at(fd, 0, bytes, looked_at) < 0 || memcmp(bytes, zeros, sizeof(zeros)) != 0)
		return false;
	r.swapped = swapped;
	while (byte_reader_left(&r) > 0) {
		uint8_t info;
		uint16_t section;

		byte_reader_skip(&r, 4);	/* st_name */
		info = byte_reader_u8(&r);
		byte_reader_skip(&r, 1);
		section = byte_reader_u16(&r);
		byte_reader_skip(&r, 16);	/* st_value and st_size */
		if (ELF64_ST_TYPE(info) > STT_GNU_IFUNC || ELF64_ST_BIND(info) > STB_GNU_UNIQUE ||
		    (section >= SHN_LORESERVE && section < SHN_ABS))
			return false;
	}
	return true;
}

/* ---- writing ---- */

static int put_bytes(struct writer *writer, const void *bytes, size_t size_bytes)
{
	size_t done = 0;

	while (done < size_bytes) {
		ssize_t n = pwrite(writer->fd, (const uint8_t *)bytes + done, size_bytes - done,
				   (off_t)(writer->offset + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -ENOSPC;	/* otherwise the loop would never end */
		done += n > 0 ? (size_t)n : 0;
	}
	writer->offset += size_bytes;
	return 0;
}

/* Writes @value to @record at index *@at, in the byte order of the new file. Advances *@at. */
static void put(const struct writer *writer, uint8_t *record, size_t *at, uint64_t value,
		size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++) {
		bool is_big = writer->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
		size_t shift = 8 * (is_big ? size_bytes - 1 - i : i);

		record[(*at)++] = (uint8_t)(value >> shift);
	}
}

static uint32_t add_name(struct writer *writer, const char *name)
{
	size_t at = writer->names_bytes, size_bytes = strlen(name) + 1;

	if (size_bytes > sizeof(writer->names) - at)
		return 0;
	memcpy(writer->names + at, name, size_bytes);
	writer->names_bytes += size_bytes;
	return (uint32_t)at;
}

static int copy(struct writer *writer, int fd, uint64_t from, uint64_t size_bytes)
{
	_cleanup_free_ uint8_t *chunk = malloc(COPY_BYTES);

	if (!chunk)
		return -ENOMEM;
	while (size_bytes) {
		size_t count = size_bytes < COPY_BYTES ? (size_t)size_bytes : COPY_BYTES;
		int rc = read_at(fd, from, chunk, count);

		if (rc < 0)
			return rc;
		rc = put_bytes(writer, chunk, count);
		if (rc < 0)
			return rc;
		from += count;
		size_bytes -= count;
	}
	return 0;
}

static int put_packing(struct writer *writer, const struct packing *packing)
{
	uint8_t head[sizeof(Elf64_Chdr)];
	size_t at = 0;

	put(writer, head, &at, packing->type, 4);
	put(writer, head, &at, 0, 4);
	put(writer, head, &at, packing->size_bytes, 8);
	put(writer, head, &at, packing->align, 8);
	return put_bytes(writer, head, at);
}

static uint32_t type_of(const struct writer *writer, const struct section_part *part,
			uint64_t size_bytes)
{
	if (strcmp(part->name, SECTION_FILE_NOTE) == 0)
		return SHT_NOTE;
	if (strcmp(part->name, SECTION_FILE_STRINGS) == 0)
		return SHT_STRTAB;
	if (strcmp(part->name, SECTION_FILE_SYMBOLS) == 0 &&
	    are_symbols(part->fd, size_bytes, writer->swapped))
		return SHT_SYMTAB;
	return SHT_PROGBITS;
}

static int put_section(struct writer *writer, const struct section_part *part)
{
	struct placed *placed = &writer->sections[writer->count];
	struct packing packing = { 0 };
	struct stat st;
	uint64_t size_bytes;
	int rc;

	if (fstat(part->fd, &st) < 0)
		return -errno;
	size_bytes = (uint64_t)st.st_size;
	rc = read_packing(part->fd, size_bytes, writer->swapped, &packing);
	if (rc < 0)
		return rc;
	writer->offset = (writer->offset + 7) & ~UINT64_C(7);
	*placed = (struct placed){
		.name = add_name(writer, part->name),
		.type = type_of(writer, part, size_bytes),
		.flags = packing.head_bytes ? FLAG_COMPRESSED : 0,
		.offset = writer->offset,
	};
	if (packing.head_bytes) {
		rc = put_packing(writer, &packing);
		if (rc < 0)
			return rc;
	}
	rc = copy(writer, part->fd, packing.head_bytes, size_bytes - packing.head_bytes);
	if (rc < 0)
		return rc;
	placed->size_bytes = writer->offset - placed->offset;
	writer->count++;
	return 0;
}

static int put_names(struct writer *writer)
{
	struct placed *placed = &writer->sections[writer->count++];

	placed->name = add_name(writer, ".shstrtab");
	placed->type = SHT_STRTAB;
	placed->offset = writer->offset;
	placed->size_bytes = writer->names_bytes;
	return put_bytes(writer, writer->names, writer->names_bytes);
}

/*
 * Links the symbol table to its string table. If there is no string table, the symbol table is not
 * usable. Its section then gets the type SHT_PROGBITS.
 */
static void link_symbols(struct writer *writer)
{
	uint32_t strings = 0;

	for (uint32_t i = 1; i + 1 < writer->count; i++)
		if (writer->sections[i].type == SHT_STRTAB)
			strings = i;
	for (uint32_t i = 1; i < writer->count; i++) {
		if (writer->sections[i].type != SHT_SYMTAB)
			continue;
		writer->sections[i].link = strings;
		if (!strings)
			writer->sections[i].type = SHT_PROGBITS;
	}
}

static int put_table(struct writer *writer)
{
	link_symbols(writer);
	writer->offset = (writer->offset + 7) & ~UINT64_C(7);
	for (size_t i = 0; i < writer->count; i++) {
		const struct placed *placed = &writer->sections[i];
		uint8_t record[sizeof(Elf64_Shdr)] = { 0 };
		size_t at = 0;
		int rc;

		put(writer, record, &at, placed->name, 4);
		put(writer, record, &at, placed->type, 4);
		put(writer, record, &at, placed->flags, 8);
		put(writer, record, &at, 0, 8);		/* sh_addr */
		put(writer, record, &at, placed->offset, 8);
		put(writer, record, &at, placed->size_bytes, 8);
		put(writer, record, &at, placed->link, 4);
		put(writer, record, &at, 0, 4);
		put(writer, record, &at, 1, 8);		/* sh_addralign */
		rc = put_bytes(writer, record, sizeof(record));
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int put_header(struct writer *writer, uint64_t table_offset)
{
	bool is_big = writer->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	uint8_t record[sizeof(Elf64_Ehdr)] = {
		0x7f, 'E', 'L', 'F', ELFCLASS64, is_big ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT,
	};
	size_t at = EI_NIDENT;

	put(writer, record, &at, ET_DYN, 2);
	put(writer, record, &at, EM_NONE, 2);
	put(writer, record, &at, EV_CURRENT, 4);
	put(writer, record, &at, 0, 8);			/* e_entry */
	put(writer, record, &at, 0, 8);			/* e_phoff */
	put(writer, record, &at, table_offset, 8);
	put(writer, record, &at, 0, 4);
	put(writer, record, &at, sizeof(Elf64_Ehdr), 2);
	put(writer, record, &at, 0, 4);			/* e_phentsize and e_phnum */
	put(writer, record, &at, sizeof(Elf64_Shdr), 2);
	put(writer, record, &at, writer->count, 2);
	put(writer, record, &at, writer->count - 1, 2);
	writer->offset = 0;
	return put_bytes(writer, record, sizeof(record));
}

int section_file_write(const struct section_part *parts, size_t count, int out_fd)
{
	struct writer writer = {
		.fd = out_fd,
		.offset = sizeof(Elf64_Ehdr),
		.count = 1,
		.names_bytes = 1,
	};
	uint64_t table_offset;
	int rc;

	if (count == 0 || count > SECTION_FILE_PARTS_MAX)
		return -EFBIG;
	rc = read_order(parts[0].fd, &writer.swapped);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++) {
		rc = put_section(&writer, &parts[i]);
		if (rc < 0)
			return rc;
	}
	rc = put_names(&writer);
	if (rc < 0)
		return rc;
	table_offset = (writer.offset + 7) & ~UINT64_C(7);
	rc = put_table(&writer);
	if (rc < 0)
		return rc;
	return put_header(&writer, table_offset);
}
