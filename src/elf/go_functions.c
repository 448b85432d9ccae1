/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/go_functions.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "elf/elf_format.h"

#define TABLE_MAX_BYTES (UINT64_C(256) << 20)
#define FUNCTIONS_MAX (UINT64_C(1) << 22)
#define TABLE_ALIGNMENT 32u	/* Go's linker aligns the table to this many bytes */
#define HEADER_BYTES 8u		/* format, two zeros, code unit, size of a pointer */
/* Go's runtime itself has frames of 1 GiB. */
#define FRAME_MAX INT64_C(0x7fffffc0)

enum {
	FORMAT_GO_1_2 = 0xfffffffb,
	FORMAT_GO_1_16 = 0xfffffffa,
	FORMAT_GO_1_18 = 0xfffffff0,
	FORMAT_GO_1_20 = 0xfffffff1,
};

/* Bits of the byte with the flags of a function. */
#define FLAG_OUTERMOST 1u
#define FLAG_SWITCHES_STACK 2u
#define FLAG_ASSEMBLY 4u

void go_functions_fini(struct go_functions *functions)
{
	free(functions->bytes);
	functions->bytes = NULL;
}

/* ---- finding the table ---- */

static bool is_short_format(uint32_t format)
{
	return format == FORMAT_GO_1_18 || format == FORMAT_GO_1_20;
}

/* Reads the first eight bytes. Returns false if they are not those of a table for 64 bits. */
static bool take_header(struct byte_reader *r, struct go_functions *table)
{
	uint16_t zeros;

	table->format = byte_reader_u32(r);
	zeros = byte_reader_u16(r);
	table->code_unit = byte_reader_u8(r);
	if (byte_reader_u8(r) != sizeof(uint64_t) || r->failed || zeros != 0)
		return false;
	if (table->code_unit != 1 && table->code_unit != 2 && table->code_unit != 4)
		return false;
	return is_short_format(table->format) || table->format == FORMAT_GO_1_16 ||
	       table->format == FORMAT_GO_1_2;
}

/* Reads the rest of the header. Returns false if it does not describe a table of this size. */
static bool take_places(struct byte_reader *r, struct go_functions *table)
{
	table->count = byte_reader_u64(r);
	if (table->format == FORMAT_GO_1_2) {
		table->functions_at = r->at;
	} else {
		(void)byte_reader_u64(r);	/* number of source files */
		if (is_short_format(table->format))
			table->text_vaddr = byte_reader_u64(r);
		table->names_at = byte_reader_u64(r);
		(void)byte_reader_u64(r);	/* units of compilation */
		(void)byte_reader_u64(r);	/* source files */
		table->frames_at = byte_reader_u64(r);
		table->functions_at = byte_reader_u64(r);
		table->records_at = table->functions_at;
	}
	return !r->failed && table->count > 0 && table->count <= FUNCTIONS_MAX &&
	       table->functions_at < table->size_bytes && table->names_at < table->size_bytes &&
	       table->frames_at < table->size_bytes;
}

static bool parse_header(struct go_functions *table)
{
	struct byte_reader r = byte_reader_of(table->bytes, table->size_bytes);

	return take_header(&r, table) && take_places(&r, table);
}

/*
 * Newer linkers may leave the address of the code out of the header. Go's own code is then at the
 * start of .text, unless a host linker put C's start-up code there, which has a section .init.
 */
static void find_text(const struct elf_sections *sections, struct go_functions *table)
{
	const struct elf_shdr *text = elf_section_find(sections, ".text");

	if (!is_short_format(table->format) || table->text_vaddr != 0)
		return;
	if (text && !elf_section_find(sections, ".init"))
		table->text_vaddr = text->vaddr;
	else
		table->count = 0;
}

/*
 * Makes the part of @table from @at on the table. Returns false if no table begins there. The bytes
 * move to the start of the buffer, so that offsets count from there.
 */
static bool begins_at(struct go_functions *table, size_t at)
{
	struct go_functions found = {
		.bytes = table->bytes + at,
		.size_bytes = table->size_bytes - at,
	};

	if (!parse_header(&found))
		return false;
	memmove(table->bytes, table->bytes + at, found.size_bytes + 1);
	found.bytes = table->bytes;
	*table = found;
	return true;
}

/* Finds the table in a section that contains other data as well. */
static void search(const struct elf_shdr *shdr, struct go_functions *table)
{
	size_t first = (size_t)(-shdr->vaddr % TABLE_ALIGNMENT);

	for (size_t at = first; at + HEADER_BYTES <= table->size_bytes; at += TABLE_ALIGNMENT)
		if (begins_at(table, at))
			return;
	go_functions_fini(table);
	*table = (struct go_functions){ 0 };
}

static const struct elf_shdr *table_section(const struct elf_sections *sections)
{
	const struct elf_shdr *shdr = elf_section_find(sections, ".gopclntab");

	return shdr ? shdr : elf_section_find(sections, ".data.rel.ro.gopclntab");
}

/* Returns the section in which to search, or NULL if the file is not a Go program. */
static const struct elf_shdr *mixed_section(const struct elf_sections *sections)
{
	if (!elf_section_find(sections, ".go.buildinfo") &&
	    !elf_section_find(sections, ".note.go.buildid"))
		return NULL;
	return elf_section_find(sections, ".data.rel.ro");
}

int go_functions_find(const struct image_file *file, const struct elf_source *source,
		      const struct elf_sections *sections, struct go_functions *ret_functions)
{
	const struct elf_shdr *shdr = table_section(sections);
	bool is_mixed = !shdr;
	struct go_functions table = { 0 };
	int rc;

	if (is_mixed)
		shdr = mixed_section(sections);
	if (shdr && file->is_elf64 && !file->swapped) {
		rc = elf_section_load(source, shdr, TABLE_MAX_BYTES, &table.bytes,
				      &table.size_bytes);
		if (rc < 0)
			return rc;
		if (is_mixed)
			search(shdr, &table);
		else if (!parse_header(&table))
			table.count = 0;
		find_text(sections, &table);
	}
	*ret_functions = table;
	return 0;
}

int go_functions_read(const struct image_file *file, const void *bytes,
		      struct go_functions *ret_functions)
{
	struct elf_source source = {
		.fd = file->fd,
		.bytes = bytes,
		.size_bytes = file->size_bytes,
	};
	struct elf_sections sections;
	int rc = elf_sections_read(&source, &sections);

	if (rc < 0)
		return rc;
	rc = go_functions_find(file, &source, &sections, ret_functions);
	elf_sections_fini(&sections);
	return rc;
}

/* ---- functions ---- */

/* Reads the address of function @index and the offset of its record. */
static void take_entry(const struct go_functions *table, uint64_t index, struct byte_reader *r,
		       uint64_t *ret_vaddr)
{
	bool is_short = is_short_format(table->format);

	byte_reader_seek(r, table->functions_at + index * (is_short ? 8 : 16));
	*ret_vaddr = is_short ? table->text_vaddr + byte_reader_u32(r) : byte_reader_u64(r);
}

static const char *name_at(const struct go_functions *table, uint64_t offset)
{
	uint64_t at = table->names_at + offset;

	/* a NUL follows the table, so that each name ends */
	return at < table->size_bytes ? (const char *)table->bytes + at : "";
}

/*
 * Reads the record of a function. Its fields are, each with 4 bytes: the function's address (8
 * bytes before Go 1.18), its name, the size of its arguments, a place, the frame sizes, the source
 * files, the lines, a number, and from 1.16 on the unit of compilation and from 1.20 on the first
 * line. Two bytes follow: a number for special functions, and from 1.17 on the flags. Before 1.17
 * the byte with the flags is 0.
 */
static bool take_record(const struct go_functions *table, uint64_t offset,
			struct go_function *function)
{
	struct byte_reader r = byte_reader_of(table->bytes, table->size_bytes);
	uint32_t frames;
	uint8_t flags;

	byte_reader_seek(&r, table->records_at + offset);
	byte_reader_skip(&r, is_short_format(table->format) ? 4 : 8);
	function->name = name_at(table, byte_reader_u32(&r));
	byte_reader_skip(&r, 2 * 4);
	frames = byte_reader_u32(&r);
	byte_reader_skip(&r, 3 * 4);
	if (table->format != FORMAT_GO_1_2)
		byte_reader_skip(&r, 4);
	if (table->format == FORMAT_GO_1_20)
		byte_reader_skip(&r, 4);
	byte_reader_skip(&r, 1);
	flags = byte_reader_u8(&r);
	if (r.failed)
		return false;
	function->is_outermost = flags & FLAG_OUTERMOST;
	function->switches_stack = flags & FLAG_SWITCHES_STACK;
	function->is_assembly = flags & FLAG_ASSEMBLY;
	function->frames = byte_reader_of(table->bytes, table->size_bytes);
	byte_reader_seek(&function->frames, table->frames_at + frames);
	function->frames.failed |= frames == 0;
	return true;
}

/* Reads function @index. Returns false if it is damaged. */
static bool read_function(const struct go_functions *table, uint64_t index,
			  struct go_function *function)
{
	struct byte_reader r = byte_reader_of(table->bytes, table->size_bytes);
	uint64_t record, end_vaddr;

	take_entry(table, index, &r, &function->start_vaddr);
	record = is_short_format(table->format) ? byte_reader_u32(&r) : byte_reader_u64(&r);
	take_entry(table, index + 1, &r, &end_vaddr);
	if (r.failed || record >= table->size_bytes || function->start_vaddr < table->end_vaddr ||
	    end_vaddr <= function->start_vaddr)
		return false;
	function->size_bytes = end_vaddr - function->start_vaddr;
	function->code_unit = table->code_unit;
	return take_record(table, record, function);
}

bool go_functions_next(struct go_functions *functions, struct go_function *ret_function)
{
	while (functions->next < functions->count) {
		*ret_function = (struct go_function){ 0 };
		if (read_function(functions, functions->next++, ret_function)) {
			functions->end_vaddr = ret_function->start_vaddr + ret_function->size_bytes;
			return true;
		}
		functions->damaged_count++;
	}
	return false;
}

/* ---- frame sizes ---- */

/* Undoes the encoding of signed numbers, whose lowest bit is the sign. */
static int64_t signed_of(uint64_t number)
{
	int64_t half = (int64_t)(number >> 1);

	return number & 1 ? -half - 1 : half;
}

int go_function_part(struct go_function *function, struct go_frame_part *part)
{
	struct byte_reader *r = &function->frames;
	bool is_first = part->end == 0;
	uint64_t change, size;
	int64_t frame_bytes;

	if (part->end >= function->size_bytes)
		return 0;
	change = byte_reader_uleb(r);
	if (change == 0 && !is_first)
		return r->failed ? -EBADMSG : 0;
	size = byte_reader_uleb(r);
	if (r->failed || size == 0 || size > UINT32_MAX || change > UINT32_MAX)
		return -EBADMSG;
	/* the sizes count from -1 */
	frame_bytes = (is_first ? -1 : part->frame_bytes) + signed_of(change);
	if (frame_bytes < -FRAME_MAX || frame_bytes > FRAME_MAX)
		return -EBADMSG;
	part->frame_bytes = (int32_t)frame_bytes;
	part->start = part->end;
	part->end += size * function->code_unit;
	if (part->end > function->size_bytes)
		part->end = function->size_bytes;
	return 1;
}
