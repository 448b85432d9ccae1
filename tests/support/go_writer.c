/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "go_writer.h"

#include <stdlib.h>
#include <string.h>

static void put(struct writer_bytes *bytes, uint64_t value, size_t size_bytes)
{
	elf_writer_put_bytes(bytes, &value, size_bytes);
}

static bool is_short(const struct go_writer *go)
{
	return go->format == GO_1_18 || go->format == GO_1_20;
}

void go_writer_function(struct go_writer *go, const char *name, uint64_t start_vaddr,
			struct writer_program frames, uint8_t flags)
{
	struct writer_function *added = vec_push(&go->functions);

	if (!added)
		abort();
	*added = (struct writer_function){
		.name = name,
		.start_vaddr = start_vaddr,
		.flags = flags,
	};
	if (frames.size_bytes)
		elf_writer_put_bytes(&added->frames, frames.bytes, frames.size_bytes);
}

void go_writer_end(struct go_writer *go, uint64_t end_vaddr)
{
	go->end_vaddr = end_vaddr;
}

/* The places of the parts of a table. Names and frame sizes begin with an unused byte. */
struct places {
	uint64_t names, frames, functions;
};

static void put_header(const struct go_writer *go, const struct places *places,
		       struct writer_bytes *bytes)
{
	put(bytes, go->format, 4);
	put(bytes, 0, 2);
	put(bytes, go->code_unit ? go->code_unit : 1, 1);
	put(bytes, 8, 1);
	put(bytes, go->functions.count, 8);
	if (go->format == GO_1_2)
		return;
	put(bytes, 0, 8);
	if (is_short(go))
		put(bytes, go->text_vaddr, 8);
	put(bytes, places->names, 8);
	put(bytes, 0, 8);
	put(bytes, 0, 8);
	put(bytes, places->frames, 8);
	put(bytes, places->functions, 8);
}

/* Puts an address and, if @has_record is true, the offset of a record. */
static void put_entry(const struct go_writer *go, uint64_t vaddr, bool has_record, uint64_t record,
		      struct writer_bytes *bytes)
{
	size_t size_bytes = is_short(go) ? 4 : 8;

	put(bytes, is_short(go) ? vaddr - go->text_vaddr : vaddr, size_bytes);
	if (has_record)
		put(bytes, record, size_bytes);
}

static void put_record(const struct go_writer *go, const struct writer_function *function,
		       uint64_t name, uint64_t frames, struct writer_bytes *bytes)
{
	put_entry(go, function->start_vaddr, false, 0, bytes);
	put(bytes, name, 4);
	put(bytes, 0x11111111, 4);	/* size of the arguments */
	put(bytes, 0x22222222, 4);	/* a place in the code */
	put(bytes, frames, 4);
	put(bytes, 0x33333333, 4);	/* source files */
	put(bytes, 0x44444444, 4);	/* lines */
	put(bytes, 3, 4);
	if (go->format != GO_1_2)
		put(bytes, 0x55555555, 4);	/* unit of compilation */
	if (go->format == GO_1_20)
		put(bytes, 0x66666666, 4);	/* first line */
	put(bytes, 7, 1);		/* which special function this is */
	put(bytes, function->flags, 1);
	put(bytes, 0, 2);
}

static size_t record_bytes(const struct go_writer *go)
{
	struct writer_bytes bytes = { 0 };
	size_t size_bytes;

	put_record(go, &(struct writer_function){ .name = "" }, 0, 0, &bytes);
	size_bytes = bytes.data.count;
	vec_free(&bytes.data);
	return size_bytes;
}

static size_t header_bytes(const struct go_writer *go)
{
	struct writer_bytes bytes = { 0 };
	size_t size_bytes;

	put_header(go, &(struct places){ 0 }, &bytes);
	size_bytes = bytes.data.count;
	vec_free(&bytes.data);
	return size_bytes;
}

static struct places find_places(const struct go_writer *go)
{
	struct places places = { .functions = header_bytes(go) };
	size_t entry_bytes = is_short(go) ? 8 : 16;

	places.names = places.functions + go->functions.count * (entry_bytes + record_bytes(go)) +
		       entry_bytes / 2;
	places.frames = places.names + 1;
	for (size_t i = 0; i < go->functions.count; i++)
		places.frames += strlen(go->functions.at[i].name) + 1;
	return places;
}

/* Puts the list of functions, and then their records. */
static void put_functions(const struct go_writer *go, const struct places *places,
			  struct writer_bytes *bytes)
{
	bool is_old = go->format == GO_1_2;	/* all offsets count from the table */
	size_t count = go->functions.count, entry_bytes = is_short(go) ? 8 : 16;
	uint64_t record = (is_old ? places->functions : 0) + count * entry_bytes + entry_bytes / 2;
	uint64_t name = is_old ? places->names + 1 : 1, frames = is_old ? places->frames + 1 : 1;

	for (size_t i = 0; i < count; i++)
		put_entry(go, go->functions.at[i].start_vaddr, true, record + i * record_bytes(go),
			  bytes);
	put_entry(go, go->end_vaddr, false, 0, bytes);
	for (size_t i = 0; i < count; i++) {
		const struct writer_function *function = &go->functions.at[i];

		put_record(go, function, name, function->frames.data.count ? frames : 0, bytes);
		name += strlen(function->name) + 1;
		frames += function->frames.data.count + 1;
	}
}

void go_writer_table(struct go_writer *go, struct writer_bytes *bytes)
{
	const struct places places = find_places(go);

	put_header(go, &places, bytes);
	put_functions(go, &places, bytes);
	put(bytes, 0, 1);
	for (size_t i = 0; i < go->functions.count; i++)
		elf_writer_put_bytes(bytes, go->functions.at[i].name,
				     strlen(go->functions.at[i].name) + 1);
	put(bytes, 0, 1);
	for (size_t i = 0; i < go->functions.count; i++) {
		const struct writer_bytes *frames = &go->functions.at[i].frames;

		if (frames->data.count)
			elf_writer_put_bytes(bytes, frames->data.at, frames->data.count);
		put(bytes, 0, 1);
	}
}

void go_writer_section(struct go_writer *go, struct elf_writer *writer)
{
	struct writer_section section = {
		.name = go->section ? go->section : ".gopclntab",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC,
		.vaddr = 0x8000,
	};

	for (size_t i = 0; i < go->before_bytes; i++)
		put(&section.content, 0xff, 1);
	go_writer_table(go, &section.content);
	(void)elf_writer_section(writer, &section, NULL, 0);
	for (size_t i = 0; i < go->functions.count; i++)
		vec_free(&go->functions.at[i].frames.data);
	vec_free(&go->functions);
	vec_free(&go->text.data);
}

uint8_t *go_writer_image(struct go_writer *go, const struct elf_writer_options *options,
			 size_t *ret_size_bytes)
{
	static const struct writer_section note = { .name = ".go.buildinfo", .type = SHT_PROGBITS };
	struct writer_section text = {
		.name = ".text",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR,
		.vaddr = 0x1000,
	};
	struct elf_writer writer;

	elf_writer_init(&writer, options ? options : &(struct elf_writer_options){ 0 });
	if (go->text.data.count)
		elf_writer_put_bytes(&text.content, go->text.data.at, go->text.data.count);
	while (text.content.data.count < 0x2000)
		put(&text.content, 0, 1);
	(void)elf_writer_section(&writer, &text, NULL, 0);
	(void)elf_writer_section(&writer, &note, "go", 2);
	go_writer_section(go, &writer);
	return elf_writer_finish(&writer, ret_size_bytes);
}
