/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_line.h"

#include <errno.h>

#define FORMATS_MAX 16
#define FILES_MAX (UINT32_C(1) << 20)

struct header {
	/* only the version and the sizes, which dwarf_value_read() needs */
	struct dwarf_unit sizes;
	uint64_t program_at;
	uint8_t min_instruction_bytes, max_operations, line_range, opcode_base;
	int8_t line_base;
	uint8_t operand_counts[256];
};

/* Registers of the line program's state machine that are stored in each row. */
struct row {
	uint64_t vaddr, file, line;
};

struct machine {
	const struct header *header;
	struct dwarf_line_table *table;
	struct dwarf_queries *queries;
	struct byte_reader r;
	struct row row, last;
	uint64_t operation;	/* index of the operation in a VLIW instruction */
	bool has_last;		/* true if @last holds the previous row of this sequence */
	bool is_discarded;	/* true if this sequence describes code that the linker discarded */
};

/* ---- header ---- */

static int add_file(struct dwarf_line_table *table, const struct dwarf_value *name,
		    uint64_t directory)
{
	struct dwarf_line_file *file = NULL;

	if (table->files.count >= FILES_MAX)
		return -EBADMSG;
	file = vec_push(&table->files);
	if (!file)
		return -ENOMEM;
	*file = (struct dwarf_line_file){ .name = *name, .directory = directory };
	return dwarf_spend(table->cu->file, 1);
}

static int add_directory(struct dwarf_line_table *table, const struct dwarf_value *name)
{
	struct dwarf_value *directory = NULL;

	if (table->directories.count >= FILES_MAX)
		return -EBADMSG;
	directory = vec_push(&table->directories);
	if (!directory)
		return -ENOMEM;
	*directory = *name;
	return dwarf_spend(table->cu->file, 1);
}

static int read_old_file(struct byte_reader *r, struct dwarf_line_table *table, const char *name)
{
	struct dwarf_value value = { .form = DW_FORM_string, .text = name };
	uint64_t directory = byte_reader_uleb(r);

	(void)byte_reader_uleb(r);	/* skips the modification time and, below, the size */
	(void)byte_reader_uleb(r);
	return r->failed ? -EBADMSG : add_file(table, &value, directory);
}

/*
 * Reads the tables of directories and files in the format of versions 2 to 4. In this format,
 * directory 0 is the compilation directory, and files are numbered from 1.
 */
static int read_old_tables(struct byte_reader *r, struct dwarf_line_table *table)
{
	struct dwarf_value none = { 0 };
	int rc = add_directory(table, &none);
	const char *text;

	if (rc < 0)
		return rc;
	rc = add_file(table, &none, 0);
	if (rc < 0)
		return rc;
	while ((text = byte_reader_string(r, NULL))[0]) {
		struct dwarf_value value = { .form = DW_FORM_string, .text = text };

		rc = add_directory(table, &value);
		if (rc < 0)
			return rc;
	}
	while ((text = byte_reader_string(r, NULL))[0]) {
		rc = read_old_file(r, table, text);
		if (rc < 0)
			return rc;
	}
	return r->failed ? -EBADMSG : 0;
}

struct format {
	uint64_t content;
	struct dwarf_spec spec;
};

static size_t read_formats(struct byte_reader *r, struct format formats[static FORMATS_MAX])
{
	size_t count = byte_reader_u8(r);

	if (count > FORMATS_MAX)
		byte_reader_skip(r, SIZE_MAX);
	for (size_t i = 0; i < count && !r->failed; i++) {
		uint64_t form;

		formats[i].content = byte_reader_uleb(r);
		form = byte_reader_uleb(r);
		formats[i].spec = (struct dwarf_spec){
			.form = form > UINT16_MAX || form == DW_FORM_implicit_const
					? 0
					: (uint16_t)form,
		};
	}
	return r->failed ? 0 : count;
}

static int read_new_entry(struct byte_reader *r, const struct header *header,
			  const struct format *formats, size_t format_count,
			  struct dwarf_line_file *ret_entry)
{
	*ret_entry = (struct dwarf_line_file){ 0 };
	for (size_t i = 0; i < format_count; i++) {
		struct dwarf_value value;

		if (!dwarf_value_read(r, &header->sizes, &formats[i].spec, &value))
			return -EBADMSG;
		if (formats[i].content == DW_LNCT_path)
			ret_entry->name = value;
		else if (formats[i].content == DW_LNCT_directory_index)
			ret_entry->directory = value.number;
	}
	return 0;
}

static int read_new_table(struct byte_reader *r, const struct header *header,
			  struct dwarf_line_table *table, bool directories)
{
	struct format formats[FORMATS_MAX];
	size_t format_count = read_formats(r, formats);
	uint64_t count = byte_reader_uleb(r);
	struct dwarf_line_file entry;

	if (r->failed)
		return -EBADMSG;
	for (uint64_t i = 0; i < count; i++) {
		int rc = read_new_entry(r, header, formats, format_count, &entry);

		if (rc < 0)
			return rc;
		rc = directories ? add_directory(table, &entry.name)
				 : add_file(table, &entry.name, entry.directory);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void read_operand_counts(struct byte_reader *r, struct header *header)
{
	for (unsigned int op = 1; op < header->opcode_base; op++)
		header->operand_counts[op] = byte_reader_u8(r);
}

static int read_header(struct byte_reader *r, struct header *header, struct dwarf_line_table *table)
{
	int rc;

	byte_reader_skip(r, header->sizes.offset_size == 8 ? 12 : 4);
	header->sizes.version = table->version = byte_reader_u16(r);
	if (r->failed || table->version < 2 || table->version > 5)
		return -EBADMSG;
	if (table->version >= 5) {
		header->sizes.address_size = byte_reader_u8(r);
		byte_reader_skip(r, 1);
	}
	header->program_at = dwarf_number(r, header->sizes.offset_size);
	if (header->program_at > r->size_bytes)
		return -EBADMSG;
	header->program_at += r->at;
	header->min_instruction_bytes = byte_reader_u8(r);
	header->max_operations = table->version >= 4 ? byte_reader_u8(r) : 1;
	byte_reader_skip(r, 1);	/* skips default_is_stmt */
	header->line_base = (int8_t)byte_reader_u8(r);
	header->line_range = byte_reader_u8(r);
	header->opcode_base = byte_reader_u8(r);
	read_operand_counts(r, header);
	if (r->failed || header->line_range == 0 || header->opcode_base == 0)
		return -EBADMSG;
	if (table->version < 5)
		return read_old_tables(r, table);
	rc = read_new_table(r, header, table, true);
	return rc < 0 ? rc : read_new_table(r, header, table, false);
}

/* ---- program ---- */

/*
 * Finishes the previous row, because its end is now known: it applies from its own address up to
 * the address of the new row. Gives the file and line of the previous row to the queries in that
 * range.
 */
static int close_row(struct machine *machine)
{
	const struct row *last = &machine->last;
	struct dwarf_queries *queries = machine->queries;
	size_t i;

	if (!machine->has_last || machine->is_discarded || last->vaddr >= machine->row.vaddr ||
	    last->vaddr > queries->at[queries->count - 1].vaddr ||
	    machine->row.vaddr <= queries->at[0].vaddr)
		return 0;
	for (i = dwarf_query_from(queries, last->vaddr);
	     i < queries->count && queries->at[i].vaddr < machine->row.vaddr; i++) {
		queries->at[i].file = last->file > UINT32_MAX ? UINT32_MAX : (uint32_t)last->file;
		queries->at[i].line = last->line > UINT32_MAX ? 0 : (uint32_t)last->line;
		queries->at[i].has_line = true;
		if (dwarf_spend(machine->table->cu->file, 1) < 0)
			return -E2BIG;
	}
	return 0;
}

static bool begins_discarded(const struct machine *machine)
{
	uint64_t last = machine->header->sizes.address_size == 4 ? UINT32_MAX : UINT64_MAX;

	return machine->row.vaddr == 0 || machine->row.vaddr >= last - 1;
}

static int add_row(struct machine *machine)
{
	int rc = close_row(machine);

	if (!machine->has_last)
		machine->is_discarded = begins_discarded(machine);
	machine->last = machine->row;
	machine->has_last = true;
	return rc;
}

static void begin_sequence(struct machine *machine)
{
	machine->row = (struct row){ .file = 1, .line = 1 };
	machine->operation = 0;
	machine->has_last = false;
}

static void advance(struct machine *machine, uint64_t operations)
{
	const struct header *header = machine->header;

	if (header->max_operations <= 1) {
		machine->row.vaddr += operations * header->min_instruction_bytes;
		return;
	}
	operations += machine->operation;
	machine->row.vaddr += operations / header->max_operations * header->min_instruction_bytes;
	machine->operation = operations % header->max_operations;
}

static int run_extended(struct machine *machine)
{
	uint64_t size_bytes = byte_reader_uleb(&machine->r);
	struct byte_reader r = byte_reader_part(&machine->r, machine->r.at, size_bytes);
	uint8_t op = byte_reader_u8(&r);
	const char *name;
	int rc = 0;

	byte_reader_skip(&machine->r, size_bytes);
	switch (op) {
	case DW_LNE_end_sequence:
		rc = close_row(machine);
		begin_sequence(machine);
		break;
	case DW_LNE_set_address:
		if (size_bytes != 5 && size_bytes != 9)
			return -EBADMSG;
		machine->row.vaddr = dwarf_number(&r, (unsigned int)size_bytes - 1);
		machine->operation = 0;
		break;
	case DW_LNE_define_file:
		name = byte_reader_string(&r, NULL);
		rc = read_old_file(&r, machine->table, name);
		break;
	default:
		break;	/* ignores discriminators and unknown operations */
	}
	if (rc < 0)
		return rc;
	return r.failed ? -EBADMSG : dwarf_spend_bytes(machine->table->cu->file, r.at);
}

static int run_special(struct machine *machine, uint8_t op)
{
	const struct header *header = machine->header;
	uint8_t adjusted = (uint8_t)(op - header->opcode_base);

	advance(machine, adjusted / header->line_range);
	machine->row.line += (uint64_t)(header->line_base + adjusted % header->line_range);
	return add_row(machine);
}

static int run_standard(struct machine *machine, uint8_t op)
{
	const struct header *header = machine->header;

	switch (op) {
	case DW_LNS_copy:
		return add_row(machine);
	case DW_LNS_advance_pc:
		advance(machine, byte_reader_uleb(&machine->r));
		return 0;
	case DW_LNS_advance_line:
		machine->row.line += (uint64_t)byte_reader_sleb(&machine->r);
		return 0;
	case DW_LNS_set_file:
		machine->row.file = byte_reader_uleb(&machine->r);
		return 0;
	case DW_LNS_const_add_pc:
		advance(machine, (255u - header->opcode_base) / header->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		machine->row.vaddr += byte_reader_u16(&machine->r);
		machine->operation = 0;
		return 0;
	default:
		for (unsigned int i = 0; i < header->operand_counts[op]; i++)
			(void)byte_reader_uleb(&machine->r);
		return 0;
	}
}

static int run_program(struct machine *machine)
{
	struct dwarf_file *file = machine->table->cu->file;

	begin_sequence(machine);
	while (byte_reader_left(&machine->r)) {
		uint8_t op = byte_reader_u8(&machine->r);
		int rc;

		if (op >= machine->header->opcode_base)
			rc = run_special(machine, op);
		else if (op == DW_LNS_extended_op)
			rc = run_extended(machine);
		else
			rc = run_standard(machine, op);
		if (rc < 0)
			return rc;
		if (machine->r.failed)
			return -EBADMSG;
		rc = dwarf_spend(file, 1);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Opens a window on a line program, including its length field. Sets offset_size to 4 or 8,
 * depending on the format of the length field.
 */
static int open_program(const struct dwarf_cu *cu, uint64_t at, struct header *header,
			struct dwarf_window *window)
{
	uint64_t length, head_bytes = 4;
	int rc = dwarf_section_number(cu->file, DWARF_LINE, at, 4, &length);

	header->sizes.offset_size = 4;
	if (rc < 0)
		return rc;
	if (length == UINT32_MAX) {
		header->sizes.offset_size = 8;
		head_bytes = 12;
		rc = dwarf_section_number(cu->file, DWARF_LINE, at + 4, 8, &length);
		if (rc < 0)
			return rc;
	}
	if (length > UINT64_MAX / 2)
		return -EBADMSG;
	return dwarf_window_open(cu->file, DWARF_LINE, at, length + head_bytes, window);
}

int dwarf_line_run(const struct dwarf_cu *cu, struct dwarf_queries *queries,
		   struct dwarf_line_table *ret_table)
{
	const struct dwarf_value *at = die_value(&cu->root, SLOT_STMT_LIST);
	struct header header = { .sizes.address_size = cu->unit.address_size };
	struct machine machine = { .header = &header, .table = ret_table, .queries = queries };
	int rc;

	*ret_table = (struct dwarf_line_table){ .cu = cu };
	if (!at || queries->count == 0)
		return 0;
	rc = open_program(cu, at->number, &header, &ret_table->window);
	if (rc < 0)
		return rc;
	machine.r = dwarf_window_reader(cu->file, &ret_table->window);
	rc = read_header(&machine.r, &header, ret_table);
	if (rc < 0)
		return rc;
	rc = dwarf_spend_bytes(cu->file, machine.r.at);
	if (rc < 0)
		return rc;
	byte_reader_seek(&machine.r, header.program_at);
	return machine.r.failed ? -EBADMSG : run_program(&machine);
}

void dwarf_line_close(struct dwarf_line_table *table)
{
	dwarf_window_close(&table->window);
	vec_free(&table->directories);
	vec_free(&table->files);
}

/* ---- files ---- */

struct dwarf_line_file *dwarf_line_file(struct dwarf_line_table *table, uint64_t number)
{
	if (number >= table->files.count || table->files.at[number].name.form == 0)
		return NULL;
	return &table->files.at[number];
}

/* Prepends @directory to @text, unless @text is already an absolute path. */
static int put_behind(const struct dwarf_line_table *table, const struct dwarf_value *directory,
		      char text[static DWARF_TEXT_MAX])
{
	char before[DWARF_TEXT_MAX];
	size_t length, text_bytes = strlen(text) + 1;
	int rc;

	if (text[0] == '/' || !directory || directory->form == 0)
		return 0;
	rc = dwarf_cu_text(table->cu, directory, before);
	if (rc < 0)
		return rc;
	length = strlen(before);
	if (length == 0 || length + 1 + text_bytes > DWARF_TEXT_MAX)
		return 0;
	memmove(text + length + 1, text, text_bytes);
	memcpy(text, before, length);
	text[length] = '/';
	return 0;
}

int dwarf_line_path(const struct dwarf_line_table *table, const struct dwarf_line_file *file,
		    char ret_text[static DWARF_TEXT_MAX])
{
	const struct dwarf_value *directory = NULL;
	int rc = dwarf_cu_text(table->cu, &file->name, ret_text);

	if (rc < 0)
		return rc;
	if (file->directory < table->directories.count)
		directory = &table->directories.at[file->directory];
	rc = put_behind(table, directory, ret_text);
	if (rc < 0)
		return rc;
	return put_behind(table, die_value(&table->cu->root, SLOT_COMP_DIR), ret_text);
}
